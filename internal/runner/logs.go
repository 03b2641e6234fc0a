package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lastLines are the last lines of every log in the folder, each file under its
// name where there are several.
func lastLines(dir string, count int) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(files) == 0 {
		return nil
	}
	slices.Sort(files)
	var lines []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if len(files) > 1 {
			lines = append(lines, "==> "+filepath.Base(file)+" <==")
		}
		own := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
		lines = append(lines, own[max(0, len(own)-count):]...)
	}
	return lines
}
