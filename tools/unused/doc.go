// Unused names the functions, methods, types and package-level variables and constants
// of a module that no file uses, except tests. It exits with 1 if there are any.
//
//	unused [-public PACKAGES] FOLDER
//
// It finds what deadcode misses: deadcode treats all exported methods of a type as
// reachable as soon as a value of the type is in an interface, because reflection could
// call them. Methods by which a type implements an interface count as used here, and those
// that an HTML template embedded in the package names; and so
// does everything in the packages that match -public: what is unused here may be used
// elsewhere.
package main
