package ptxlower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// independentTarget is the first target with independent progress of the threads of a warp: code for it cannot rely on threads
// that execute an instruction together.
const independentTarget = 70

// setSubgroup makes subgroups smaller than a warp if no thread can tell: fewer lanes need fewer registers for a value.
func (u *unit) setSubgroup() {
	if u.prog.SubgroupSize == WarpSize && u.o.Sanitize == 0 && u.o.Symbols == nil && !u.observesWarp() {
		u.prog.SubgroupSize = lower.DefaultSubgroup
	}
}

// observesWarp reports whether the result of a kernel may depend on the threads that form a warp.
func (u *unit) observesWarp() bool {
	if u.prog.Effects.GroupOps {
		return true
	}
	for _, s := range []ir.Semantic{ir.SubgroupLocalInvocationId, ir.SubgroupId, ir.NumSubgroups} {
		if _, ok := u.inputs[ir.Input{Semantic: s, Type: ir.I32}]; ok {
			return true
		}
	}
	// Code for older targets may exchange values through memory without a barrier, because a warp executes one instruction
	// at a time.
	together := !independent(u.module.Target)
	for _, f := range u.reached {
		forInstrs(f.Body, func(in *ptx.Instr) {
			together = together || in.Has(".volatile") || in.Op == "bar" && in.Has(".warp")
		})
	}
	return together
}

// independent reports whether a list of targets has one from independentTarget on.
func independent(targets []string) bool {
	return slices.ContainsFunc(targets, func(t string) bool {
		number, ok := strings.CutPrefix(t, "sm_")
		n, err := strconv.Atoi(strings.TrimRight(number, "af"))
		return ok && err == nil && n >= independentTarget
	})
}
