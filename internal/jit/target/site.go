package target

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Site is an exit to a service of Go: an instruction with the locations of its registers during the
// exit. It has no reference to the IR, so that it can be serialized with the code.
type Site struct {
	Func              string // the function's name
	Op                vcode.Op
	Part              uint8
	Merging           bool
	IR                ir.Op
	Key               ir.Key
	Value             ir.V
	Origin            int32
	Defs, Uses, Masks []Location
}

// Location is a register of a site: its offset in the frame, or its constant value.
type Location struct {
	Class vcode.Class
	Const bool
	Slot  int32
	Bits  uint64 // of a constant: the value in every lane; of a sequence: in the first lane
	Step  uint32 // of a sequence, a constant too: the increment per lane, modulo 2³²; else 0
}

// CallsServices reports whether the code exits for operations without machine code.
func (c *Code) CallsServices() bool {
	return slices.ContainsFunc(c.Sites, func(s Site) bool { return s.Op != vcode.Step })
}

// SiteOf describes an instruction of a function. slots are the offsets of its registers in the frame.
func SiteOf(f *vcode.Func, slots []int32, in *vcode.Inst) Site {
	all := make([]Location, 0, len(in.Defs)+len(in.Uses)+len(in.Masks))
	locations := func(list []vcode.Reg) []Location {
		from := len(all)
		for _, r := range list {
			p := Location{Class: f.Classes[r], Slot: slots[r]}
			p.Bits, p.Const = f.Const(r)
			if first, step, ok := f.Sequence(r); ok {
				p.Bits, p.Step, p.Const = uint64(first), step, true
			}
			all = append(all, p)
		}
		return all[from:len(all):len(all)]
	}
	return Site{
		Func: f.Name, Op: in.Op, Part: in.Part, Merging: in.Merging, IR: in.IR, Key: in.Key, Value: in.Value, Origin: in.Origin,
		Defs: locations(in.Defs), Uses: locations(in.Uses), Masks: locations(in.Masks),
	}
}
