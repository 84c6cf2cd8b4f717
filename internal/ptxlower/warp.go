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

// Subgroups larger than a warp: their threads, and the most instructions of a kernel that gets them.
const (
	wideSubgroup    = 64
	maxWideSubgroup = 256
)

// setSubgroup gives subgroups another size than a warp's if no thread can tell: fewer lanes need fewer registers for a value, and a
// short kernel without loops waits less for memory and divisions if more lanes do so together.
func (u *unit) setSubgroup() {
	if u.prog.SubgroupSize != WarpSize || u.o.Sanitize != 0 || u.o.Symbols != nil || u.observesWarp() {
		return
	}
	u.prog.SubgroupSize = lower.DefaultSubgroup
	if u.isShort() && u.prog.Invocations()%wideSubgroup == 0 {
		u.prog.SubgroupSize = wideSubgroup
	}
}

// isShort reports whether a kernel is one short function without loops, atomics, and memory that its threads share or index.
func (u *unit) isShort() bool {
	if len(u.list) != 1 || u.sharedEnd > 0 || u.localBytes > 0 || u.prog.Effects.Barrier {
		return false
	}
	n := 0
	forInstrs(u.entry.Body, func(*ptx.Instr) { n++ })
	return n <= maxWideSubgroup && !slices.ContainsFunc(u.prog.Funcs[0].Code, func(v ir.V) bool {
		x := u.prog.Funcs[0].Val(v)
		return x.Op == ir.Loop || x.Op == ir.Call || x.Op.Family() == ir.Atomics
	})
}

// observesWarp reports whether the result of a kernel may depend on the threads that form a warp.
func (u *unit) observesWarp() bool {
	if u.prog.Effects.GroupOps || u.yields {
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
