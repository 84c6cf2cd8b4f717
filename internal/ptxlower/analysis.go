package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// written returns the operands that an instruction writes, and those that it reads.
func written(in *ptx.Instr) (writes, reads []*ptx.Operand) {
	switch in.Op {
	case "st", "stmatrix", "applypriority", "setmaxnreg", "red", "bar", "barrier", "membar", "fence", "bra", "brx", "ret", "exit", "prefetch", "prefetchu", "trap", "brkpt", "nanosleep", "discard", "cp", "sust", "sured", "pmevent", "stackrestore", "call":
		if in.Op == "barrier" || in.Op == "bar" {
			if in.Has(".red") && len(in.Operands) > 0 {
				return in.Operands[:1], in.Operands[1:]
			}
		}
		if in.Op == "call" && len(in.Operands) > 1 && in.Operands[0].Kind == ptx.List {
			return in.Operands[:1], in.Operands[1:]
		}
		return nil, in.Operands
	case "multimem", "clusterlaunchcontrol":
		if !in.Has(".ld_reduce") && !in.Has(".query_cancel") {
			return nil, in.Operands
		}
	case "wgmma":
		n := min(len(in.Operands), 1)
		return in.Operands[:n], in.Operands // D has its old value, too
	case "wmma":
		if in.Has(".store") {
			return nil, in.Operands
		}
	case "mbarrier":
		if in.Has(".init") || in.Has(".inval") || !in.Has(".arrive") && !in.Has(".arrive_drop") && (in.Has(".expect_tx") || in.Has(".complete_tx")) {
			return nil, in.Operands
		}
	}
	n := min(len(in.Operands), 1)
	return in.Operands[:n], in.Operands[n:]
}

// countDefinitions counts the instructions that write each register, and finds all registers that instructions name.
func (f *function) countDefinitions() {
	for i := range f.items {
		it := &f.items[i]
		f.register(it.at, it.in.Guard)
		forSymbols(it.in.Operands, func(o *ptx.Operand) { f.register(it.at, o.Name+o.Part) })
		writes, _ := written(it.in)
		forSymbols(writes, func(o *ptx.Operand) {
			if r := f.register(it.at, o.Name+o.Part); r != nil {
				r.defs++
				r.def = it
			}
		})
	}
	for _, v := range f.f.Params {
		if v.Space == ".reg" {
			for _, name := range parts(v) {
				f.register(f.top, name).defs += 2 // the caller writes it
			}
		}
	}
}

// knownAddress returns the frame variable and the offset that a register always holds the address of; nil if it may hold another value.
func (f *function) knownAddress(r *register) (*symbol, int64) {
	if r == nil || r.defs != 1 || r.state == 1 {
		return nil, 0
	}
	if r.state == 0 {
		r.state = 1
		r.known, r.plus = f.addressOf(r.def)
		r.state = 2
	}
	return r.known, r.plus
}

// addressOf returns the frame variable and the offset if an instruction computes their address.
func (f *function) addressOf(it *item) (*symbol, int64) {
	in := it.in
	if len(in.Operands) < 2 || in.Operands[0].Kind != ptx.Symbol {
		return nil, 0
	}
	switch {
	case in.Op == "mov", in.Op == "cvta" && (in.Has(".local") || in.Has(".param")):
		return f.baseOf(it, in.Operands[1])
	case in.Op == "add" && len(in.Operands) == 3 && in.Operands[2].Kind == ptx.Immediate:
		n, ok := in.Operands[2].Expr.Int()
		if s, plus := f.baseOf(it, in.Operands[1]); s != nil && ok {
			return s, plus + int64(n)
		}
	}
	return nil, 0
}

// baseOf returns the frame variable and the offset that an operand names, or that its register holds.
func (f *function) baseOf(it *item, o *ptx.Operand) (*symbol, int64) {
	if o.Kind != ptx.Symbol || o.Part != "" || o.Neg || o.Not {
		return nil, 0
	}
	plus := int64(0)
	if o.Expr != nil {
		n, ok := o.Expr.Int()
		if !ok {
			return nil, 0
		}
		plus = int64(n)
	}
	if r := f.register(it.at, o.Name); r != nil {
		s, n := f.knownAddress(r)
		return s, n + plus
	}
	if s := f.symbol(it.at, o.Name); s != nil && s.space == inFrame {
		return s, plus
	}
	return nil, 0
}

