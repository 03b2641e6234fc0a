// Unused names the functions, methods, types and package-level variables and constants of a module that no file but
// tests uses. It exits with 1 where there are any.
//
//	unused [-public PACKAGES] FOLDER
//
// It is for what deadcode misses: deadcode takes all exported methods of a type for reachable as soon as a value of the
// type is in an interface, because reflection could call them. Methods by which a type implements an interface count
// as used here, and so does all of the packages that match -public: what nobody calls here may be called elsewhere.
package main
