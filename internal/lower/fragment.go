package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var fragmentRules = rules{
	spirv.OpDemoteToHelperInvocation:    demote,
	spirv.OpIsHelperInvocationEXT:       isHelper,
	spirv.OpBeginInvocationInterlockEXT: interlock,
	spirv.OpEndInvocationInterlockEXT:   interlock,
}

// demote lowers OpDemoteToHelperInvocation.
func demote(f *function, _ spirv.Inst) { f.b.Op(ir.Demote, ir.None) }

// isHelper lowers OpIsHelperInvocationEXT.
func isHelper(f *function, in spirv.Inst) { f.define(in, f.b.Op(ir.Helper, ir.B1)) }

// interlock lowers the ends of a critical section of fragments: nothing. Fragments
// that share a pixel, a sample or an area of shading run on one worker, one workgroup
// after the other in the order of their primitives, and the effects of one worker
// are in order (internal/ir, "Strips and the order of effects").
func interlock(*function, spirv.Inst) {}
