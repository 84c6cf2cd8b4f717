package main

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/vk"
)

// TestRobustness: the levels of the flags have the behavior of the same name; strict is the zero value.
func TestRobustness(t *testing.T) {
	f := pipelineFlags{robustness: []string{"strict", "uniform=disabled", "images=robust", "1.2=robust", "fragment.storage=robust2"}}
	got, stages, err := f.robust()
	if err != nil || got.Storage != vk.Exact || got.Uniform != vk.NotRobust || got.Images != vk.RobustImageAccess || got.Vertex != vk.Exact ||
		len(got.Bindings) != 1 || got.Bindings[vk.SetBinding{Set: 1, Binding: 2}] != vk.RobustBufferAccess {
		t.Errorf("%+v, %v", got, err)
	}
	own := stages[vk.StageFragment]
	if len(stages) != 1 || own == nil || own.Storage != vk.RobustBufferAccess2 || own.Uniform != vk.NotRobust {
		t.Errorf("%+v", stages)
	}
	list := pipelineFlags{robustness: []string{"robust,uniform=disabled", "1.2=strict,vertex=robust2"}}
	got, stages, err = list.robust()
	if err != nil || got.Storage != vk.RobustBufferAccess || got.Uniform != vk.NotRobust || len(got.Bindings) != 1 || len(stages) != 1 {
		t.Errorf("a list: %+v, %+v, %v", got, stages, err)
	}
	for _, text := range []string{"", "robust,", "storage=x", "x=robust"} {
		f := pipelineFlags{robustness: []string{text}}
		if _, _, err := f.robust(); err == nil {
			t.Errorf("%q is a robustness", text)
		}
	}
	for name, want := range map[string]vk.ImageBehavior{
		"strict": vk.RobustImageAccess2, "robust2": vk.RobustImageAccess2, "robust": vk.RobustImageAccess, "disabled": vk.NotRobustImages,
	} {
		f := pipelineFlags{robustness: []string{name}}
		if got, _, err := f.robust(); err != nil || got.Images != want {
			t.Errorf("%s: images %v, %v; want %v", name, got.Images, err, want)
		}
	}
}
