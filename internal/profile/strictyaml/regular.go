package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadRegular reads a regular file of limited size. A device or a pipe may have no end. The
// error does not name the file, because the caller says which file it is, and what it is for.
func ReadRegular(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Cause(err)
	}
	if info.IsDir() {
		return nil, errors.New("this is a folder, and not a file")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, Cause(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("larger than %d KiB", most>>10)
	}
	return data, err
}

// Cause returns what is wrong with a path, without the name of the system call and without
// the path, which the caller names in a sentence of its own. Other errors stay as they are.
func Cause(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}
