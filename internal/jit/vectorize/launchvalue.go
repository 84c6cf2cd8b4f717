package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Values of a launch
//
// The region of a pointer among the push constants, and the number of elements that it has, are the same for all workgroups of a
// launch. The first subgroup that a worker runs computes them, and the following ones load them from words of the worker (memoization;
// loop-invariant code motion out of the loop over the workgroups, Aho et al. 2006, 9.5):
//
//	g1 = scalar ld push                    b0:  g9 = launchload #0
//	g2 = scalar region g1                       jumpifzero b2 g9
//	g3 = scalar len g2                     b1:  g4 = launchload #1
//	… g2 … g3                          →        … g4 … g5
//	                                       b2:  far
//	                                            g1 = …; g2 = …; g3 = …
//	                                            launchstore g2 #1; launchstore g3 #2; launchstore 1 #0
//	                                            jump b1
//
// Only a search for a region pays for the loads, so that code without one stays as it is. Each block loads what it reads: the values would
// occupy registers from the start to the end.

// launchFlag is the number of the word that tells whether the other ones have their values.
const launchFlag = 0

// maxLaunchWalks bounds the walks over the code that find the values. A walk finds all whose operands precede them in the order of the blocks;
// a value that takes more walks stays where it is.
const maxLaunchWalks = 8

// launchOps are the operations on values of a launch: they have no effect, and depend on their operands and on the job alone. Handles of
// bindings are none, because they are constants of the machine, which an access knows.
var launchOps = map[ir.Op]bool{
	ir.Push: true, ir.Region: true, ir.RegionOff: true, ir.Len: true, ir.Select: true, ir.ZExt: true, ir.SExt: true, ir.Trunc: true,
	ir.Add: true, ir.Sub: true, ir.Mul: true, ir.And: true, ir.Or: true, ir.Xor: true, ir.Not: true, ir.Shl: true, ir.LShr: true, ir.AShr: true,
	ir.UMin: true, ir.UMax: true, ir.SMin: true, ir.SMax: true, ir.Eq: true, ir.ULt: true, ir.ULe: true, ir.SLt: true, ir.SLe: true,
}

// launchValues is the state of keepLaunchValues.
type launchValues struct {
	f        *vcode.Func
	defCount []int32
	of       []bool  // by register: it is a value of a launch
	push     []bool  // by register: it is the handle of the push constants
	word     []int32 // by register: the number of its word, 0 without one
	words    int32   // that are in use
	looped   []bool  // by block: it may be part of a loop
	code     []vcode.Inst
	stores   []vcode.Inst
	entry    []vcode.Inst // loads before the first block, of values that loops read
	loaded   []vcode.Reg  // by register: the copy that entry loads
}

// keepLaunchValues computes the values of a launch once for each worker. f is the entry point.
func keepLaunchValues(f *vcode.Func) {
	if f.Form.LaunchWords == 0 {
		return
	}
	k := &launchValues{f: f}
	if !k.find() {
		return
	}
	k.assign()
	if int(k.words) >= f.Form.LaunchWords {
		return
	}
	k.takeOut()
	k.findLoops()
	for b := range f.Blocks {
		k.load(b)
	}
	k.begin()
}

// find finds the values, and reports whether the region of an address is one.
func (k *launchValues) find() bool {
	n := len(k.f.Classes)
	k.defCount, k.of, k.push, k.word, k.loaded = make([]int32, n), make([]bool, n), make([]bool, n), make([]int32, n), make([]vcode.Reg, n)
	k.f.Each(func(in *vcode.Inst) {
		for _, d := range in.Defs {
			k.defCount[d]++
		}
	})
	searches := false
	for walk, changed := 0, true; changed && walk < maxLaunchWalks; walk++ {
		changed = false
		k.f.Each(func(in *vcode.Inst) {
			if in.Op != vcode.Scalar || len(in.Defs) != 1 || k.of[in.Defs[0]] || !k.same(in) {
				return
			}
			k.of[in.Defs[0]], changed = true, true
			k.push[in.Defs[0]] = in.IR == ir.Push
			searches = searches || in.IR == ir.Region
		})
	}
	return searches
}

// same reports whether an instruction has the same result in each execution of a launch.
func (k *launchValues) same(in *vcode.Inst) bool {
	if k.defCount[in.Defs[0]] != 1 || len(in.Masks) > 0 || in.Checked {
		return false
	}
	if in.IR == ir.Ld {
		if !k.push[in.Uses[0]] || in.Key.Flags&(ir.Volatile|ir.Coherent) != 0 {
			return false
		}
	} else if !launchOps[in.IR] {
		return false
	}
	return !slices.ContainsFunc(in.Uses, func(r vcode.Reg) bool { return !k.of[r] && !k.f.IsConst(r) })
}

// isSource reports whether an instruction computes a value of a launch.
func (k *launchValues) isSource(in *vcode.Inst) bool {
	return in.Op == vcode.Scalar && len(in.Defs) == 1 && k.of[in.Defs[0]]
}

