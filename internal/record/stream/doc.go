// Package stream reads and makes watch events: JSON objects, one after another, in the
// body of an answer.
//
// A [Reader] splits such a body and returns each event byte for byte. [Parse] says what an
// event is about, without decoding the object in it. [Expired], [Bookmark] and [Added]
// make events like those of the API server.
package stream
