// Package load serves the Load objects: many objects from one template, or many edits of
// one object, at a rate. A Load acts once, as an administrator, and not through a proxy:
// its requests count as the user's, not as the subject's.
package load
