package trampoline

import (
	"errors"
	"testing"
)

// TestProbes checks that a probe that fails is repeated, since on a loaded machine a probe may fail by chance.
func TestProbes(t *testing.T) {
	for _, c := range []struct {
		name           string
		known, works   bool // the stack guard is known; the kind that works is polling
		fails          int  // so many probes of the kind that works fail first
		polling, error bool
	}{
		{"at once", true, false, 0, false, false},
		{"polling", true, true, 0, true, false},
		{"by chance", true, false, 3, false, false},
		{"polling by chance", true, true, 3, true, false},
		{"guard unknown", false, true, 0, false, true},
		{"never", true, false, maxProbes, false, true},
	} {
		fails := c.fails
		polling, err := probeKinds(c.known, func(polling bool) (bool, error) {
			if polling != c.works {
				return false, nil
			}
			fails--
			return fails < 0, nil
		})
		if polling != c.polling || (err != nil) != c.error {
			t.Errorf("%s: polling %v, %v; must be %v, error %v", c.name, polling, err, c.polling, c.error)
		}
	}
	broken := errors.New("no memory")
	if _, err := probeKinds(true, func(bool) (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("the error is %v; must be the error of the probe", err)
	}
}
