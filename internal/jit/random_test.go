package jit_test

import (
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// maker makes random programs: legal ones, that end, and that show in memory
// what every lane did.
type maker struct {
	r     *rand.Rand
	p     *ir.Program
	b     *ir.Builder
	fn    int
	depth int
	room  int // operations still to be made

	ints, bools, floats []ir.V // values that dominate the place where we are
	labels              []scope
	used                map[ir.V]bool // labels that were branched to
}

// scope is an open label that a branch may go to.
type scope struct {
	label ir.V
	types []ir.Type
	loop  bool
}

// randomProgram makes a program of three functions; each calls only later ones.
func randomProgram(seed int64) *ir.Program {
	m := &maker{r: rand.New(rand.NewSource(seed))}
	m.p = &ir.Program{
		Name: "random", SubgroupSize: 4 << m.r.Intn(6), LocalSize: [3]uint32{uint32(1 + m.r.Intn(40)), uint32(1 + m.r.Intn(3)), 1},
		In:          []ir.Input{{Semantic: ir.GlobalInvocationIdX, Type: ir.I32}, {Semantic: ir.LocalInvocationIndex, Type: ir.I32}, {Semantic: ir.WorkgroupIdY, Type: ir.I32}},
		Res:         []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.StorageBuffer, Binding: 1, Count: 2}},
		Vars:        []ir.Var{{Name: "a", Slots: 5, Func: -1}, {Name: "b", Slots: 9, Func: -1}},
		SharedBytes: 256,
	}
	for m.fn = range 3 {
		var args, results []ir.Type
		if m.fn > 0 {
			args, results = []ir.Type{ir.I32, ir.B1}, []ir.Type{ir.I32, ir.F32}
		}
		m.b = ir.NewFunc("f", args, results)
		m.ints, m.bools = []ir.V{m.b.I32(0), m.b.I32(7)}, []ir.V{m.b.Bool(true)}
		m.floats = []ir.V{m.b.Const(ir.F32, 0x3fc00000)}
		m.labels = []scope{{m.b.Func.Body(), results, false}}
		m.depth, m.room, m.used = 0, 60, map[ir.V]bool{}
		if m.fn > 0 {
			m.ints, m.bools = append(m.ints, m.b.Func.Args[0]), append(m.bools, m.b.Func.Args[1])
		}
		m.ints = append(m.ints, m.b.OpAux(ir.In, ir.I32, 0), m.b.OpAux(ir.In, ir.I32, 1), m.b.OpAux(ir.In, ir.I32, 2))
		if !m.body() {
			m.show()
			if m.fn > 0 {
				m.br(0)
			}
		}
		m.p.Funcs = append(m.p.Funcs, m.b.Finish())
	}
	m.p.StateEffects()
	return m.p
}

func pick(r *rand.Rand, list []ir.V) ir.V { return list[r.Intn(len(list))] }

func (m *maker) int() ir.V   { return pick(m.r, m.ints) }
func (m *maker) bool() ir.V  { return pick(m.r, m.bools) }
func (m *maker) float() ir.V { return pick(m.r, m.floats) }

func (m *maker) of(t ir.Type) ir.V {
	switch t {
	case ir.B1:
		return m.bool()
	case ir.F32:
		return m.float()
	}
	return m.int()
}

// show stores a value where only this invocation and some others look.
func (m *maker) show() {
	h := m.b.OpAux(ir.Res, ir.H, uint64(m.r.Intn(2)), m.b.I32(uint32(m.r.Intn(2))))
	off := m.b.OpAux(ir.At, ir.I32, uint64(1+m.r.Intn(6)), m.int(), m.ints[len(m.ints)-1-m.r.Intn(2)])
	m.b.OpAux(ir.St, ir.I32, uint64(m.r.Intn(8)), h, off, m.int())
}

// body makes statements up to the end of the region. It reports whether it
// ended by leaving.
func (m *maker) body() bool {
	ints, bools, floats := len(m.ints), len(m.bools), len(m.floats)
	defer func() { m.ints, m.bools, m.floats = m.ints[:ints], m.bools[:bools], m.floats[:floats] }()
	for n := 2 + m.r.Intn(6); n > 0 && m.room > 0; n-- {
		m.room--
		if m.statement() {
			return true
		}
	}
	if m.depth == 0 { // keep what the end of the function shows
		ints, bools, floats = len(m.ints), len(m.bools), len(m.floats)
	}
	return false
}

