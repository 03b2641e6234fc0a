// The tests here do what the labs' texts say, on a control plane, and compare what they
// show of terminals with what comes:
//
//   - a block of language console has commands, each after "$ ", and below each what it
//     prints. One that only reads is repeated until it prints that.
//   - ./bin/controller goes on in a terminal of its own. "^C" at the beginning of a block
//     ends the one that was started first.
//   - a block of language text after that is what a controller prints next. There may be
//     other lines in between.
//
// Ages, addresses and what else differs each time is masked on both sides.
package labs_test
