package main

import (
	"flag"
	"testing"
)

// A leader that is cut off must have stopped when its lease ends. Its last renewal may
// have taken as long as a request may, the pause and all attempts follow, and last of
// all it tries to give the Lease back.
func TestLeaderStopsWithinItsLease(t *testing.T) {
	for name, args := range map[string][]string{
		"by default":   nil,
		"a long lease": {"--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s", "--leader-elect-retry-period=5s"},
		"a short one":  {"--leader-elect-lease-duration=5s", "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=1s"},
	} {
		t.Run(name, func(t *testing.T) {
			fs := flag.NewFlagSet(name, flag.ContinueOnError)
			o := bindFlags(fs)
			if err := fs.Parse(args); err != nil {
				t.Fatal(err)
			}
			request := o.leaseTimeout()
			if stops := request + o.retryPeriod + o.renewDeadline + request; stops > o.leaseDuration {
				t.Errorf("it stops %s after its last renewal, and the lease ends after %s", stops, o.leaseDuration)
			}
		})
	}
}
