// Package supervisor starts processes that cannot outlive the one that started them.
//
// A process killed with SIGKILL cannot end its children any more. So each child gets a
// supervisor, a small process between the two, which holds the reading end of a
// lifeline: a pipe whose writing end only the parent has. When the parent dies, in
// whatever way, the kernel closes that end, and the supervisor kills the child with
// everything it started. In all else the supervisor should not be noticed: it passes on
// signals, standard streams and the exit status.
//
// The supervisor is the parent's own executable, started again. That is why [Main] must
// be the first statement of main and of TestMain:
//
//	func TestMain(m *testing.M) {
//		supervisor.Main()
//		os.Exit(m.Run())
//	}
//
// There are two ways to start a supervised child. [Command] is for those who start it
// themselves. [Lifeline.Link] is for libraries that start a program by its path only:
// it makes a link that, when executed, supervises the program.
package supervisor