// findEscapes marks the frame variables with an address in use other than for a load or a store.
func (f *function) findEscapes() {
	for i := range f.items {
		it := &f.items[i]
		if s, _ := f.addressOf(it); s != nil {
			if r := f.register(it.at, it.in.Operands[0].Name); r != nil && r.defs == 1 {
				continue
			}
		}
		_, reads := written(it.in)
		access := it.in.Op == "ld" || it.in.Op == "st" || it.in.Op == "ldu"
		for _, o := range it.in.Operands {
			if access && o.Kind == ptx.Address && len(o.Elems) > 0 {
				f.checkAccess(it, o.Elems[0])
			}
		}
		if it.in.Op == "call" {
			reads = nil // the lists have the variables themselves
		}
		f.escape(it, reads, access)
	}
}

// escape marks the frame variables in operands, but for the address of an access.
func (f *function) escape(it *item, list []*ptx.Operand, access bool) {
	for _, o := range list {
		if o.Kind == ptx.Address && access {
			continue
		}
		if s, _ := f.baseOf(it, o); s != nil {
			s.escapes = true
		}
		f.escape(it, o.Elems, false)
	}
}

// checkAccess marks the variable of an access that is neither of aligned slots nor of the whole variable: bytes have their places in
// local memory.
func (f *function) checkAccess(it *item, o *ptx.Operand) {
	s, plus := f.baseOf(it, o)
	if s == nil {
		return
	}
	size := int64(ptx.TypeSize(lastType(it.in)))
	if size < 4 && (s.decl.Size() != int(size) || plus != 0) || plus%4 != 0 || plus < 0 {
		s.escapes = true
	}
}

// lastType returns the last type of an instruction, ".b32" if it has none.
func lastType(in *ptx.Instr) string {
	for i := len(in.Mods) - 1; i >= 0; i-- {
		if ptx.TypeSize(in.Mods[i]) > 0 {
			return in.Mods[i]
		}
	}
	return ".b32"
}

// findOrigins finds the space that each register of 64 bits points to, by the instructions that write it, wherever they are: a fixed
// point from "not known" on. A register changes at most twice, and then only its readers are looked at again.
func (f *function) findOrigins() {
	for _, r := range f.registers {
		if r.origin = inNone; r.common != "" {
			r.origin = inGeneric
		}
	}
	readers := map[*register][]*item{}
	todo := make([]*item, len(f.items))
	for i := range f.items {
		it := &f.items[i]
		todo[i] = it
		_, reads := written(it.in)
		forSymbols(reads, func(o *ptx.Operand) {
			if r := f.register(it.at, o.Name+o.Part); r != nil && r.size == 8 {
				readers[r] = append(readers[r], it)
			}
		})
	}
	for len(todo) > 0 {
		it := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		origin := f.originOf(it)
		writes, _ := written(it.in)
		forSymbols(writes, func(o *ptx.Operand) {
			r := f.register(it.at, o.Name+o.Part)
			if r == nil || r.size != 8 {
				return
			}
			if s := either(r.origin, origin); s != r.origin {
				r.origin = s
				todo = append(todo, readers[r]...)
			}
		})
	}
}

// loadsFrame reports whether a load is of a variable of the function, such as the result of a call.
func (f *function) loadsFrame(it *item) bool {
	for _, o := range it.in.Operands {
		if o.Kind == ptx.Address && len(o.Elems) > 0 {
			s, _ := f.baseOf(it, o.Elems[0])
			return s != nil
		}
	}
	return false
}

// either returns the space of a value that has one of two spaces.
func either(x, y space) space {
	switch {
	case x == y, y == inNone:
		return x
	case x == inNone:
		return y
	}
	return inGeneric
}

// sum returns the space of a result of two operands. An integer is an offset.
func sum(x, y space) space {
	switch {
	case y == inInteger && x != inNone:
		return x
	case x == inInteger && y != inNone:
		return y
	}
	return either(x, y)
}

