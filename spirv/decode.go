package spirv

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/diag"
)

// Options are the choices of DecodeWith.
type Options struct {
	// AllowUnknown accepts instructions with an opcode, an enumerant or an extended
	// instruction that the grammar does not have. Their words are not checked, they
	// define nothing, and Module.Known is false for them.
	AllowUnknown bool

	// AnyBound accepts ids at and above the bound of the header, so that a listing can show them. Such a module is
	// invalid, and tables that are indexed by id up to Module.Bound do not hold all its ids.
	AnyBound bool

	// Shared lets the module refer to data, which then must not be changed as long as the module is in use.
	// Data in the other byte order or without the alignment of words is copied all the same.
	Shared bool
}

// Decode reads a module from bytes of either byte order. It refuses every
// stream that is not well-formed with a *diag.Finding: one without a sound
// header, an instruction that does not fit, an unknown opcode or enumerant,
// operands that are missing or left over, a string without end, an id that is
// 0, not below the bound or defined twice, and a literal whose type is not
// declared before it. The module shares no memory with data.
func Decode(data []byte) (*Module, error) { return DecodeWith(data, Options{}) }

// DecodeWith is Decode with options.
func DecodeWith(data []byte, o Options) (*Module, error) {
	if len(data)%4 != 0 {
		return nil, diag.New("SPV-Stream-Size", diag.Pos{Word: len(data) / 4}, "the stream has %d bytes; must be a multiple of 4", len(data))
	}
	own := data
	if !o.Shared || !isWords(data) {
		own = clone(data)
	}
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(own))), len(own)/4)
	reversed := len(words) > 0 && words[0] != Magic
	if reversed && hostOrder(data, words) == nil {
		return nil, diag.New("SPV-Header-Magic", diag.Pos{}, "the first word is %#08x; must be %#08x in one byte order or the other", binary.LittleEndian.Uint32(data), Magic)
	}
	m, err := FromWordsWith(words, o)
	if m != nil {
		m.Reversed = reversed
	}
	return m, err
}

// clonePiece is the number of bytes of one copy of clone. A goroutine cannot be stopped within a copy.
const clonePiece = 1 << 20

// clone returns a copy of data. Large data is copied in pieces, so that its copy delays no other goroutine.
func clone(data []byte) []byte {
	if len(data) <= clonePiece {
		own := make([]byte, len(data)) // bytes to bytes, which need not be cleared first
		copy(own, data)
		return own
	}
	own := make([]byte, 0, len(data))
	for piece := range slices.Chunk(data, clonePiece) {
		own = append(own, piece...)
	}
	return own
}

// isWords reports whether data begins with the magic number as a word in host order, at an address of words.
func isWords(data []byte) bool {
	p := unsafe.Pointer(unsafe.SliceData(data))
	return len(data) >= 4 && uintptr(p)%unsafe.Alignof(uint32(0)) == 0 && *(*uint32)(p) == Magic
}

// hostOrder reverses the bytes of the words if that makes the magic number, and
// returns nil otherwise.
func hostOrder(data []byte, words []uint32) []uint32 {
	if bits.ReverseBytes32(words[0]) != Magic {
		return nil
	}
	for i, w := range words {
		words[i] = bits.ReverseBytes32(w)
	}
	return words
}

// FromWords is Decode for words in host order. The module refers to words, which
// must not be changed afterwards.
func FromWords(words []uint32) (*Module, error) { return FromWordsWith(words, Options{}) }

// FromWordsWith is FromWords with options.
func FromWordsWith(words []uint32, o Options) (*Module, error) {
	m := modules.Get().(*Module)
	m.Words = words
	if f := m.header(); f != nil {
		return nil, f
	}
	m.lim = m.Bound - 1
	if o.AnyBound {
		m.lim = math.MaxUint32
	}
	if f := m.index(); f != nil {
		return nil, f
	}
	d := decoder{m: m, lim: m.lim, allow: o.AllowUnknown}
	d.walk.m, d.walk.lim = m, d.lim
	if f := d.run(); f != nil {
		return nil, f
	}
	return m, nil
}

