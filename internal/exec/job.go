package exec

import (
	"fmt"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Buffer is what a descriptor of a buffer names: bytes that the program may
// read and, unless the resource is read-only, write. The zero Buffer is the
// null descriptor: it has length 0, reads give 0, writes do nothing.
//
// Bytes must begin at a multiple of 8, or where it is shorter than 16 bytes at
// a multiple of 4. Bytes from 2³²−1 on are out of the program's reach. It may
// lie anywhere; an engine keeps no pointer to it when Run has returned.
type Buffer struct {
	Bytes []byte

	// Beyond is how many of Bytes, at their end, lie behind the descriptor's
	// range: the program reaches them, but they are not in the length that it
	// learns. See Robustness.
	Beyond int
}

// Range returns how many bytes the descriptor names.
func (b Buffer) Range() int { return len(b.Bytes) - b.Beyond }

// Region is an allocation that the program may reach by its address.
type Region struct {
	Address uint64 // device address of the first byte; unlike the Go address it may be anything
	Bytes   []byte // aligned as a Buffer's
}

// Job is one dispatch of a compute program.
type Job struct {
	// Groups is the number of groups; a dimension of 0 runs nothing. Base is
	// added to WorkgroupId (vkCmdDispatchBase). No sum may exceed 2³².
	Groups, Base [3]uint32

	// Resources[r][i] is descriptor i of the program's resource r. What is
	// missing is the null descriptor.
	Resources [][]Buffer

	// Regions are sorted by address and do not overlap.
	Regions []Region

	// Push is the push constants; its length is what "len" of them gives.
	Push []byte

	// Workers is how many groups may run at once. 0 is GOMAXPROCS. Programs
	// whose effects are ordered, and jobs with a hook, run on one worker and
	// their groups in order.
	Workers int

	// Spans are the ends of runs of groups, ascending, the last of them Total: one
	// worker runs all groups of a run, in order. So groups whose effects depend on
	// each other give the same results with any number of workers where they are in
	// one run. Without Spans each group is a run of its own.
	Spans []uint64

	// Budget is how many steps one subgroup may take, where a step is the
	// start of an iteration but a loop's first, or a call. 0 is DefaultBudget.
	// An engine may count by strips and notice a little late.
	Budget uint64

	// Log takes what invocations say; nil for nobody who listens.
	Log *Log

	// Hook observes the run; nil for none. An engine that cannot observe says
	// so by an *UnsupportedError.
	Hook Hook
}

// DefaultBudget is a job's budget where it names none.
const DefaultBudget = 1 << 24

// Steps returns the job's budget.
func (j *Job) Steps() uint64 {
	if j.Budget == 0 {
		return DefaultBudget
	}
	return j.Budget
}

// WorkerCount returns how many workers an engine shall use for p: at least 1.
func (j *Job) WorkerCount(p *ir.Program) int {
	n := j.Workers
	switch {
	case p.Effects.Ordered, j.Hook != nil:
		return 1
	case n <= 0:
		n = runtime.GOMAXPROCS(0)
	}
	runs := j.Total()
	if len(j.Spans) > 0 {
		runs = uint64(len(j.Spans))
	}
	return int(min(uint64(n), max(runs, 1)))
}

// Total returns the number of groups. Check makes sure that it fits.
func (j *Job) Total() uint64 {
	return uint64(j.Groups[0]) * uint64(j.Groups[1]) * uint64(j.Groups[2])
}

// Group returns the WorkgroupId of the n-th group, Base included.
func (j *Job) Group(n uint64) [3]uint32 {
	x, y := uint64(j.Groups[0]), uint64(j.Groups[1])
	return [3]uint32{
		j.Base[0] + uint32(n%x),
		j.Base[1] + uint32(n/x%y),
		j.Base[2] + uint32(n/x/y),
	}
}

// Check returns a *JobError where the job does not fit p. Engines call it
// first in Run.
func (j *Job) Check(p *ir.Program) error {
	hi, lo := bits.Mul64(uint64(j.Groups[0])*uint64(j.Groups[1]), uint64(j.Groups[2]))
	if hi != 0 || lo > 1<<62 {
		return fault("%d workgroups; must be at most 2⁶²", j.Groups)
	}
	if err := j.checkSpans(); err != nil {
		return err
	}
	for i, n := range j.Groups {
		if n > 0 && uint64(j.Base[i])+uint64(n) > 1<<32 {
			return fault("workgroups %d from %d on; no number may exceed 2³²−1", n, j.Base[i])
		}
	}
	if len(j.Resources) > len(p.Res) {
		return fault("%d resources; the program has %d", len(j.Resources), len(p.Res))
	}
	for r, list := range j.Resources {
		for i, b := range list {
			if b.Beyond < 0 || b.Beyond > len(b.Bytes) {
				return fault("descriptor %d of set %d, binding %d has %d bytes behind its range, of %d", i, p.Res[r].Set, p.Res[r].Binding, b.Beyond, len(b.Bytes))
			}
			if !aligned(b.Bytes) {
				return fault("descriptor %d of set %d, binding %d begins at no multiple of 8", i, p.Res[r].Set, p.Res[r].Binding)
			}
		}
	}
	end := uint64(0)
	for i, r := range j.Regions {
		if i > 0 && r.Address < end || r.Address+uint64(len(r.Bytes)) < r.Address || !aligned(r.Bytes) {
			return fault("region %d is out of order, overlaps, wraps or is not aligned", i)
		}
		end = r.Address + uint64(len(r.Bytes))
	}
	return nil
}

// checkSpans returns a *JobError where Spans are not what they must be.
func (j *Job) checkSpans() error {
	before := uint64(0)
	for i, end := range j.Spans {
		if end < before {
			return fault("span %d ends at group %d, before the one before it", i, end)
		}
		before = end
	}
	if len(j.Spans) > 0 && before != j.Total() {
		return fault("spans of %d workgroups; there are %d", before, j.Total())
	}
	return nil
}

func fault(format string, args ...any) error { return &JobError{What: fmt.Sprintf(format, args...)} }

// aligned reports whether b begins as a Buffer must.
func aligned(b []byte) bool {
	align := uintptr(8)
	if len(b) < 16 {
		align = 4
	}
	return len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%align == 0
}
