package codegen

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Facts determine the code of a program. They are from all its instructions.
type Facts struct {
	BailTargets []int     // functions that guards bail out to; rarely run
	Demotes     bool      // lanes may become helpers
	HasBarriers bool      // the program has barriers
	UsesShared  bool      // code accesses workgroup memory, which is 0 at first
	Steps       [256]bool // of each part: its subgroup counts steps
}

// Note adds an instruction.
func (x *Facts) Note(in *vcode.Inst) {
	if in.BailsOut() && in.Op != vcode.Guard && !slices.Contains(x.BailTargets, in.Target) {
		x.BailTargets = append(x.BailTargets, in.Target)
	}
	x.Demotes = x.Demotes || in.IR == ir.Demote
	x.HasBarriers = x.HasBarriers || in.Op == vcode.Barrier
	x.UsesShared = x.UsesShared || in.IR == ir.Wg
	if in.Op == vcode.Step && !in.Proven {
		x.Steps[in.Part] = true
		if len(in.Uses) > 0 { // of all subgroups, in a work-item loop
			for part := 0; part < int(in.Key.Aux); part += len(in.Masks) {
				x.Steps[part] = true
			}
		}
	}
}

// UsesMask reports whether the code of an IR operation reads the active lanes although the
// instruction does not merge. Other instructions compute inactive lanes too, with values that no
// lane observes, and need no mask: a back end then removes it, which shortens the mask's live range.
func UsesMask(op ir.Op) bool {
	switch op.Family() {
	case ir.Memory:
		return true
	case ir.PrivateMemory:
		return op != ir.PAddr
	}
	return op == ir.Len || op == ir.Region || op == ir.RegionOff || op == ir.Demote || op.Is(ir.Meets) && op != ir.ResetBudget
}

// ReadsMaskArgs reports whether a function, or one that it bails out to with the same arguments, reads
// the masks of active lanes that are its arguments.
func ReadsMaskArgs(funcs []*vcode.Func, i int) bool {
	asks := false
	funcs[i].Each(func(in *vcode.Inst) {
		asks = asks || in.Op == vcode.Arg || in.BailsOut() && ReadsMaskArgs(funcs, in.Target)
	})
	return asks
}

// VarBases returns the first slots of the variables of a program: ir.Program.VarBase of each.
func VarBases(p *ir.Program) []uint32 {
	list := make([]uint32, len(p.Vars))
	base := uint32(0)
	for i, v := range p.Vars {
		list[i] = base
		base += v.Slots
	}
	return list
}

// NamesOf returns the names of functions.
func NamesOf(funcs []*vcode.Func) (list []string) {
	for _, f := range funcs {
		list = append(list, f.Name)
	}
	return list
}

// Depth returns the stack size in bytes of the deepest chain of calls of funcs[0], whose i-th function has a
// frame of frame(i) bytes. There is no recursion, and functions are in any order: a depth-first walk of the
// call graph computes callees first. The IR forbids recursion, as SPIR-V does, so that the stack of a
// subgroup has a fixed size, and no function checks for overflow.
func Depth(funcs []*vcode.Func, frame func(i int) int64) int64 {
	callees := make([][]int, len(funcs))
	for i, f := range funcs {
		f.Each(func(in *vcode.Inst) {
			if n := len(callees[i]); (in.Op == vcode.Call || in.BailsOut()) && (n == 0 || callees[i][n-1] != in.Target) {
				callees[i] = append(callees[i], in.Target)
			}
		})
	}
	deepest := make([]int64, len(funcs)) // 0: not known yet
	next := make([]int, len(funcs))      // the next callee to visit
	for stack := []int{0}; len(stack) > 0; {
		i := stack[len(stack)-1]
		if next[i] < len(callees[i]) {
			c := callees[i][next[i]]
			next[i]++
			if deepest[c] == 0 && next[c] == 0 {
				stack = append(stack, c)
			}
			continue
		}
		below := int64(0)
		for _, c := range callees[i] {
			below = max(below, deepest[c])
		}
		deepest[i] = frame(i) + below
		stack = stack[:len(stack)-1]
	}
	return deepest[0]
}
