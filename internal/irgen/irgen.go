// Package irgen makes random programs for comparing passes and engines. A program
// is legal, terminates, and writes results of every lane to memory. The package
// knows the rules of the IR, but no pass and no engine.
package irgen

import (
	"math/rand"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// maker makes one program. Its programs are rich in the patterns that passes
// optimize: variables, repeated expressions, counted loops, small functions.
type maker struct {
	r      *rand.Rand
	p      *ir.Program
	b      *ir.Builder
	fn     int
	depth  int
	budget int // operations still to be made

	quads                      bool   // with quad operations, demote and kill
	indirect                   bool   // with accesses to variables through arbitrary addresses
	pointers                   bool   // with addresses of variables as arguments
	ints, bools, floats, longs []ir.V // values that dominate the current position
	labels                     []target
	used                       map[ir.V]bool // labels with a branch to them
	side                       *side         // of Workgroup's programs, else nil
}

// target is an open label that a branch may go to.
type target struct {
	label ir.V
	types []ir.Type
	loop  bool
}

// Program makes the program of a seed. It has three functions, and each calls only
// later ones. Job makes a job for it.
func Program(seed int64) *ir.Program {
	m := &maker{r: rand.New(rand.NewSource(seed)), indirect: seed%4 == 0, pointers: seed%4 == 1}
	m.program()
	return m.p
}

func (m *maker) program() {
	m.p = &ir.Program{
		Name: "random", SubgroupSize: 4 << m.r.Intn(6), LocalSize: [3]uint32{uint32(1 + m.r.Intn(40)), uint32(1 + m.r.Intn(3)), 1},
		In: []ir.Input{{Semantic: ir.GlobalInvocationIdX, Type: ir.I32}, {Semantic: ir.LocalInvocationIndex, Type: ir.I32}, {Semantic: ir.WorkgroupIdY, Type: ir.I32}},
		Res: []ir.Resource{
			{Kind: ir.StorageBuffer, Count: 1, Restrict: m.r.Intn(2) == 0},
			{Kind: ir.StorageBuffer, Binding: 1, Count: 2},
			{Kind: ir.StorageBuffer, Binding: 2, Count: 1, NonWritable: true},
		},
		Vars: []ir.Var{
			{Name: "a", Slots: 4, Func: -1}, {Name: "b", Slots: 9, Func: -1}, {Name: "c", Slots: 3, Func: 0},
			{Name: "d", Slots: 3, Func: 1}, {Name: "e", Slots: 1, Func: 1}, {Name: "f", Slots: 3, Func: 2}, {Name: "g", Slots: 1, Func: 2},
		},
		PushBytes:   8,
		SharedBytes: 256,
	}
	for m.fn = range 3 {
		m.function()
	}
	m.p.StateEffects()
}

func (m *maker) function() {
	var args, results []ir.Type
	if m.fn > 0 {
		args, results = []ir.Type{ir.I32, ir.B1, ir.I32, ir.I32}, []ir.Type{ir.I32, ir.F32}
	}
	m.b = ir.NewFunc("f", args, results)
	m.ints, m.bools = []ir.V{m.b.I32(0), m.b.I32(7)}, []ir.V{m.b.Bool(true)}
	m.floats, m.longs = []ir.V{m.b.Const(ir.F32, 0x3fc00000)}, []ir.V{m.b.Const(ir.I64, 5)}
	m.labels = []target{{m.b.Func.Body(), results, false}}
	m.depth, m.budget, m.used = 0, 70/(1+m.fn), map[ir.V]bool{}
	if m.fn > 0 {
		m.ints, m.bools = append(m.ints, m.b.Func.Args[0]), append(m.bools, m.b.Func.Args[1])
		if m.r.Intn(2) == 0 {
			m.b.OpAux(ir.PClr, ir.None, uint64(2*m.fn+1))
		}
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

// pick chooses a value, with a preference for recent ones.
func pick(r *rand.Rand, list []ir.V) ir.V {
	if r.Intn(2) == 0 && len(list) > 4 {
		list = list[len(list)-4:]
	}
	return list[r.Intn(len(list))]
}

func (m *maker) int() ir.V   { return pick(m.r, m.ints) }
func (m *maker) bool() ir.V  { return pick(m.r, m.bools) }
func (m *maker) float() ir.V { return pick(m.r, m.floats) }

// of chooses a value of a type.
func (m *maker) of(t ir.Type) ir.V {
	switch t {
	case ir.B1:
		return m.bool()
	case ir.F32:
		return m.float()
	case ir.I64:
		return pick(m.r, m.longs)
	}
	return m.int()
}

// note makes a new value available.
func (m *maker) note(v ir.V) {
	switch m.b.Func.Type(v) {
	case ir.B1:
		m.bools = append(m.bools, v)
	case ir.F32:
		m.floats = append(m.floats, v)
	case ir.I64:
		m.longs = append(m.longs, v)
	default:
		m.ints = append(m.ints, v)
	}
}

// show stores a value at an address that differs for most invocations.
func (m *maker) show() {
	h := m.b.OpAux(ir.Res, ir.H, uint64(m.r.Intn(2)), m.b.I32(uint32(m.r.Intn(2))))
	off := m.b.OpAux(ir.At, ir.I32, uint64(1+m.r.Intn(6)), m.int(), m.ints[len(m.ints)-1-m.r.Intn(2)])
	m.b.OpAux(ir.St, ir.I32, uint64(m.r.Intn(8)), h, off, m.int())
}

// body makes statements up to the end of the region. It reports whether the last one
// leaves it.
func (m *maker) body() bool {
	ints, bools, floats, longs := len(m.ints), len(m.bools), len(m.floats), len(m.longs)
	outer := m.depth > 0
	defer func() {
		if outer {
			m.ints, m.bools, m.floats, m.longs = m.ints[:ints], m.bools[:bools], m.floats[:floats], m.longs[:longs]
		}
	}()
	for n := 2 + m.r.Intn(8); n > 0 && m.budget > 0; n-- {
		m.budget--
		if m.statement() {
			return true
		}
	}
	return false
}

func (m *maker) statement() bool {
	k := m.r.Intn(26)
	if m.depth > 5 && k >= 15 {
		k = m.r.Intn(15)
	}
	switch {
	case k < 5:
		m.operation()
	case k < 10:
		m.private()
	case k < 13:
		m.memory()
	case m.quads && (k == 13 || k == 12 || k == 11):
		m.quad()
	case k == 13 && m.side != nil && m.side.merged:
		m.operation()
	case k == 13:
		m.meeting()
	case k == 14:
		m.ternary()
	case k < 18:
		return m.conditional()
	case k < 20:
		return m.block()
	case k < 22:
		m.loop()
	case k == 22:
		m.counted()
	case k == 23 && m.fn < 2 && m.side == nil:
		m.call()
	case k == 24 && m.depth > 0:
		return m.leave()
	default:
		m.show()
	}
	return false
}

// Job makes a job for a program of Program. Its buffers have random bytes, the same
// in every call.
func Job() *exec.Job {
	var all [][]byte
	for i, n := range []int{400, 96, 200, 64} {
		b := make([]byte, n)
		rand.New(rand.NewSource(int64(i))).Read(b)
		all = append(all, b)
	}
	return &exec.Job{
		Groups: [3]uint32{2, 2, 1}, Base: [3]uint32{1, 0, 3}, Workers: 1, Push: []byte{1, 2, 3, 4, 5, 6, 7, 8},
		Resources: [][]exec.Buffer{{{Bytes: all[0]}}, {{Bytes: all[1]}, {Bytes: all[2]}}, {{Bytes: all[3]}}},
	}
}

// Bytes returns the contents of a job's buffers, concatenated.
func Bytes(j *exec.Job) []byte {
	var all []byte
	for _, list := range j.Resources {
		for _, b := range list {
			all = append(all, b.Bytes...)
		}
	}
	return all
}