// originOf returns the space that the result of an instruction points to.
func (f *function) originOf(it *item) space {
	in := it.in
	switch in.Op {
	case "ld":
		if f.number == 0 && in.Has(".param") && !f.loadsFrame(it) {
			return inGlobal // the host knows no other addresses
		}
		return inGeneric
	case "cvta":
		if in.Has(".to") {
			return inGeneric
		}
		if s := spaceOf(in); s != inParam || f.number == 0 {
			return s
		}
		return inLocal
	case "call", "atom", "shfl":
		return inGeneric
	case "cvt", "mul", "shl", "shr", "popc", "clz", "bfe", "ext":
		return inInteger
	}
	s := inNone
	_, reads := written(in)
	forSymbols(reads, func(o *ptx.Operand) {
		if r := f.register(it.at, o.Name+o.Part); r != nil {
			if r.size == 8 {
				s = sum(s, r.origin)
			} else {
				s = sum(s, inInteger)
			}
		} else if strings.HasPrefix(o.Name, "%") {
			s = sum(s, inInteger)
		} else {
			s = inGeneric // a mov of an address has a space of its own
		}
	})
	return s
}

// spaceOf returns the space that the modifiers of an instruction name.
func spaceOf(in *ptx.Instr) space {
	for _, m := range in.Mods {
		switch m {
		case ".global", ".const":
			return inGlobal
		case ".shared", ".shared::cta", ".shared::cluster":
			return inShared
		case ".local":
			return inLocal
		case ".param", ".param::entry", ".param::func":
			return inParam
		}
	}
	return inGeneric
}

// typeRegisters makes a variable of each register: of a float type if more of its operands are floats than integers, so that most
// operands need no conversion.
func (f *function) typeRegisters() {
	for i := range f.items {
		it := &f.items[i]
		dst, src := operandTypes(it.in)
		writes, reads := written(it.in)
		f.vote(it, writes, dst)
		f.vote(it, reads, src)
	}
	for _, r := range f.registers {
		r.typ = bitsType(r.size)
		switch {
		case r.size == 0:
			r.typ = ir.B1
		case r.floats > 0:
			r.typ = floatType(r.size)
		}
		if r.common != "" {
			if r.typ = bitsType(r.size); r.size == 0 {
				r.typ = ir.B1
			}
			r.number = f.commonVariable(r.common, r.typ.Slots())
			continue
		}
		f.prog.Vars = append(f.prog.Vars, ir.Var{Name: r.decl.Name, Slots: uint32(r.typ.Slots()), Func: f.number})
		r.number = uint64(len(f.prog.Vars) - 1)
	}
}

// commonVariable returns the variable of a register of the module, or of its shadow: the same one in all functions.
func (u *unit) commonVariable(name string, slots uint32) uint64 {
	n, ok := u.common[name]
	if !ok {
		n = u.variable(name, slots)
		u.common[name] = n
	}
	return n
}

// operandTypes returns the types of the results and of the other operands.
func operandTypes(in *ptx.Instr) (dst, src string) {
	for _, m := range in.Mods {
		if ptx.TypeSize(m) == 0 {
			continue
		}
		if dst == "" {
			dst, src = m, m
		} else {
			src = m
		}
	}
	return dst, src
}

// vote counts an operand as a float or as an integer.
func (f *function) vote(it *item, list []*ptx.Operand, t string) {
	if t == "" {
		return
	}
	for _, o := range list {
		if o.Kind == ptx.Address {
			continue
		}
		forSymbols([]*ptx.Operand{o}, func(o *ptx.Operand) {
			r := f.register(it.at, o.Name+o.Part)
			if r == nil || r.size != ptx.TypeSize(t) {
				return
			}
			switch t {
			case ".f16", ".f32", ".f64":
				r.floats++
			case ".u16", ".u32", ".u64", ".s16", ".s32", ".s64", ".bf16", ".f16x2", ".bf16x2":
				r.floats--
			}
		})
	}
}

// bitsType returns the integer type of so many bytes.
func bitsType(size int) ir.Type {
	switch size {
	case 1:
		return ir.I8
	case 2:
		return ir.I16
	case 4:
		return ir.I32
	}
	return ir.I64
}

// floatType returns the float type of so many bytes.
func floatType(size int) ir.Type {
	switch size {
	case 2:
		return ir.F16
	case 4:
		return ir.F32
	}
	return ir.F64
}
