package main

import "testing"

// TestWatchedStages: programs between passes have a text only where the stage shows it.
func TestWatchedStages(t *testing.T) {
	for stage, want := range map[string]bool{"lowered": false, "final": false, "vcode": false, "all": true, "": false} {
		if l := new(listing); (l.watch(stage) != nil) != want {
			t.Errorf("stage %q: watched is %v; must be %v", stage, !want, want)
		}
	}
}