// header reads the five words before the first instruction (SPIR-V §2.3).
func (m *Module) header() *diag.Finding {
	w := m.Words
	switch {
	case len(w) == 0:
		return diag.New("SPV-Header-Size", diag.Pos{}, "the stream is empty; must begin with a header of %d words", HeaderWords)
	case w[0] != Magic:
		return diag.New("SPV-Header-Magic", diag.Pos{}, "the first word is %#08x; must be %#08x", w[0], Magic)
	case len(w) < HeaderWords:
		return diag.New("SPV-Header-Size", diag.Pos{Word: len(w)}, "the header has %d words; must have %d", len(w), HeaderWords)
	case w[1] < uint32(Version10) || w[1] > uint32(Version16) || w[1]&0xff != 0:
		return diag.New("SPV-Header-Version", diag.Pos{Word: 1}, "the version word is %#08x; must be a version from 1.0 to 1.6", w[1])
	case w[3] == 0:
		return diag.New("SPV-Header-Bound", diag.Pos{Word: 3}, "the bound of ids is 0; must be above all ids, 1 at least")
	}
	m.Version, m.Generator, m.Bound, m.Schema = Version(w[1]), w[2], w[3], w[4]
	return nil
}

// index finds the start of each instruction and allocates the results.
func (m *Module) index() *diag.Finding {
	w, n := m.Words, 0
	for i := HeaderWords; i < len(w); n++ {
		c := int(w[i] >> 16)
		if c == 0 || c > len(w)-i {
			return m.badCount(n, i, c)
		}
		i += c
	}
	dense := 0
	if isDense(m.Bound, len(w)) {
		dense = int(m.Bound)
	}
	if uint32(dense) <= m.lim {
		m.defs.sparse = map[uint32]uint32{}
	}
	if size := n + 1 + dense; size > cap(m.block) {
		m.block = make([]uint32, size)
	} else {
		m.block = m.block[:size]
		clear(m.block[n+1:])
	}
	m.starts = m.block[: n+1 : n+1]
	for i, k := HeaderWords, 0; k <= n; k++ {
		m.starts[k] = uint32(i)
		if k < n {
			i += int(w[i] >> 16)
		}
	}
	m.defs.dense = m.block[n+1:]
	return nil
}

func (m *Module) badCount(n, at, count int) *diag.Finding {
	pos := diag.Pos{Instruction: n + 1, Word: at}
	op := Op(m.Words[at])
	if count == 0 {
		return diag.New("SPV-Instruction-WordCount", pos, "%v has a word count of 0; must be 1 at least", op)
	}
	return diag.New("SPV-Instruction-WordCount", pos, "%v has a word count of %d; only %d words are left", op, count, len(m.Words)-at)
}

// decoder checks the instructions of a module in order.
type decoder struct {
	m     *Module
	lim   uint32
	allow bool
	walk  Walk
}

func (d *decoder) run() *diag.Finding {
	start := d.m.starts[0]
	for i, end := range d.m.starts[1:] {
		in := Inst(d.m.Words[start:end:end])
		start = end
		s := in.Op().shape()
		if s == nil || !d.sound(in, s) {
			f := d.explain(i, in, s)
			if f != nil {
				return f
			}
			continue
		}
		if s.flags&hasResult == 0 {
			continue
		}
		if in.Op() == OpExtInstImport {
			if f := d.imported(i, in); f != nil {
				return f
			}
		}
		id := in[1+s.flags&hasType]
		if old := d.m.defs.set(id, uint32(i)+1); old != 0 {
			return d.redefined(i, in, int(old)-1)
		}
	}
	return nil
}

func (d *decoder) redefined(i int, in Inst, first int) *diag.Finding {
	f := diag.New("SPV-Id-Redefined", diag.Pos{Instruction: i + 1, Word: d.m.Offset(i)}, "%v defines id %d again; an id must have one definition", in.Op(), in.Result())
	f.Related = []diag.Related{{
		Pos:     diag.Pos{Instruction: first + 1, Word: d.m.Offset(first)},
		Message: fmt.Sprintf("%v defines it", d.m.Inst(first).Op()),
	}}
	return f
}

