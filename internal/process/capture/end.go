package capture

import (
	"fmt"
	"io"
	"os"
)

// ReadEnd reads a file. If it is too long, it reads only the end, and says so.
func ReadEnd(path string, most int64) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, info.Size()-most)
	data, err := io.ReadAll(io.NewSectionReader(file, from, most))
	if err != nil || from == 0 {
		return string(data), err
	}
	return fmt.Sprintf("(%d bytes left out) …%s", from, data), nil
}
