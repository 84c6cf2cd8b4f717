package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
)

// TestDisturb binds sets with layouts of different compatibility (row F08; Vulkan, Pipeline Layout Compatibility): binding set N
// disturbs lower sets with layouts that are not compatible for them, and higher sets if theirs is not compatible for N.
func TestDisturb(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	one := func(kind link.DescriptorType) *SetLayout {
		return must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Binding: 0, Type: kind, Count: 1, Stages: link.AllStages}}}))(t)
	}
	a, same, b := one("storage_buffer"), one("storage_buffer"), one("uniform_buffer")
	layout := func(push uint32, sets ...*SetLayout) *PipelineLayout {
		info := PipelineLayoutInfo{Sets: sets}
		if push > 0 {
			info.Push = []link.Range{{Size: push, Stages: link.AllStages}}
		}
		return must(r.dev.NewPipelineLayout(info))(t)
	}
	p := layout(0, a, a, a)
	for _, k := range []struct {
		name   string
		layout *PipelineLayout
		at     int
		left   [3]bool // of the sets that p has bound
	}{
		{"an equal layout", layout(0, same, same, same), 1, [3]bool{true, false, true}},
		{"other sets above", layout(0, a, b, b), 0, [3]bool{false, true, true}},
		{"another set itself", layout(0, a, b, a), 1, [3]bool{true, false, false}},
		{"another set below", layout(0, a, b, a), 2, [3]bool{true, false, false}},
		{"other push constants", layout(4, a, a, a), 1, [3]bool{}},
	} {
		x := executor{}
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		bind := func(l *PipelineLayout, first, n int) {
			c.sets = append(c.sets[:0], make([]*Set, n)...)
			x.bindSets(c, &command{a: l, x: [4]uint64{uint64(Compute)<<32 | uint64(first), 0, uint64(n), 0}})
		}
		bind(p, 0, 3)
		bind(k.layout, k.at, 1)
		for i := range k.left {
			if left := x.sets.of[Compute][i].layout == p; left != k.left[i] {
				t.Errorf("%s: set %d is still bound: %t, want %t", k.name, i, left, k.left[i])
			}
		}
	}
}