// imported notes the extended set that an OpExtInstImport names. A set of
// unknown name has instructions of unknown shape, unless it is non-semantic:
// then they all have ids for operands.
func (d *decoder) imported(i int, in Inst) *diag.Finding {
	set := importedSet(in[2:])
	if set == ExtSetNone {
		return diag.New("SPV-ExtInst-Import", diag.Pos{Instruction: i + 1, Word: d.m.Offset(i) + 2}, "OpExtInstImport of %q, a set of no known name; must be a known set or begin with NonSemantic.", String(in[2:]))
	}
	d.m.sets.add(ID(in[1]), set)
	return nil
}

// sound reports whether the operands of an instruction are well-formed. If they are
// not, explain finds the fault.
func (d *decoder) sound(in Inst, s *shape) bool {
	n := len(in)
	if n < int(s.min) || n > int(s.max) && s.max != unbounded {
		return false
	}
	w := 1
	for ids := s.ids; ids != 0; ids >>= 1 {
		if ids&1 != 0 && in[w]-1 >= d.lim {
			return false
		}
		w++
	}
	rest := in[1+int(s.fixed):]
	if len(rest) == 0 {
		return true
	}
	switch s.tail {
	case tailIDs:
		for _, v := range rest {
			if v-1 >= d.lim {
				return false
			}
		}
		return true
	case tailWords:
		return true
	case tailNone:
		return false
	}
	if d.plain(in, 1+int(s.fixed), in.Op().Row().Operands()[s.next:]) {
		return true
	}
	k := &d.walk
	k.in, k.pos, k.fault = in, 1+int(s.fixed), faultNone
	k.params, k.mask, k.half, k.Set = nil, 0, KindNone, ExtSetNone
	k.shape = in.Op().Row().Operands()[s.next:]
	for k.Next() {
	}
	return k.fault == faultNone
}

// plain is the fast path: it returns true if the operands from a word on are
// certainly well-formed. If it returns false, a walk decides.
func (d *decoder) plain(in Inst, at int, shape []Operand) bool {
	for len(shape) > 0 {
		o := &shape[0]
		if at >= len(in) {
			if o.Quant == Once {
				return false
			}
			shape = shape[1:]
			continue
		}
		if o.Quant != Repeated {
			shape = shape[1:]
		}
		v := in[at]
		switch kinds[o.Kind].category {
		case CategoryValue:
			r := o.Kind.Enumerant(v)
			if r == nil {
				return false
			}
			at++
			if r.nOperands > 0 {
				if at = d.parameters(in, at, r.Operands()); at == 0 {
					return false
				}
			}
			continue
		case CategoryMask:
			if v&^kinds[o.Kind].bits != 0 || v&kinds[o.Kind].args != 0 {
				return false
			}
			at++
			continue
		case CategoryLiteral:
			if o.Kind == KindLiteralExtInstInteger {
				r := d.m.ExtSet(ID(in[3])).Inst(v)
				if r == nil {
					return false
				}
				shape = r.Operands()
				at++
				continue
			}
		}
		if at = d.one(in, at, o.Kind); at == 0 {
			return false
		}
	}
	return at == len(in)
}

// parameters returns the end of the parameters of an enumerant, 0 if a walk
// must decide.
func (d *decoder) parameters(in Inst, at int, shape []Operand) int {
	for i := range shape {
		if shape[i].Quant != Once || at >= len(in) {
			return 0
		}
		if at = d.one(in, at, shape[i].Kind); at == 0 {
			return 0
		}
	}
	return at
}

// one returns the end of an operand that is an id or a literal, 0 if a walk must
// decide.
func (d *decoder) one(in Inst, at int, k Kind) int {
	switch kinds[k].category {
	case CategoryID:
		if in[at]-1 < d.lim {
			return at + 1
		}
	case CategoryLiteral:
		switch k {
		case KindLiteralInteger, KindLiteralFloat:
			return at + 1
		case KindLiteralString:
			if n := StringWords(in[at:]); n > 0 {
				return at + n
			}
		case KindLiteralContextDependentNumber:
			if in.Op() != OpConstant && in.Op() != OpSpecConstant {
				return 0
			}
			if n, ok := d.m.Number(ID(in[1])); ok && n.Words() <= len(in)-at {
				return at + n.Words()
			}
		}
	}
	return 0
}
