package pass

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// longMaker makes functions that carry numbers of 64 bits through loops and merges.
type longMaker struct {
	r     *rand.Rand
	b     *ir.Builder
	out   ir.V   // a buffer
	index ir.V   // of the invocation
	longs []ir.V // numbers of 64 bits in scope
	words uint64 // that the function has stored
}

// longProgram returns a program for a job of irgen: each of 8 invocations has 11 words of the buffer.
func longProgram(seed int64) *ir.Program {
	m := &longMaker{r: rand.New(rand.NewSource(seed)), b: ir.NewFunc("main", nil, nil)}
	b := m.b
	m.out, m.index = b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.In, ir.I32, 0)
	loaded := b.OpAux(ir.Ld, ir.I64, 0, m.out, b.OpAux(ir.At, ir.I32, 8, b.I32(0), m.index))
	m.longs = []ir.V{loaded, b.Op(ir.ZExt, ir.I64, m.index), b.Op(ir.SExt, ir.I64, b.Op(ir.Sub, ir.I32, m.index, b.I32(4))), b.Const(ir.I64, m.r.Uint64())}
	m.statements(3)
	for range 3 {
		m.show(m.any())
	}
	b.Return()
	p := &ir.Program{
		Name: "longs", SubgroupSize: 4, LocalSize: [3]uint32{8, 1, 1},
		In:    []ir.Input{{Semantic: ir.LocalInvocationIndex, Type: ir.I32}},
		Res:   []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.StorageBuffer, Binding: 1, Count: 2}, {Kind: ir.StorageBuffer, Binding: 2, Count: 1}},
		Funcs: []*ir.Func{b.Finish()},
	}
	p.StateEffects()
	return p
}

func (m *longMaker) any() ir.V { return m.longs[m.r.Intn(len(m.longs))] }

// value returns a number that a new operation makes. Most operations let it be narrow.
func (m *longMaker) value() (v ir.V) {
	b := m.b
	switch m.r.Intn(16) {
	case 0:
		v = b.Const(ir.I64, m.r.Uint64()>>m.r.Intn(64))
	case 1:
		v = b.Op([]ir.Op{ir.LShr, ir.AShr}[m.r.Intn(2)], ir.I64, m.any(), b.Const(ir.I64, uint64(m.r.Intn(64))))
	case 2:
		v = b.Select(m.condition(), m.any(), m.any())
	case 3:
		v = b.Op([]ir.Op{ir.ZExt, ir.SExt}[m.r.Intn(2)], ir.I64, b.Op(ir.Trunc, ir.I32, m.any()))
	case 4, 5, 6:
		v = b.Op(ir.Shl, ir.I64, m.any(), b.Const(ir.I64, uint64(m.r.Intn(36))))
	case 7:
		v = b.Op(ir.Shl, ir.I64, m.any(), m.any())
	default:
		v = b.Op([]ir.Op{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor}[m.r.Intn(6)], ir.I64, m.any(), m.any())
	}
	m.longs = append(m.longs, v)
	return v
}

// condition returns a condition of the low half or, rarely, of all bits of a number.
func (m *longMaker) condition() ir.V {
	if m.r.Intn(20) == 0 {
		return m.b.Cmp(ir.SLt, m.any(), m.any())
	}
	t := []ir.Type{ir.I32, ir.I16, ir.I8}[m.r.Intn(3)]
	return m.b.Cmp(ir.ULt, m.b.Op(ir.Trunc, t, m.any()), m.b.Const(t, uint64(m.r.Intn(200))))
}

// show stores the low half or, rarely, all bits of a number.
func (m *longMaker) show(v ir.V) {
	t, to := ir.I64, m.b.OpAux(ir.At, ir.I32, 44, m.b.I32(0), m.index)
	if m.r.Intn(20) > 0 {
		t, v = ir.I32, m.b.Op(ir.Trunc, ir.I32, v)
	}
	m.b.OpAux(ir.St, t, 4*(m.words%10), m.out, to, v)
	m.words++
}

// statements makes statements. What they make is not in scope after a region.
func (m *longMaker) statements(depth int) {
	for range 1 + m.r.Intn(5) {
		switch k := m.r.Intn(8); {
		case k < 2 && depth > 0:
			m.loop(depth - 1)
		case k < 4 && depth > 0:
			m.merge(depth - 1)
		case k == 4:
			m.show(m.any())
		default:
			m.value()
		}
	}
}

// merge makes a block that gives two numbers.
func (m *longMaker) merge(depth int) {
	n := len(m.longs)
	label := m.b.Block(ir.I64, ir.I64)
	m.leave(label)
	m.statements(depth)
	m.b.Br(label, m.value(), m.any())
	m.b.End()
	m.longs = append(m.longs[:n], m.b.Param(label, 0), m.b.Param(label, 1))
}

// leave makes a branch of some invocations to a label with two numbers.
func (m *longMaker) leave(label ir.V) {
	n := len(m.longs)
	m.b.If(m.condition())
	m.b.Br(label, m.value(), m.any())
	m.b.End()
	m.longs = m.longs[:n]
}

// loop makes a loop of at most 5 rounds that carries two numbers, in a block that gives two.
func (m *longMaker) loop(depth int) {
	b, n := m.b, len(m.longs)
	out := b.Block(ir.I64, ir.I64)
	label := b.Loop(b.I32(0), m.any(), m.any())
	m.longs = append(m.longs, b.Param(label, 1), b.Param(label, 2))
	m.leave(out)
	m.statements(depth)
	round := b.Op(ir.Add, ir.I32, b.Param(label, 0), b.I32(1))
	inside := len(m.longs)
	b.If(b.Cmp(ir.ULt, round, b.I32(uint32(1+m.r.Intn(5)))))
	b.Br(label, round, m.value(), m.any())
	b.End()
	m.longs = m.longs[:inside]
	b.Br(out, m.any(), m.value())
	b.End()
	b.End()
	m.longs = append(m.longs[:n], b.Param(out, 0), b.Param(out, 1))
}

// TestNarrowLoops runs random programs that carry numbers of 64 bits, before and after the pass, and after all passes.
func TestNarrowLoops(t *testing.T) {
	narrowed := 0
	const n = 600
	for seed := range int64(n) {
		p := longProgram(seed)
		if err := p.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		before, want := p.String(), outcome(t, p)
		narrowPass.Run(p)
		if p.String() != before {
			narrowed++
		}
		all := longProgram(seed)
		Run(all)
		for _, x := range []*ir.Program{p, all} {
			x.StateEffects()
			if err := x.Verify(); err != nil {
				t.Fatalf("seed %d: %v\n%s\nyields\n%s", seed, err, before, x)
			}
			if !bytes.Equal(outcome(t, x), want) {
				t.Fatalf("seed %d: other bytes\n%s\nyields\n%s", seed, before, x)
			}
		}
	}
	if narrowed < n/4 {
		t.Errorf("the pass narrows %d of %d programs; must narrow at least %d, or the test shows little", narrowed, n, n/4)
	}
}
