package capture

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	ofGo = `{"level":"error","msg":"Reconcile failed"}
panic: runtime error: invalid memory address or nil pointer dereference [recovered]
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]

goroutine 97 [running]:
sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).Reconcile.func1()
	/go/pkg/mod/sigs.k8s.io/controller-runtime/pkg/internal/controller/controller.go:105 +0x1a5
panic({0x1?, 0x2?})
	/usr/local/go/src/runtime/panic.go:791 +0x132
example.com/site/internal/controller.(*SiteReconciler).child(0xc000, {0x1, 0x2})
	/src/internal/controller/site.go:42 +0x1d
example.com/site/internal/controller.(*SiteReconciler).Reconcile(0xc000)
	/src/internal/controller/site.go:20 +0x1d
created by sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).Start.func2.1 in goroutine 88
	/go/pkg/mod/sigs.k8s.io/controller-runtime/pkg/internal/controller/controller.go:204 +0x3e5`
	ofNode = `watch failed
Error: Too Many Requests
    at Request.<anonymous> (node_modules/@kubernetes/client-node/dist/watch.js:23:31)
    at main (/app/index.js:7:3)
    at node:events:524:28

Node.js v20.20.2`
	ofZap = "2026-11-27T19:09:40Z\tERROR\tsetup\tproblem running manager\t{\"error\": \"open /tmp/tls.crt: no such file or directory\"}\n" +
		"sigs.k8s.io/controller-runtime/pkg/internal/source.(*Kind[...]).Start.func1\n" +
		"\t/go/pkg/mod/sigs.k8s.io/controller-runtime@v0.23.1/pkg/internal/source/kind.go:68\n" +
		"main.main\n" +
		"\t/src/cmd/main.go:175\n" +
		"runtime.main\n" +
		"\t/usr/local/go/src/runtime/proc.go:290"
	ofNone = `Starting workers
reconciled (demo)
done`
)

func TestStacks(t *testing.T) {
	for name, tc := range map[string]struct{ text, kept, last string }{
		"a panic in Go": {
			ofGo,
			`{"level":"error","msg":"Reconcile failed"}
panic: runtime error: invalid memory address or nil pointer dereference [recovered]
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]

example.com/site/internal/controller.(*SiteReconciler).child(0xc000, {0x1, 0x2})
	/src/internal/controller/site.go:42 +0x1d
(9 lines of the stack left out)`,
			"panic: runtime error: invalid memory address or nil pointer dereference [recovered]",
		},
		"an exception in JavaScript": {
			ofNode,
			`watch failed
Error: Too Many Requests
    at main (/app/index.js:7:3)
(3 lines of the stack left out)
Node.js v20.20.2`,
			"Error: Too Many Requests",
		},
		"a stack within a line of JSON": {
			`{"level":"error","msg":"","error":"pods \"mine\" not found","stacktrace":"main.main\n\t/src/main.go:115\nruntime.main(\"x\")\n\t/go/proc.go:290"}`,
			`{"level":"error","msg":"","error":"pods \"mine\" not found"}`,
			`{"level":"error","msg":"","error":"pods \"mine\" not found"}`,
		},
		"two stacks within a line of JSON": {
			`{"msg":"no patch","error":"invalid JSON document","errorVerbose":"invalid JSON document\nexample.com/site.Patch\n\t/src/patch.go:87","stacktrace":"main.main\n\t/src/main.go:115"}`,
			`{"msg":"no patch","error":"invalid JSON document"}`,
			`{"msg":"no patch","error":"invalid JSON document"}`,
		},
		"a stack before other fields of a line of JSON": {
			`{"level":"error", "stack": "main.main", "msg": "no, \"stack\": none"}`,
			`{"level":"error", "msg": "no, \"stack\": none"}`,
			`{"level":"error", "msg": "no, \"stack\": none"}`,
		},
		"a wrong flag in Go": {
			"flag provided but not defined: -x\nUsage of bin/mine:\n  -zap\n    \tZap time encoding",
			"flag provided but not defined: -x\nUsage of bin/mine:\n  -zap\n    \tZap time encoding",
			"flag provided but not defined: -x",
		},
		"a wrong flag of pflag": {"Error: unknown flag: --x\nUsage:\n  mine [flags]", "Error: unknown flag: --x\nUsage:\n  mine [flags]", "Error: unknown flag: --x"},
		"an error that zap logs for people": {
			ofZap,
			strings.Split(ofZap, "\n")[0] + "\nmain.main\n\t/src/cmd/main.go:175\n(4 lines of the stack left out)",
			strings.Split(ofZap, "\n")[0],
		},
		"names that are no frames": {"see example.com/site.Reconcile\nexample.com/site.Reconcile\ndone", "see example.com/site.Reconcile\nexample.com/site.Reconcile\ndone", "done"},
		"no stack":                 {ofNone, ofNone, "done"},
		"nothing":                  {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			lines := strings.Split(tc.text, "\n")
			if diff := cmp.Diff(tc.kept, strings.Join(WithoutStack(lines), "\n")); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if got := LastWord(lines); got != tc.last {
				t.Errorf("last word %q, want %q", got, tc.last)
			}
		})
	}
}
