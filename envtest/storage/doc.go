// Package storage takes the part of a storage driver on a control plane whose Nodes are
// fake. Kubernetes' own controllers do what they always do: they bind claims to volumes and
// protect both while they are in use. A driver has to do the rest, and [Driver] does it: it
// makes a volume for each claim of its classes, makes it larger or gives it other attributes
// if the claim asks for them, and deletes it when its claim is gone.
//
// A volume is an object and nothing more: there is no disk behind it. So it can have each
// access mode and each volume mode, and a data source leaves it as empty as it was.
package storage
