package lower

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Constant promotion: compilers store a constant array to a variable in order to index
// it. If a variable is only read, and every load is dominated by a store of the same
// constant, the array becomes a read-only table of the program, and no invocation
// copies it.

// site is the position of an instruction in a function.
type site struct {
	block *facts.Block
	index int
}

// dominates reports whether every path to t passes s.
func (s site) dominates(t site) bool {
	if s.block == t.block {
		return s.index < t.index
	}
	return facts.Dominates(s.block, t.block)
}

// constantVariable is a candidate for promotion.
type constantVariable struct {
	id            spirv.ID
	held          *facts.Const // the stored constant; nil before the first store
	stores, loads []site
	other         bool // has another store or use
}

// constantTables finds the variables of the function that are constant tables.
func (f *function) constantTables() map[spirv.ID]*facts.Const {
	c := f.candidates()
	if len(c) == 0 {
		return nil
	}
	for i := range f.fn.Blocks {
		b := &f.fn.Blocks[i]
		if b.Reachable && b.Term >= 0 {
			for k := b.Index + 1; k <= b.Term; k++ {
				f.noteUse(c, site{b, k})
			}
		}
	}
	found := map[spirv.ID]*facts.Const{}
	for id, v := range c {
		if id == v.id && v.constant() {
			found[id] = v.held
		}
	}
	return found
}

// candidates returns the array variables of the function.
func (f *function) candidates() map[spirv.ID]*constantVariable {
	c := map[spirv.ID]*constantVariable{}
	entry := f.fn.Entry()
	for k := entry.Index + 1; k < entry.Term; k++ {
		in := f.facts.Code.Inst(k)
		if in.Op() != spirv.OpVariable {
			continue
		}
		v := f.facts.Variable(in.Result())
		if v == nil || !v.Type.IsArray() || v.Type.Leaves > maxLeaves || f.hasNonZeroNull(v.Type) {
			continue
		}
		x := &constantVariable{id: v.ID}
		if v.Init != 0 {
			x.store(f.facts.Const(v.Init), site{entry, k})
		}
		c[v.ID] = x
	}
	return c
}

// noteUse records the uses of candidates in one instruction, and adds the access chains
// into them to c.
func (f *function) noteUse(c map[spirv.ID]*constantVariable, at site) {
	in := f.facts.Code.Inst(at.index)
	switch op := in.Op(); op {
	case spirv.OpVariable:
	case spirv.OpLoad:
		if v := c[inst.Load(in).Pointer()]; v != nil {
			v.loads = append(v.loads, at)
		}
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		if v := c[inst.AccessChain(in).Base()]; v != nil {
			c[in.Result()] = v
		}
	case spirv.OpStore:
		s := inst.Store(in)
		if v := c[s.Pointer()]; v != nil {
			v.store(f.facts.Const(s.Object()), at)
			v.other = v.other || s.Pointer() != v.id
		}
		if v := c[s.Object()]; v != nil {
			v.other = true
		}
	default:
		for o := f.facts.Code.Walk(at.index); o.Next(); {
			if o.Kind == spirv.KindIdRef {
				if v := c[spirv.ID(o.Words[0])]; v != nil {
					v.other = true
				}
			}
		}
	}
}

// store records a store; c is nil if the stored value is no constant.
func (v *constantVariable) store(c *facts.Const, at site) {
	if c == nil || v.held != nil && v.held != c {
		v.other = true
	}
	v.held = c
	v.stores = append(v.stores, at)
}

// constant reports whether every load reads the constant.
func (v *constantVariable) constant() bool {
	if v.other || v.held == nil || !v.held.Known || v.held.Null || v.held.Undef {
		return false
	}
	for _, l := range v.loads {
		stored := false
		for _, s := range v.stores {
			stored = stored || s.dominates(l)
		}
		if !stored {
			return false
		}
	}
	return true
}

// table returns a pointer to a constant's table.
func (f *function) table(c *facts.Const) *pointer {
	n, ok := f.tabled[c]
	if !ok {
		f.flat(c.Type) // checks its size and its depth
		n = uint64(len(f.prog.Tables))
		f.tabled[c] = n
		f.prog.Tables = append(f.prog.Tables, f.tableBytes(make([]byte, 0, f.extent(c.Type).size), c, c.Type))
	}
	return &pointer{
		typ: c.Type, class: spirv.StorageClassFunction, natural: true, checked: true,
		handle: f.b.OpAux(ir.Table, ir.H, n),
		extent: uint64(len(f.prog.Tables[n])),
	}
}

// tableBytes appends a constant as extents lay it out. The caller has checked that the
// constant is complete.
func (f *function) tableBytes(out []byte, c *facts.Const, t *facts.Type) []byte {
	if t.IsScalar() || t.IsPointer() {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bitsOf(c))
		return append(out, word[:f.extent(t).size]...)
	}
	first := len(out)
	for i := range t.Parts() {
		part := t.Part(i)
		at := roundUp(uint64(len(out)-first), f.extent(part).align)
		out = f.tableBytes(append(out, make([]byte, first+int(at)-len(out))...), partOf(c, i), part)
	}
	size := roundUp(uint64(len(out)-first), f.extent(t).align)
	return append(out, make([]byte, first+int(size)-len(out))...)
}

// bitsOf returns the bits of a scalar constant; 0 if it is null.
func bitsOf(c *facts.Const) uint64 {
	if c == nil {
		return 0
	}
	return c.Bits
}

// partOf returns a part of a constant, nil if the part is null.
func partOf(c *facts.Const, i uint64) *facts.Const {
	switch {
	case c == nil || len(c.Elems) == 0:
		return nil
	case c.Replicate:
		return c.Elems[0]
	case i < uint64(len(c.Elems)):
		return c.Elems[i]
	}
	return nil
}
