// Package folder has folders that belong to one process at a time, and to nobody else.
//
// A folder is ours where it holds a marker, a file of a certain name. Who uses it has a
// lock on that file (flock). The kernel takes the lock away when the process ends,
// however it ends: what nobody holds was left by a process that is gone, and may be used
// again, or removed. What is not empty and has no marker is somebody else's.
package folder
