// Package folder manages folders that belong to only one process at a time.
//
// A folder is ours if it contains a marker: a file with a certain name. A process that uses
// the folder has a lock on that file (flock). The kernel releases the lock when the process
// ends, however it ends. So a folder that nobody holds was left by a process that is gone,
// and may be used again, or removed. A folder that is not empty and has no marker is
// somebody else's.
package folder
