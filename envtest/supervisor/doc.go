// Package supervisor starts child processes that cannot outlive their parent.
//
// A process that is killed with SIGKILL can no longer end its children. So each child gets
// a supervisor: a small process between the two. It holds the reading end of a lifeline,
// which is a pipe whose writing end only the parent has. When the parent dies, in any way,
// the kernel closes that end, and the supervisor kills the child with everything that it
// has started. Otherwise nobody should notice the supervisor: it passes on signals,
// standard streams and the exit status.
//
// The supervisor is the parent's own executable, started again. That is why [Main] must
// be the first statement of main and of TestMain:
//
//	func TestMain(m *testing.M) {
//		supervisor.Main()
//		os.Exit(m.Run())
//	}
//
// There are two ways to start a supervised child. Use [Command] if you start it yourself.
// Use [Lifeline.Link] for a library that only takes the path of a program: it creates a
// link that supervises the program when it is executed.
package supervisor
