package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadRegular reads a regular file of limited size. A device or a pipe may have no end.
func ReadRegular(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("this is a folder, and not a file")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("larger than %d KiB", most>>10)
	}
	return data, err
}
