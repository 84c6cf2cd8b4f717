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
		vertex                   exec.Robustness
	}{
		{Robustness{}, exec.Strict, exec.Strict, exec.Robust2, exec.Strict},
		{Robustness{Storage: RobustBufferAccess}, exec.Robust, exec.Strict, exec.Robust2, exec.Strict},
		{Robustness{Uniform: RobustBufferAccess2}, exec.Strict, exec.Robust2, exec.Robust2, exec.Strict},
		{Robustness{Images: RobustImageAccess}, exec.Strict, exec.Strict, exec.Robust, exec.Strict},
		{Robustness{Vertex: RobustBufferAccess}, exec.Strict, exec.Strict, exec.Robust2, exec.Robust},
		{Robustness{Storage: 99, Uniform: 99, Vertex: 99, Images: 99}, exec.NotRobust, exec.NotRobust, exec.NotRobust, exec.NotRobust},
	} {
		if got := c.r.inside(); got.Storage != c.storage || got.Uniform != c.uniform || got.Images != c.images || got.Vertex != c.vertex {
			t.Errorf("%+v: %+v", c.r, got)
		}
	}
}
