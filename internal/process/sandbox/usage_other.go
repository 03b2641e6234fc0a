//go:build !linux

package sandbox

import "errors"

func usageBelow(int) (Usage, error) {
	return Usage{}, errors.New("this system does not tell what a process holds")
}
