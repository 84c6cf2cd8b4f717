package vcode

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// String returns the text of the function, one line for each instruction. A register is printed as its class,
// k (Mask), v (Vec), w (Wide) or g (Gen), and its number; a constant as its bits; a sequence as
// first+step·lane. The label of a block that rarely runs has the word far.
func (f *Func) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "func %q parts %d\n", f.Name, f.Parts)
	for i := range f.Blocks {
		far := ""
		if f.Blocks[i].Far {
			far = " far"
		}
		fmt.Fprintf(&w, "b%d:%s\n", i, far)
		for j := range f.Blocks[i].Insts {
			w.WriteString("\t" + f.line(&f.Blocks[i].Insts[j]) + "\n")
		}
	}
	return w.String()
}

func (f *Func) line(in *Inst) string {
	s := ""
	if len(in.Defs) > 0 {
		s = f.names(in.Defs) + " = "
	}
	s += in.Op.String()
	switch in.Op {
	case Lane, Strip, Scalar, StridedLoad, StridedStore, Gather, Scatter, BroadcastLoad, TableLookup, Atomic, AtomicLocal:
		s += fmt.Sprintf(" %s.%s", in.IR, in.Key.Type)
		if in.Key.From != in.Key.Type && in.Key.From != ir.None {
			s += "." + in.Key.From.String()
		}
	case Own:
		s += fmt.Sprintf(" %d #%#x", in.Fused, in.Key.Aux)
	case Call:
		s += fmt.Sprintf(" f%d", in.Target)
	case Guard:
		s += fmt.Sprintf(" f%d %s+%d", in.Target, in.IR, in.Step)
	case Jump, JumpIfNone, JumpIfZero:
		if len(in.Uses) == 2 {
			s += " " + in.IR.String()
		}
		s += fmt.Sprintf(" b%d", in.Target)
	}
	if len(in.Uses) > 0 {
		s += " " + f.names(in.Uses)
	}
	switch in.Op {
	case Slide, Arg, SetResult, LaunchLoad, LaunchStore, SlotLoad, SlotStore, BoundsCheck, StoreBoundsCheck, TwoRunsCheck, StoreTwoRunsCheck, Window:
		s += fmt.Sprintf(" #%d", in.Key.Aux)
	}
	if in.Op == Strip && in.IR == ir.QuadSwap {
		s += [...]string{"", " near", " far"}[in.Key.Aux/NearSide%3]
	}
	if in.BailsOut() && in.Op != Guard {
		s += fmt.Sprintf(" else f%d", in.Target)
	}
	if in.Stride > 0 {
		s += fmt.Sprintf(" %d·%d", in.Step, in.Stride)
		if in.IndexOffset > 0 {
			s += fmt.Sprintf("+%d", in.IndexOffset)
		}
	}
	if in.Quads {
		s += " quads"
	}
	if in.Bytes {
		s += " bytes"
	}
	if in.Limit > 0 {
		s += fmt.Sprintf(" limit %d", in.Limit)
	}
	if in.Distances != nil {
		s += fmt.Sprintf(" distances %d", in.Distances)
	}
	if len(in.Masks) > 0 {
		s += " {" + f.names(in.Masks) + "}"
		if in.Merging {
			s += " merging"
		}
	}
	return s
}

func (f *Func) names(list []Reg) string {
	s := make([]string, len(list))
	for i, r := range list {
		s[i] = fmt.Sprintf("%c%d", ".kvwg"[f.Classes[r]], r)
		if bits, ok := f.Const(r); ok {
			s[i] = fmt.Sprintf("%#x", bits)
		}
		if first, step, ok := f.Sequence(r); ok {
			s[i] = fmt.Sprintf("%#x+%d·lane", first, step)
		}
	}
	return strings.Join(s, ", ")
}