func (m *maker) statement() bool {
	k := m.r.Intn(20)
	if m.depth > 5 && k >= 10 {
		k = m.r.Intn(10)
	}
	switch {
	case k < 6:
		m.operation()
	case k < 8:
		m.memory()
	case k < 10:
		m.meeting()
	case k < 13:
		return m.conditional()
	case k < 15:
		return m.block()
	case k < 17:
		m.loop()
	case k == 17 && m.fn < 2:
		m.call()
	case k == 18 && m.depth > 0:
		return m.leave()
	default:
		m.show()
	}
	return false
}

func (m *maker) operation() {
	intOps := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Xor, ir.And, ir.Or, ir.Shl, ir.LShr, ir.UDiv, ir.SMod, ir.UMin, ir.SMax}
	switch m.r.Intn(7) {
	case 0:
		m.bools = append(m.bools, m.b.Cmp([]ir.Op{ir.ULt, ir.SLe, ir.Eq}[m.r.Intn(3)], m.int(), m.int()))
	case 1:
		m.bools = append(m.bools, m.b.Op([]ir.Op{ir.And, ir.Or, ir.Xor}[m.r.Intn(3)], ir.B1, m.bool(), m.bool()))
	case 2:
		m.floats = append(m.floats, m.b.Op([]ir.Op{ir.FAdd, ir.FMul, ir.FMin}[m.r.Intn(3)], ir.F32, m.float(), m.float()))
	case 3:
		m.ints = append(m.ints, m.b.Op(ir.Bitcast, ir.I32, m.b.Op(ir.FCanon, ir.F32, m.float())))
	case 4:
		m.ints = append(m.ints, m.b.Select(m.bool(), m.int(), m.int()))
	default:
		m.ints = append(m.ints, m.b.Op(intOps[m.r.Intn(len(intOps))], ir.I32, m.int(), m.int()))
	}
}

func (m *maker) memory() {
	slot := m.b.Op(ir.UMod, ir.I32, m.int(), m.b.I32(11))
	v := uint64(m.r.Intn(2))
	shared := m.b.Op(ir.Wg, ir.H)
	off := m.b.Op(ir.And, ir.I32, m.int(), m.b.I32(0x1fc))
	switch m.r.Intn(7) {
	case 0:
		m.ints = append(m.ints, m.b.OpAux(ir.PLd, ir.I32, v, slot))
	case 1:
		m.b.OpAux(ir.PSt, ir.I32, v, slot, m.int())
	case 2:
		m.b.Op(ir.PStI, ir.I32, slot, m.int())
	case 3:
		m.ints = append(m.ints, m.b.OpAux(ir.Ld, ir.I32, 0, shared, off))
	case 4:
		m.b.OpAux(ir.St, ir.I32, 0, shared, off, m.int())
	case 5:
		m.ints = append(m.ints, m.b.OpAux(ir.AtomAdd, ir.I32, 0, shared, off, m.int()))
	case 6:
		h := m.b.Select(m.bool(), shared, m.b.OpAux(ir.Res, ir.H, 1, slot))
		m.ints = append(m.ints, m.b.OpAux(ir.Ld, ir.I32, 4, h, off))
	}
}

func (m *maker) meeting() {
	switch m.r.Intn(6) {
	case 0:
		m.b.Op(ir.Barrier, ir.None)
	case 1:
		m.ints = append(m.ints, m.b.OpAux(ir.Ballot, ir.I32, 0, m.bool()))
	case 2:
		m.ints = append(m.ints, m.b.OpAux(ir.Reduce, ir.I32, uint64(ir.Add), m.int()))
	case 3:
		m.ints = append(m.ints, m.b.OpAux(ir.ScanX, ir.I32, uint64(ir.UMax), m.int()))
	case 4:
		m.bools = append(m.bools, m.b.Op(ir.Any, ir.B1, m.bool()), m.b.Op(ir.Elect, ir.B1))
	case 5:
		m.ints = append(m.ints, m.b.Op(ir.Shuf, ir.I32, m.int(), m.b.Op(ir.And, ir.I32, m.int(), m.b.I32(m.p.SubgroupSize-1))))
	}
}

func (m *maker) conditional() bool {
	m.b.If(m.bool())
	m.depth++
	left := m.body()
	if m.r.Intn(2) == 0 {
		m.b.Else()
		left = m.body() && left
	} else {
		left = false
	}
	m.depth--
	m.b.End()
	return left
}

