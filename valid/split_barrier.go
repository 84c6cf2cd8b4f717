package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// splitBarrierFamily checks the order of the two halves of a barrier. It reports
// an order that no execution can satisfy (Vulkan, Runtime SPIR-V Validation).
var splitBarrierFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_OpControlBarrierWaitEXT_13559, Section: runtimeSection, Words: "an OpControlBarrierArriveEXT of the same scope is executed before OpControlBarrierWaitEXT"},
		{Code: vuid.RuntimeSpirv_OpControlBarrierWaitEXT_13560, Section: runtimeSection, Words: "an OpControlBarrierArriveEXT is executed between two OpControlBarrierWaitEXT of its scope"},
		{Code: vuid.RuntimeSpirv_OpControlBarrierArriveEXT_13561, Section: runtimeSection, Words: "an OpControlBarrierWaitEXT is executed between two OpControlBarrierArriveEXT of its scope"},
	},
	after: []func(*checker){func(c *checker) {
		s := splitBarriers{&c.callGraph}
		s.check()
	}},
}

// splitBarriers checks the halves of split barriers. It runs after the walk.
type splitBarriers struct{ *callGraph }

// check checks the functions. A function that others call, or that calls
// others, may have the other half elsewhere; it is checked within blocks alone, and
// only as far as nothing is called.
func (c *splitBarriers) check() {
	if !c.vulkan || !c.capable(spirv.CapabilitySplitBarrierEXT) {
		return
	}
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		for k := range f.Blocks {
			c.splitBlock(&f.Blocks[k])
		}
		if len(c.entriesAt(f.ID)) > 0 && len(f.Calls) == 0 {
			c.unarrived(f)
		}
	}
}

// halfOf returns whether an instruction is half a barrier, and its scope; −1 if
// the scope is not known.
func (c *splitBarriers) halfOf(in spirv.Inst) (scope int, half bool) {
	if op := in.Op(); op != spirv.OpControlBarrierArriveEXT && op != spirv.OpControlBarrierWaitEXT {
		return 0, false
	}
	if n, ok := c.whole(spirv.ID(in[1])); ok && n < maxScopes {
		return int(n), true
	}
	return -1, true
}

// splitBlock checks the halves in one block, for each scope separately.
func (c *splitBarriers) splitBlock(b *facts.Block) {
	var last [maxScopes]int // of each scope: the last half, plus 1
	for i := b.Index; i < b.End; i++ {
		in := c.code.Inst(i)
		scope, half := c.halfOf(in)
		if in.Op() == spirv.OpFunctionCall || scope < 0 {
			clear(last[:])
		}
		if !half || scope < 0 {
			continue
		}
		if before := last[scope] - 1; before >= 0 && c.code.Inst(before).Op() == in.Op() {
			if in.Op() == spirv.OpControlBarrierWaitEXT {
				c.fail(i, vuid.RuntimeSpirv_OpControlBarrierWaitEXT_13560, "OpControlBarrierWaitEXT after another without an OpControlBarrierArriveEXT between; must have one between").also(c, before, "the other")
			} else {
				c.fail(i, vuid.RuntimeSpirv_OpControlBarrierArriveEXT_13561, "OpControlBarrierArriveEXT after another without an OpControlBarrierWaitEXT between; must have one between").also(c, before, "the other")
			}
		}
		last[scope] = i + 1
	}
}

// maxScopes is above every scope that Vulkan has.
const maxScopes = 8

// unarrived checks an entry point's function without calls: before each wait, an
// execution may have arrived at the barrier.
func (c *splitBarriers) unarrived(f *facts.Function) {
	into := make([]uint16, len(f.Blocks)) // by block number: the scopes that may have arrived at its start
	out := make([]uint16, len(f.Blocks))
	for n := range f.Blocks {
		out[n] = c.arrivals(&f.Blocks[n], 0, false)
	}
	var todo []*facts.Block
	for n := range f.Blocks {
		todo = append(todo, &f.Blocks[n])
	}
	for len(todo) > 0 { // a block comes back at most once for each scope
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range b.Succs {
			if more := out[b.Number] &^ into[to.Number]; more != 0 {
				into[to.Number] |= more
				out[to.Number] |= more
				todo = append(todo, to)
			}
		}
	}
	for n := range f.Blocks {
		if b := &f.Blocks[n]; b.Reachable {
			c.arrivals(b, into[n], true)
		}
	}
}

// arrivals returns the scopes that have arrived at the end of a block. If judge is
// set, it also checks the block.
func (c *splitBarriers) arrivals(b *facts.Block, have uint16, judge bool) uint16 {
	for i := b.Index; i < b.End; i++ {
		in := c.code.Inst(i)
		scope, half := c.halfOf(in)
		switch arrive := in.Op() == spirv.OpControlBarrierArriveEXT; {
		case !half:
		case arrive && scope < 0:
			have = 1<<maxScopes - 1
		case arrive:
			have |= 1 << scope
		case scope >= 0 && judge && have>>scope&1 == 0:
			c.fail(i, vuid.RuntimeSpirv_OpControlBarrierWaitEXT_13559, "OpControlBarrierWaitEXT without an OpControlBarrierArriveEXT of the scope on any path to it; must have one before it")
		}
	}
	return have
}
