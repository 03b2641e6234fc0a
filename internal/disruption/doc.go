// Package disruption serves the Disruption objects: it has something done to the
// processes of the controller under test, once, and says what became of them.
package disruption
