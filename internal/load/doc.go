// Package load serves the Load objects: many objects from one template, or many
// edits of one object, at a rate. It acts once, as an administrator, and past
// every proxy: what it sends is the user's doing, not the subject's.
package load
