package main

import (
	"flag"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// To the cache, an empty name stands for all namespaces.
func TestServed(t *testing.T) {
	parse := func(list string) (served []string, err error) {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		o := bindFlags(fs)
		err = fs.Parse([]string{"--namespaces=" + list})
		return slices.Sorted(maps.Keys(o.served())), err
	}
	for list, want := range map[string][]string{"": nil, "a": {"a"}, "a,b": {"a", "b"}, " a, b ": {"a", "b"}} {
		served, err := parse(list)
		if diff := cmp.Diff(want, served); err != nil || diff != "" {
			t.Errorf("%q: error %v, namespaces differ (-want +got):\n%s", list, err, diff)
		}
	}
	for _, list := range []string{"a,", ",a", "a,,b", ",", " "} {
		if served, err := parse(list); err == nil {
			t.Errorf("%q is accepted, and %q are served", list, served)
		}
	}
}
