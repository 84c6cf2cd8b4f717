package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

func (p *Layout) independent() bool { return p.Flags&enum.LayoutFlagsIndependentSets != 0 }

// set returns the layout of a set by its number, or nil if there is none.
func (p *Layout) set(number uint32) *Set {
	for i := range p.Sets {
		if p.Sets[i].Number == number {
			return &p.Sets[i]
		}
	}
	return nil
}

// Same reports whether two set layouts are identically defined: by the same
// flags and the same bindings, in any order.
func (s *Set) Same(o *Set) bool {
	if s == nil || o == nil {
		return s == o
	}
	if s.Null != o.Null || s.Flags != o.Flags || len(s.Bindings) != len(o.Bindings) {
		return false
	}
	if len(s.Bindings) > 0 && &s.Bindings[0] == &o.Bindings[0] {
		return true // copies of one layout
	}
	order := func(list []Binding) []Binding {
		if slices.IsSortedFunc(list, func(x, y Binding) int { return cmp.Compare(x.Binding, y.Binding) }) {
			return list
		}
		return slices.SortedStableFunc(slices.Values(list), func(x, y Binding) int { return cmp.Compare(x.Binding, y.Binding) })
	}
	return slices.EqualFunc(order(s.Bindings), order(o.Bindings), func(x, y Binding) bool {
		return x.Binding == y.Binding && x.Type == y.Type && x.Count == y.Count && x.Stages == y.Stages && x.Flags == y.Flags &&
			slices.Equal(x.Mutable, y.Mutable) && x.Samplers == y.Samplers && x.Ycbcr == y.Ycbcr && slices.Equal(x.Immutable, y.Immutable)
	})
}

// samePush reports whether the push constant ranges of two layouts that are for
// one of some stages are the same, in any order.
func (p *Layout) samePush(o *Layout, holds func(Stages) bool) bool {
	if slices.Equal(p.Push, o.Push) {
		return true
	}
	list := func(p *Layout) (out []Range) {
		for _, r := range p.Push {
			if holds(r.Stages) {
				out = append(out, r)
			}
		}
		slices.SortFunc(out, func(x, y Range) int {
			return cmp.Or(cmp.Compare(x.Offset, y.Offset), cmp.Compare(x.Size, y.Size), cmp.Compare(x.Stages, y.Stages))
		})
		return out
	}
	return slices.Equal(list(p), list(o))
}

func anyStage(Stages) bool { return true }

// same reports whether two layouts are identically defined.
func (p *Layout) same(o *Layout) bool { return p.Flags == o.Flags && p.compatible(o) }

// compatible reports whether two layouts are equal except for their flags. Only the
// described sets are known, so that it returns true if the layouts may be equal.
func (p *Layout) compatible(o *Layout) bool {
	for _, k := range [...][2]*Layout{{p, o}, {o, p}} {
		for i := range k[0].Sets {
			s := &k[0].Sets[i]
			if x := k[1].set(s.Number); !s.Same(x) {
				return false
			}
		}
	}
	return p.samePush(o, anyStage)
}

// union returns the union of the layouts of the shader parts: each set from the first
// layout in which it is not null, and the push constants of a stage from the first layout
// with some. It is nil if no part has a layout.
func union(list []*Description) *Layout {
	var out *Layout
	for _, d := range list {
		p := d.Layout
		if p == nil || d.gives()&shaderParts == 0 {
			continue
		}
		if out == nil {
			out = &Layout{Flags: p.Flags, Sets: slices.Clone(p.Sets), Push: slices.Clone(p.Push)}
			continue
		}
		for i := range p.Sets {
			switch have := out.set(p.Sets[i].Number); {
			case have == nil:
				out.Sets = append(out.Sets, p.Sets[i])
			case have.Null:
				*have = p.Sets[i]
			}
		}
		for _, r := range p.Push {
			if !slices.ContainsFunc(out.Push, func(x Range) bool { return x.Stages&r.Stages != 0 }) {
				out.Push = append(out.Push, r)
			}
		}
	}
	return out
}

// part is one of the two shader parts of a pipeline and the pipeline that provides it.
type part struct {
	d      *Description
	stages Stages
	name   string
}

func (p *part) side(d *Description) Side {
	s := Side{Stage: p.name, Name: p.d.Name}
	if p.d == d {
		s.Stage = "pipeline"
	}
	if p.d.Layout != nil {
		s.Decorations = p.d.Layout.Flags.String()
	}
	return s
}

