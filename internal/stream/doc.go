// Package stream reads and makes the events of a watch: JSON objects, one after
// another, in the body of an answer.
//
// A [Reader] splits such a body and passes each event on byte for byte. [Parse] tells
// what an event is about, without decoding the object in it. [Expired], [Bookmark] and
// [Added] make events as the API server does.
package stream
