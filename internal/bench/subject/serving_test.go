package subject

import (
	"slices"
	"strings"
	"testing"
)

func TestListenersIn(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 0100007F:1F91 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 2
   2: 00000000000000000000000000000000:24EB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 3
`
	if got, want := listenersIn(strings.NewReader(table)), []int{8080, 9451}; !slices.Equal(got, want) {
		t.Errorf("listenersIn = %v, want %v", got, want)
	}
}