// pair checks the layouts of the two shader parts, unless one pipeline provides both, and
// the layout of the pipeline that they form.
func (l *linker) pair() {
	if l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0 {
		return
	}
	list := l.d.givers(0)
	pre := part{giver(list, enum.PartsPreRasterizationShaders), 1<<fragment - 1, "pre-rasterization library"}
	frag := part{giver(list, enum.PartsFragmentShader), 1 << fragment, "fragment library"}
	l.made(list)
	if pre.d == nil || frag.d == nil || pre.d == frag.d || pre.d.Layout == nil || frag.d.Layout == nil {
		return
	}
	own, other, c := &pre, &frag, &pairCodes[1]
	if pre.d == l.d || frag.d == l.d {
		c = &pairCodes[0]
	}
	if frag.d == l.d {
		own, other = &frag, &pre
	}
	sides := []Side{own.side(l.d), other.side(l.d)}
	a, b := own.d.Layout, other.d.Layout
	switch {
	case !a.independent() && (c == &pairCodes[0] || !b.independent()):
		if !a.same(b) {
			l.fail(c.same, sides, "the layouts of the shader parts differ and have no independent sets; must be the same")
		}
	case a.independent() != b.independent():
		l.fail(c.independent, sides, "one layout of the shader parts has independent sets and the other has not; must be of both or none")
	}
	l.pairSets(own, other, sides)
	both := func(s Stages) bool { return s&own.stages != 0 && s&other.stages != 0 }
	if !a.samePush(b, both) {
		l.fail(c.push, sides, "push constants that both shader parts have differ; must be the same")
	}
}

// pairSets checks the sets of two shader parts.
func (l *linker) pairSets(own, other *part, sides []Side) {
	c := &pairCodes[1]
	if own.d == l.d {
		c = &pairCodes[0]
	}
	a, b := own.d.Layout, other.d.Layout
	for i := range a.Sets {
		x := &a.Sets[i]
		y := b.set(x.Number)
		if y == nil {
			continue
		}
		at := slices.Clone(sides)
		at[0].Slot = fmt.Sprintf("set %d", x.Number)
		at[1].Slot = at[0].Slot
		switch {
		case x.Null && y.Null:
			if !a.independent() && !b.independent() {
				l.fail(c.null, at, "set %d is null in both shader parts; must not be without independent sets", x.Number)
			}
		case x.Null && y.bindsFor(own.stages):
			l.fail(c.ownNull, at, "set %d is null in the layout for %s, and the other has bindings for them; must have none", x.Number, own.stages)
		case y.Null && x.bindsFor(other.stages):
			l.fail(c.otherNull, at, "set %d is null in the layout for %s, and the other has bindings for them; must have none", x.Number, other.stages)
		case !x.Null && !y.Null && !x.Same(y):
			if a.independent() || b.independent() {
				l.fail(c.sets, at, "set %d differs between the shader parts; must be the same", x.Number)
			}
			if own.d.accesses(x.Number) && other.d.accesses(x.Number) {
				l.fail(c.used, at, "set %d differs between the shader parts, which both use it; must be the same", x.Number)
			}
		}
	}
}

// bindsFor reports whether a set has a binding for one of some stages.
func (s *Set) bindsFor(stages Stages) bool {
	return slices.ContainsFunc(s.Bindings, func(b Binding) bool { return b.Count > 0 && b.Stages&stages != 0 })
}

// accesses reports whether a stage of the pipeline uses a set.
func (d *Description) accesses(set uint32) bool {
	for i := range d.Stages {
		if e := d.Stages[i].Entry; e != nil {
			for k := range e.Resources {
				if r := &e.Resources[k]; r.Used && !r.MissingSet && r.Set == set {
					return true
				}
			}
		}
	}
	return false
}

// made checks the layout of a pipeline that libraries make alone.
func (l *linker) made(list []*Description) {
	p := l.d.Layout
	if p == nil || l.d.gives() != 0 || l.d.Flags&enum.PipelineFlagsLibrary != 0 {
		return
	}
	var given enum.Parts
	count := [2]int{}
	for _, d := range list[1:] {
		if given |= d.gives(); d.gives()&shaderParts == 0 {
			continue
		}
		if d.Layout == nil {
			return
		}
		if d.Layout.independent() {
			count[1]++
		} else {
			count[0]++
		}
	}
	u := union(list)
	if need := needed(list); given&need != need || u == nil {
		return
	}
	side := []Side{{Stage: "pipeline", Decorations: p.Flags.String()}, {Stage: "libraries", Decorations: u.Flags.String()}}
	switch {
	case count[1] == 0:
		if !p.compatible(u) || p.independent() {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_layout_07827, side, "the layout of the pipeline differs from the layout of its libraries; must be compatible with it")
		}
	case count[0] > 0: // another rule checks that
	case !p.compatible(u):
		code := vuid.VkGraphicsPipelineCreateInfo_flags_06730
		if l.d.Flags&enum.PipelineFlagsLinkTimeOptimization != 0 {
			code = vuid.VkGraphicsPipelineCreateInfo_flags_06729
		}
		l.fail(code, side, "the layout of the pipeline is not the union of the layouts of its libraries; must be compatible with it")
	case !p.independent() && l.d.Flags&enum.PipelineFlagsLinkTimeOptimization == 0:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_06730, side, "the layout of the pipeline has no independent sets but the layouts of its libraries have; must have them if the pipeline is not optimized at link time")
	}
}