// assign gives a word to each value that other instructions read. A handle of the push constants is a constant of the machine.
func (k *launchValues) assign() {
	k.words = launchFlag + 1
	k.f.Each(func(in *vcode.Inst) {
		if k.isSource(in) {
			return
		}
		for _, r := range in.Uses {
			if k.of[r] && !k.push[r] && k.word[r] == 0 {
				k.word[r] = k.words
				k.words++
			}
		}
	})
}

// takeOut moves the computations out of the blocks. A handle of the push constants has no instruction in the machine, so it stays as well.
func (k *launchValues) takeOut() {
	removeIf(k.f, func(in *vcode.Inst) bool {
		if !k.isSource(in) {
			return false
		}
		k.code = append(k.code, *in)
		d := in.Defs[0]
		if w := k.word[d]; w != 0 {
			k.stores = append(k.stores, vcode.Inst{Op: vcode.LaunchStore, Uses: []vcode.Reg{d}, Key: ir.Key{Aux: uint64(w)}})
		}
		if k.push[d] {
			k.entry = append(k.entry, *in)
		}
		return true
	})
	// Operands come first: a value may have been computed in a block that follows in the order of execution, but not in the order of the blocks.
	ready := make([]bool, len(k.f.Classes))
	ordered := make([]vcode.Inst, 0, len(k.code))
	for rest := k.code; len(rest) > 0; {
		var later []vcode.Inst
		for i := range rest {
			if slices.ContainsFunc(rest[i].Uses, func(r vcode.Reg) bool { return k.of[r] && !ready[r] }) {
				later = append(later, rest[i])
				continue
			}
			ready[rest[i].Defs[0]] = true
			ordered = append(ordered, rest[i])
		}
		rest = later
	}
	k.code = ordered
}

// findLoops finds the blocks between the targets of backward jumps and the jumps, which include all loops.
func (k *launchValues) findLoops() {
	k.looped = make([]bool, len(k.f.Blocks))
	ends := make([]int, len(k.f.Blocks)) // by target: the end of the blocks up to the last jump
	for b := range k.f.Blocks {
		for i := range k.f.Blocks[b].Insts {
			if in := &k.f.Blocks[b].Insts[i]; in.Op.Jumps() && in.Target <= b {
				ends[in.Target] = b + 1
			}
		}
	}
	end := 0
	for b := range k.looped {
		end = max(end, ends[b])
		k.looped[b] = b < end
	}
}

// load makes a block read copies of the values, which it loads before their first use. A loop reads copies of the start.
func (k *launchValues) load(b int) {
	here := map[vcode.Reg]vcode.Reg{}
	list := k.f.Blocks[b].Insts
	var out []vcode.Inst
	for i := range list {
		in := &list[i]
		if slices.ContainsFunc(in.Uses, func(r vcode.Reg) bool { return k.word[r] != 0 }) {
			in.Uses = slices.Clone(in.Uses) // other instructions may share the list
			for j, r := range in.Uses {
				switch {
				case k.word[r] == 0:
				case k.looped[b]:
					if k.loaded[r] == 0 {
						k.loaded[r] = k.f.NewReg(vcode.Gen)
						k.entry = append(k.entry, k.loadOf(r, k.loaded[r]))
					}
					in.Uses[j] = k.loaded[r]
				default:
					if here[r] == 0 {
						here[r] = k.f.NewReg(vcode.Gen)
						out = append(out, k.loadOf(r, here[r]))
					}
					in.Uses[j] = here[r]
				}
			}
		}
		out = append(out, *in)
	}
	k.f.Blocks[b].Insts = out
}

// loadOf returns the load of the value of r.
func (k *launchValues) loadOf(r, to vcode.Reg) vcode.Inst {
	return vcode.Inst{Op: vcode.LaunchLoad, Defs: []vcode.Reg{to}, Key: ir.Key{Aux: uint64(k.word[r])}}
}

// begin adds the blocks that test the flag and that compute the values, before the first block and after the last one.
func (k *launchValues) begin() {
	f := k.f
	const first = 1 // the number of the block that was the first
	f.Each(func(in *vcode.Inst) {
		if in.Op.Jumps() {
			in.Target++
		}
	})
	flag := f.NewReg(vcode.Gen)
	test := []vcode.Inst{
		{Op: vcode.LaunchLoad, Defs: []vcode.Reg{flag}, Key: ir.Key{Aux: launchFlag}},
		{Op: vcode.JumpIfZero, Uses: []vcode.Reg{flag}, Target: len(f.Blocks) + 1},
	}
	f.Blocks[0].Insts = append(k.entry, f.Blocks[0].Insts...)
	code := append(k.code, k.stores...)
	code = append(code,
		vcode.Inst{Op: vcode.LaunchStore, Uses: []vcode.Reg{f.NewConst(vcode.Gen, 1)}, Key: ir.Key{Aux: launchFlag}},
		vcode.Inst{Op: vcode.Jump, Target: first})
	f.Blocks = append(append([]vcode.Block{{Insts: test}}, f.Blocks...), vcode.Block{Insts: code, Far: true})
}
