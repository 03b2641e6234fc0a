package main

import (
	"fmt"
	"strings"
)

// secret is in what each student hands in.
const secret = "nobody else is to read this"

// printing prints what another one has handed in, if it can, and then a gigabyte.
const printing = `package main

import (
	"fmt"
	"os"
)

func main() {
	text, err := os.ReadFile("OTHER/secret.txt")
	line := fmt.Sprintf("%s %v\n", text, err)
	for n := 0; n < 1<<30; n += len(line) {
		os.Stdout.WriteString(line)
	}
	select {}
}
`

// forking starts itself again and again.
const forking = `package main

import (
	"os"
	"os/exec"
)

func main() {
	for {
		_ = exec.Command(os.Args[0]).Start()
	}
}
`

const looping = `package main

func main() {
	for {
	}
}
`

// filling writes wherever it can.
const filling = `package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	block := make([]byte, 1<<20)
	for n := 0; ; n++ {
		for _, dir := range []string{".", os.Getenv("HOME"), os.TempDir(), "/var/tmp", "/dev/shm", "OTHER"} {
			if file, err := os.OpenFile(filepath.Join(dir, fmt.Sprint("fill", n%50)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
				_, _ = file.Write(block)
				_ = file.Close()
			}
		}
	}
}
`

// explodingBuild has types whose names double, forty times: its build has no end, and
// takes all memory.
func explodingBuild() string {
	const times = 40
	var text strings.Builder
	text.WriteString("package main\n\ntype pair[A, B any] struct {\n\ta A\n\tb B\n}\n\nfunc f0[T any]() { var t T; println(any(t) == nil) }\n")
	for n := 1; n < times; n++ {
		fmt.Fprintf(&text, "func f%d[T any]() { f%d[pair[T, T]]() }\n", n, n-1)
	}
	fmt.Fprintf(&text, "func main() { f%d[int]() }\n", times-1)
	return text.String()
}
