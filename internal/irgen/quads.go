package irgen

import (
	"math/rand"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Quads makes the program of a seed with quad operations of any quad layout, helper
// lanes and kills, like a fragment shader. QuadsJob makes a job for it.
func Quads(seed int64) *ir.Program {
	r := rand.New(rand.NewSource(seed))
	m := &maker{r: r, quads: true}
	if seed%2 == 0 {
		m.program()
	} else {
		m.side = &side{}
		m.workgroups()
	}
	if rows := m.p.SubgroupSize / 2; r.Intn(4) > 0 {
		m.p.QuadRow = 2
		for m.p.QuadRow < rows && r.Intn(3) > 0 {
			m.p.QuadRow *= 2
		}
	}
	return m.p
}

// QuadsJob makes a job for a program of Quads. memory returns the bytes to compare
// after the job.
func QuadsJob(seed int64) (job *exec.Job, memory func() []byte) {
	if seed%2 == 0 {
		job = Job()
		return job, func() []byte { return Bytes(job) }
	}
	job, all := WorkgroupJob(seed / 2) // if seed%4 is 1, no read-only buffer overlaps another
	return job, func() []byte { return all }
}

// quad makes a quad operation, a helper test, a demote or a kill.
func (m *maker) quad() {
	switch k := m.r.Intn(9); {
	case k < 6:
		t := one(m, ir.I32, ir.I32, ir.F32, ir.F32, ir.I64, ir.B1)
		m.note(m.b.OpAux(ir.QuadSwap, t, uint64(m.r.Intn(4)), m.of(t)))
	case k == 6:
		m.note(m.b.Op(ir.Helper, ir.B1))
	case k == 7 || m.side != nil && !m.side.merged:
		m.b.If(m.bool())
		m.b.Op(ir.Demote, ir.None)
		m.b.End()
	default:
		m.b.If(m.b.Op(ir.And, ir.B1, m.bool(), m.b.Cmp(ir.SLt, m.int(), m.b.I32(1<<28))))
		m.b.Op(ir.Kill, ir.None)
		m.b.End()
	}
}

// condition makes the condition of an if. With quads it is often a reduction: whether
// any or all lanes of a quad, or of a pair, have a bit set.
func (m *maker) condition() ir.V {
	if !m.quads || m.r.Intn(2) == 0 {
		return m.bool()
	}
	b := m.b
	op, v := [...]ir.Op{ir.Or, ir.And}[m.r.Intn(2)], b.Op(ir.ZExt, ir.I32, m.bool())
	for _, across := range [...][]uint64{{1, 2}, {1, 2}, {2, 1}, {1}, {3}, {1, 3}}[m.r.Intn(6)] {
		v = b.Op(op, ir.I32, v, b.OpAux(ir.QuadSwap, ir.I32, across, v))
	}
	return b.Cmp(ir.Eq, v, b.I32(1))
}
