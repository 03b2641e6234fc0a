// Package heap bounds the heap of the program that it is in. A memory limit of Go does that,
// too. But if what is in use comes near the limit, the program does nothing but collect. Here
// the heap grows beyond its size then.
package heap
