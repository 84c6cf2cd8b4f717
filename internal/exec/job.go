package exec

import (
	"fmt"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Buffer is the memory of a buffer descriptor: bytes that the program may read and, unless the resource is
// read-only, write. The zero Buffer is the null descriptor: length 0, loads return 0, stores are discarded.
//
// Bytes must be 8-byte aligned, or 4-byte aligned if shorter than 16 bytes. A program cannot address bytes
// from offset 2³²−1 on. The memory may be allocated in any way; no engine retains a pointer to it after Run.
type Buffer struct {
	Bytes []byte

	// Beyond is the number of bytes at the end of Bytes that are outside the descriptor's range.
	// The program can access them, but its array-length queries do not count them. See Robustness.
	Beyond int

	// Owned permits a store to the buffer to write the whole row of its vector of lanes: words of lanes that do not store are
	// written back as they were just before. It holds if no other thread accesses these words while the job runs. It saves
	// stores under a mask, which are slow and delay later loads of the row.
	Owned bool
}

// Range returns the size in bytes of the descriptor's range.
func (b Buffer) Range() int { return len(b.Bytes) - b.Beyond }

// Region is an allocation that the program may access by device address (PhysicalStorageBuffer).
type Region struct {
	Address uint64 // device address of the first byte; independent of the Go address
	Bytes   []byte // aligned as Buffer.Bytes
}

// Job is one dispatch of a compute program.
type Job struct {
	// Groups is the number of groups in x, y, z; if one of them is 0, nothing runs. Base is added to
	// WorkgroupId (vkCmdDispatchBase). No sum of the two may exceed 2³².
	Groups, Base [3]uint32

	// Resources[r][i] is descriptor i of the program's resource r. Missing entries are null descriptors.
	Resources [][]Buffer

	// Lists[r], if it is there and not nil, is a list that begins with the descriptors of resource r. An engine keeps its form
	// of the list for all jobs that have it.
	Lists []*List

	// Regions must be sorted by Address and must not overlap.
	Regions []Region

	// Rays serves the rays of a program that traces rays; such a program cannot run without it.
	Rays RayService

	// Push is the push constant block, in bytes.
	Push []byte

	// Workers is the maximum number of groups in flight at once; 0 means GOMAXPROCS. A program with
	// ordered effects and a job with a hook always use one worker, which runs the groups in order.
	Workers int

	// SpanEnds divides the groups into spans: ascending end indices, the last equal to GroupCount.
	// One worker runs all groups of a span, in order. Groups with dependent effects therefore produce
	// the same results with any number of workers if they are in the same span. For example {4, 9}
	// is the spans 0–3 and 4–8. Without SpanEnds each group is its own span.
	SpanEnds []uint64

	// Budget is the maximum number of steps of one subgroup. A step is a call, or the start of a loop
	// iteration other than the first. 0 means DefaultBudget. No subgroup within its budget ends the run. An
	// engine may notice the limit late, after as many times the steps as a strip has subgroups, and then name another invocation. If
	// several subgroups of a workgroup exceed the limit before the same barrier, it may name any of them.
	Budget uint64

	// Log receives the messages of invocations; nil discards them.
	Log *Log

	// Prompt completes the effects of a batch before the Run of its worker returns, so that they can be seen between batches. Without
	// it, some are complete only after the Release of the worker.
	Prompt bool

	// Hook observes the run; nil for none. Prepare returns an *UnsupportedError if the engine cannot
	// be observed.
	Hook Hook

	// Schedule chooses what runs next, where the order of groups, subgroups and invocations is free: it returns one of so many
	// alternatives, from 0; 0 is the order of a run without a schedule. nil for that order. One goroutine calls it. Prepare returns an
	// *UnsupportedError if the engine has one order only.
	Schedule func(alternatives int) int

	// InOrder restricts Schedule: a group starts when the one before it has ended, as fragments in rasterization order do.
	InOrder bool
}

// DefaultBudget is the step budget of a job without its own, that is with Budget 0.
const DefaultBudget = 1 << 24

// EffectiveBudget returns the job's step budget, with the default filled in.
func (j *Job) EffectiveBudget() uint64 {
	if j.Budget == 0 {
		return DefaultBudget
	}
	return j.Budget
}

// WorkerCount returns the number of workers for a run of p, at least 1: Workers, but at most one for each
// span and exactly one if the groups must run in order.
func (j *Job) WorkerCount(p *ir.Program) int {
	n := j.Workers
	switch {
	case p.Effects.Ordered, j.Hook != nil, j.Schedule != nil:
		return 1
	case n <= 0:
		n = runtime.GOMAXPROCS(0)
	}
	runs := j.GroupCount()
	if len(j.SpanEnds) > 0 {
		runs = uint64(len(j.SpanEnds))
	}
	return int(min(uint64(n), max(runs, 1)))
}

// GroupCount returns the number of groups. After a successful Check the product does not overflow.
func (j *Job) GroupCount() uint64 {
	return uint64(j.Groups[0]) * uint64(j.Groups[1]) * uint64(j.Groups[2])
}

// GroupID returns the WorkgroupId of group n, Base included. n must be less than GroupCount.
func (j *Job) GroupID(n uint64) [3]uint32 {
	x, y := uint64(j.Groups[0]), uint64(j.Groups[1])
	return [3]uint32{
		j.Base[0] + uint32(n%x),
		j.Base[1] + uint32(n/x%y),
		j.Base[2] + uint32(n/x/y),
	}
}

// ListOf returns the list of resource r; nil if it has none.
func (j *Job) ListOf(r int) *List {
	if r >= len(j.Lists) || r >= len(j.Resources) {
		return nil
	}
	return j.Lists[r]
}

// Check returns a *JobError if the job does not fit p, and passes the resources to its log. Engines call it at the start
// of Prepare. It costs nothing for the descriptors of lists.
func (j *Job) Check(p *ir.Program) error {
	hi, lo := bits.Mul64(uint64(j.Groups[0])*uint64(j.Groups[1]), uint64(j.Groups[2]))
	if hi != 0 || lo > 1<<62 {
		return jobErrorf("%d workgroups; must be at most 2⁶²", j.Groups)
	}
	if err := j.checkSpanEnds(); err != nil {
		return err
	}
	for i, n := range j.Groups {
		if n > 0 && uint64(j.Base[i])+uint64(n) > 1<<32 {
			return jobErrorf("%d workgroups from %d on; WorkgroupId must be at most 2³²−1", n, j.Base[i])
		}
	}
	if len(j.Resources) > len(p.Res) {
		return jobErrorf("%d resources; the program has %d", len(j.Resources), len(p.Res))
	}
	for r, list := range j.Resources {
		if l := j.ListOf(r); l != nil {
			if !l.begins(list) {
				return jobErrorf("the list of set %d, binding %d does not begin with its %d descriptors", p.Res[r].Set, p.Res[r].Binding, len(list))
			}
			if l.invalid == 0 {
				continue
			}
		}
		for i, b := range list {
			if b.Beyond < 0 || b.Beyond > len(b.Bytes) {
				return jobErrorf("descriptor %d of set %d, binding %d has %d bytes beyond its range; must be at most its %d bytes", i, p.Res[r].Set, p.Res[r].Binding, b.Beyond, len(b.Bytes))
			}
			if !aligned(b.Bytes) {
				return jobErrorf("descriptor %d of set %d, binding %d is not 8-byte aligned", i, p.Res[r].Set, p.Res[r].Binding)
			}
		}
	}
	if p.Effects.Rays && j.Rays == nil {
		return jobErrorf("the program traces rays; the job must have a service for rays")
	}
	end := uint64(0)
	for i, r := range j.Regions {
		if i > 0 && r.Address < end || r.Address+uint64(len(r.Bytes)) < r.Address || !aligned(r.Bytes) {
			return jobErrorf("region %d is unsorted, overlapping, wrapping or misaligned", i)
		}
		end = r.Address + uint64(len(r.Bytes))
	}
	j.Log.place(p, j)
	return nil
}

// checkSpanEnds returns a *JobError unless SpanEnds ascends to GroupCount.
func (j *Job) checkSpanEnds() error {
	before := uint64(0)
	for i, end := range j.SpanEnds {
		if end < before {
			return jobErrorf("span %d ends at group %d; must be at least %d", i, end, before)
		}
		before = end
	}
	if len(j.SpanEnds) > 0 && before != j.GroupCount() {
		return jobErrorf("spans of %d workgroups; must be all %d", before, j.GroupCount())
	}
	return nil
}

func jobErrorf(format string, args ...any) error {
	return &JobError{Problem: fmt.Sprintf(format, args...)}
}

// aligned reports whether b has the alignment that Buffer requires. An empty b always has.
func aligned(b []byte) bool {
	align := uintptr(8)
	if len(b) < 16 {
		align = 4
	}
	return len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%align == 0
}
