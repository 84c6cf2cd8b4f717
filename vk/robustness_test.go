package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// TestRobustness checks that each kind of resource has its own behavior, that the default is the strictest, and that a
// value beyond the last is the last.
func TestRobustness(t *testing.T) {
	for _, c := range []struct {
		r                        Robustness
		storage, uniform, images exec.Robustness
	}{
		{Robustness{}, exec.Strict, exec.Strict, exec.Robust2},
		{Robustness{Storage: RobustBufferAccess}, exec.Robust, exec.Strict, exec.Robust2},
		{Robustness{Uniform: RobustBufferAccess2}, exec.Strict, exec.Robust2, exec.Robust2},
		{Robustness{Images: RobustImageAccess}, exec.Strict, exec.Strict, exec.Robust},
		{Robustness{Storage: 99, Uniform: 99, Images: 99}, exec.NotRobust, exec.NotRobust, exec.NotRobust},
	} {
		if got := c.r.inside(); got.Storage != c.storage || got.Uniform != c.uniform || got.Images != c.images {
			t.Errorf("%+v: %+v", c.r, got)
		}
	}
}
