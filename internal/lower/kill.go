package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// kill lowers OpKill: the invocation ends, or it is demoted to a helper invocation
// (Options.KillDemotes).
func (f *function) kill(b *facts.Block) {
	if f.options.KillDemotes && f.prog.Stage == ir.Fragment && f.killDemotes(b) {
		return
	}
	f.b.Emit(ir.Val{Op: ir.Kill})
}

// killDemotes lowers an OpKill as drivers do it that implement OpKill by demotion: as
// OpDemoteToHelperInvocation, and then a branch to the merge block of the innermost
// construct; the phis of that block have null values. In a void function outside of all
// constructs the invocation returns. Elsewhere killDemotes returns false: unless the
// construct's header branches to its merge block directly, the merge block may use
// values that are not defined on the new path.
func (f *function) killDemotes(b *facts.Block) bool {
	c := b.Construct
	if c == nil {
		if !f.fn.Return.IsVoid() {
			return false
		}
		f.b.Op(ir.Demote, ir.None)
		f.lowerReturn(nil)
		return true
	}
	direct := c.Header != nil && c.Merge != nil && slices.Contains(c.Header.Succs, c.Merge) && facts.Dominates(c.Header, b)
	if !direct || c.Kind == facts.ContinuePart || facts.Dominates(c.Merge, b) {
		return false
	}
	f.b.Op(ir.Demote, ir.None)
	var nulls []ir.V
	f.phis(c.Merge, func(in spirv.Inst) { nulls = append(nulls, f.zeros(f.facts.Type(in.Type()))...) })
	f.branch(b, c.Merge, nulls)
	return true
}
