// Package disruption serves the Disruption objects. A Disruption does something to the
// processes of the controller under test, once, and reports the result.
package disruption