// block has parameters or none; one with parameters is left by branches alone.
func (m *maker) block() bool {
	var types []ir.Type
	for range m.r.Intn(3) {
		types = append(types, []ir.Type{ir.I32, ir.B1, ir.F32}[m.r.Intn(3)])
	}
	label := m.b.Block(types...)
	m.labels = append(m.labels, scope{label, types, false})
	m.depth++
	left := m.body()
	if !left && len(types) > 0 {
		m.br(len(m.labels) - 1)
	}
	m.depth--
	m.labels = m.labels[:len(m.labels)-1]
	m.b.End()
	if left && !m.used[label] {
		return true // nobody arrives
	}
	m.params(label, types)
	return false
}

// loop runs a lane at most a few times: the first parameter counts.
func (m *maker) loop() {
	types := []ir.Type{ir.I32, ir.I32, ir.I32}
	out := m.b.Block(ir.I32)
	m.labels = append(m.labels, scope{out, types[:1], false})
	label := m.b.Loop(m.b.I32(0), m.int(), m.int())
	count := m.b.Param(label, 0)
	m.ints = append(m.ints, m.b.Param(label, 1), m.b.Param(label, 2))
	m.depth += 2
	m.b.If(m.b.Cmp(ir.ULe, m.b.I32(uint32(1+m.r.Intn(6))), count))
	m.b.Br(out, m.int())
	m.b.End()
	m.labels = append(m.labels, scope{label, types, true})
	if !m.body() {
		if m.r.Intn(3) == 0 { // the parameters change places
			m.b.Br(label, m.b.Op(ir.Add, ir.I32, count, m.b.I32(1)), m.b.Param(label, 2), m.b.Param(label, 1))
		} else {
			m.b.Br(label, m.b.Op(ir.Add, ir.I32, count, m.b.I32(1)), m.int(), m.int())
		}
	}
	m.depth -= 2
	m.labels = m.labels[:len(m.labels)-2]
	m.b.End()
	m.ints = m.ints[:len(m.ints)-2]
	m.b.End()
	m.params(out, types[:1])
}

func (m *maker) params(label ir.V, types []ir.Type) {
	for i, t := range types {
		v := m.b.Param(label, i)
		switch t {
		case ir.B1:
			m.bools = append(m.bools, v)
		case ir.F32:
			m.floats = append(m.floats, v)
		default:
			m.ints = append(m.ints, v)
		}
	}
}

func (m *maker) call() {
	v := m.b.Call(m.fn+1+m.r.Intn(2-m.fn), []ir.Type{ir.I32, ir.F32}, m.int(), m.bool())
	m.ints, m.floats = append(m.ints, v[0]), append(m.floats, v[1])
}

// leave makes a branch, a switch or, now and then, a kill.
func (m *maker) leave() bool {
	switch m.r.Intn(4) {
	case 0:
		var plain []ir.V
		for _, s := range m.labels {
			if len(s.types) == 0 {
				plain = append(plain, s.label)
			}
		}
		if len(plain) == 0 {
			return false
		}
		to := [3]ir.V{pick(m.r, plain), pick(m.r, plain), pick(m.r, plain)}
		for _, l := range to {
			m.used[l] = true
		}
		m.b.Switch(m.b.Op(ir.And, ir.I32, m.int(), m.b.I32(3)), to[0], []ir.Case{{Value: 0, Label: to[1]}, {Value: 2, Label: to[2]}})
	case 1:
		if m.r.Intn(4) > 0 {
			return false
		}
		m.b.Op(ir.Kill, ir.None)
	default:
		m.br(m.r.Intn(len(m.labels)))
	}
	return true
}

// br branches to an open label; to a loop only with its count raised.
func (m *maker) br(n int) {
	s := m.labels[n]
	var args []ir.V
	for i, t := range s.types {
		if s.loop && i == 0 {
			args = append(args, m.b.Op(ir.Add, ir.I32, m.b.Param(s.label, 0), m.b.I32(1)))
			continue
		}
		args = append(args, m.of(t))
	}
	m.used[s.label] = true
	m.b.Br(s.label, args...)
}

// TestRandom compares the engines on random programs. Whatever has failed once
// stays here by its seed.
func TestRandom(t *testing.T) {
	needMachine(t)
	n := int64(300)
	if testing.Short() {
		n = 50
	}
	ran := 0
	for seed := range n {
		p := randomProgram(seed)
		if err := p.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		job := exec.Job{Groups: [3]uint32{2, 2, 1}, Base: [3]uint32{1, 0, 3}, Workers: 1, Resources: [][]exec.Buffer{
			buffer(make([]uint32, 100)), {{Bytes: make([]byte, 96)}, {Bytes: make([]byte, 200)}},
		}}
		text := p.String()
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v", seed, want.err)
		}
		ran++
		if same(t, want, run(jit.Engine{}, text, 0, job)); t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	t.Logf("%d programs", ran)
}
