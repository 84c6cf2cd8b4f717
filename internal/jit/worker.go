package jit

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/trampoline"
)

// Run runs the job's groups.
func (p *program) Run(ctx context.Context, job *exec.Job) error { return exec.Run(ctx, p, job) }

// Bounds of the free list of prepared jobs: its length, and the number of handles of each.
const (
	maxIdlePrepared = 256 // as many draws a pass shades together
	maxIdleHandles  = 1 << 14
	maxIdleTotal    = 1 << 19 // of all prepared jobs together, if each is as long
)

// prepared is a job with its handles and the code that runs it. It is immutable until Release, and
// all workers of the run share it.
type prepared struct {
	program *program
	variant *variant // with a reference
	merged  bool     // the variant is of merged workgroups
	waits   bool     // groups of the job count for the compilation of merged ones
	written []int    // resources: the code depends on whether one of them shares bytes with another
	aliased bool     // one does
	job     *exec.Job
	handles
	table     *block // the handle table of machine code; nil if perWorker
	perWorker bool   // workers need their own handles: for workgroup memory or tallies
	serial    uint64 // number of changes by Reuse
}

// Prepare checks the job, selects its code and builds its handle table.
func (p *program) Prepare(job *exec.Job) (exec.Prepared, error) {
	x, err := p.prepare(job, false)
	if err != nil {
		return nil, err
	}
	return x, nil
}

// prepare prepares a job, with merged workgroups if that is permitted and possible.
func (p *program) prepare(job *exec.Job, merge bool) (*prepared, error) {
	x := p.prepared.Get()
	if x == nil {
		x = &prepared{program: p}
	}
	if err := job.Check(p.original); err != nil {
		return nil, err
	}
	// Machine code cannot report each instruction; an observed run needs the interpreter.
	if job.Hook != nil || job.Schedule != nil {
		return nil, unsupported("observing a run", 0)
	}
	// It may compile the exact variant, if bound buffers overlap.
	if err := p.selectVariant(x, job, merge); err != nil {
		return nil, err
	}
	x.job = job
	x.fill(p.source, &p.layout, job, p.forceNonTemporal)
	x.bindBase(p.base, job)
	private := x.privatize(p.source, job, p.tallies)
	// The handle of workgroup memory differs between workers, and so do handles of private
	// accumulators.
	if x.perWorker = p.source.SharedBytes > 0 || private; x.perWorker {
		return x, nil
	}
	x.table, x.list, x.regions = x.tableFor(x.table, x.list, x.resources)
	return x, nil
}

// Reusable reports whether Reuse is possible: tallies are complete only after the Release of their worker.
func (x *prepared) Reusable() bool { return !x.perWorker }

// Reuse writes the push constants of the job to the table. Workers read its groups again.
func (x *prepared) Reuse() {
	x.serial++
	if x.waits {
		x.program.merge.groups.Add(x.job.GroupCount())
	}
	x.setPush(x.job)
	x.encodePush(x.table.words, x.list)
}

// Rebind is Reuse after a change of descriptors. The job must have as many descriptors as before, and the code must fit them.
func (x *prepared) Rebind() bool {
	p, job := x.program, x.job
	if x.perWorker || p.base != nil || job.Log != nil || !x.fits(p.source, job, x.written, x.aliased) || job.Check(p.original) != nil {
		return false
	}
	x.refill(p.source, job, p.forceNonTemporal, x.table.words)
	x.Reuse()
	return true
}

// Release returns x to the free list.
func (x *prepared) Release() {
	runtime.KeepAlive(x.job) // machine code has the addresses of its buffers
	// An idle object must not retain the buffers of its last job.
	x.release()
	x.job = nil
	x.variant.release()
	x.variant = nil
	if n := cap(x.list); n <= maxIdleHandles {
		x.program.prepared.Put(x, min(maxIdlePrepared, maxIdleTotal/max(n, 1)))
	} else {
		x.table.release(0)
	}
}

// worker is the state of one goroutine that runs workgroups. Machine code has the addresses of its
// slices, so that they must not move or grow during a run. A goroutine has one worker from
// AcquireWorker to Release; in between it can switch between prepared jobs, as the interleaved draws
// of a pass require.
type worker struct {
	program    *program
	variant    *variant
	bound      *prepared // the job whose groups it runs
	serial     uint64    // of bound
	job        *exec.Job
	runCtx     context.Context
	ctx        *trampoline.Context
	release           // of the processor
	unyielding uint64 // bytes of code of brief batches since the last yield
	*groupState
	handles      []handle
	regions      int      // index of the first handle of a region
	ownHandles   []handle // its own copy of the handles, if perWorker
	ownTable     *block   // the same as machine code reads them
	ownResources []uint32
	scratch      handle // of a descriptor of a list
	tallies      []tally
	rays         exec.RayCall
	call         serviceCall // of the current exit
	logged       [2]laneValues
	heeded       []uint32 // by message: 0 if its events have no effect in this job
}

// AcquireWorker returns a worker, idle or new.
func (p *program) AcquireWorker(ctx context.Context, stop *atomic.Bool) (exec.Worker, error) {
	r, err := codeRelease()
	if err != nil {
		return nil, err
	}
	w := p.workers.Get()
	if w == nil {
		w = &worker{program: p, ctx: &trampoline.Context{Control: p.back.Control()}}
	}
	w.runCtx, w.ctx.Stop, w.polls, w.pollsBrief = ctx, stop, r.polls || p.forcePolling, r.pollsBrief
	return w, nil
}

// choosePolling chooses how a batch of some workgroups lets the runtime retake the processor. It yields after many brief batches.
func (w *worker) choosePolling(groups uint64) {
	brief := w.pollsBrief && w.variant.isBrief(groups)
	if w.ctx.Polling = w.polls || brief; !brief {
		return
	}
	if w.unyielding += groups * w.variant.groupBytes; w.unyielding > maxBriefUnyielding {
		w.unyielding = 0
		runtime.Gosched()
	}
}

// Run runs the groups of a batch. A worker stays bound between batches of the same job, so that most
// batches cost no set-up.
func (w *worker) Run(p exec.Prepared, b exec.Batch) error {
	if x := p.(*prepared); x != w.bound || x.serial != w.serial {
		if err := w.bind(x); err != nil {
			return err
		}
	}
	return w.runBatch(b)
}

// bind switches the worker to a prepared job.
func (w *worker) bind(x *prepared) error {
	// The tallies have the addresses of the previous job's buffers.
	w.flushTallies()
	// Draws that share code also share the stacks and records.
	if w.variant != x.variant {
		w.releaseGroupState()
		state, err := x.variant.acquireState()
		if err != nil {
			return err
		}
		w.variant, w.groupState = x.variant, state
	}
	w.bound, w.serial, w.job, w.regions = x, x.serial, x.job, x.regions
	w.handles = x.list
	table, resources := x.table, x.resources
	if x.perWorker {
		w.ownHandles = append(w.ownHandles[:0], x.list...)
		w.handles = w.ownHandles
		w.handles[target.HandleShared].bytes = w.workgroup()
		for i := range w.handles {
			if h := &w.handles[i]; h.private != (target.Tally{}) {
				n := len(w.tallies)
				// Grow, not append: the removed elements' private memory is reused by attach.
				w.tallies = slices.Grow(w.tallies, 1)[:n+1]
				w.tallies[n].attach(h)
			}
		}
		w.ownResources = append(w.ownResources[:0], x.resources...)
		w.ownTable, w.ownHandles, w.regions = x.tableFor(w.ownTable, w.ownHandles, w.ownResources)
		w.handles, table, resources = w.ownHandles, w.ownTable, w.ownResources
	}
	w.setArguments(table.words, resources)
	return nil
}

// handle returns the handle of a number of machine code.
func (w *worker) handle(n uint64) *handle {
	if n < uint64(len(w.handles)) {
		return &w.handles[n]
	}
	resources := w.bound.resources
	if w.bound.perWorker {
		resources = w.ownResources
	}
	for i := range w.bound.shared {
		x := &w.bound.shared[i]
		if k := n - uint64(resources[2*x.resource]); k < uint64(len(x.buffers)) {
			w.scratch = handleOf(x.buffers[k], true, false)
			return &w.scratch
		}
	}
	return &w.handles[target.HandleNull]
}

// flushTallies adds the worker's private atomics to the resources.
func (w *worker) flushTallies() {
	for i := range w.tallies {
		w.tallies[i].flush()
	}
	w.tallies = w.tallies[:0]
}

// releaseGroupState returns the group state to its variant.
func (w *worker) releaseGroupState() {
	if w.groupState != nil {
		w.variant.releaseState(w.groupState)
	}
	w.variant, w.groupState = nil, nil
}

// Release flushes the tallies and returns the worker to the free list.
func (w *worker) Release() {
	w.flushTallies()
	w.releaseGroupState()
	clear(w.ownHandles)
	w.bound, w.job, w.runCtx, w.handles = nil, nil, nil, nil
	w.call = serviceCall{}
	w.rays.Release()
	if cap(w.ownHandles) <= maxIdleHandles {
		w.program.workers.Put(w, exec.MaxIdleWorkers())
	} else {
		w.ownTable.release(0)
	}
}

// setArguments sets the arguments of the machine code. The garbage collector does not see these
// addresses. The objects survive because w and the prepared job refer to them, until KeepAlive.
func (w *worker) setArguments(words []uint64, resources []uint32) {
	a := &w.ctx.Args
	a[target.ArgHandles] = addressOf(words)
	a[target.ArgResources] = addressOf(resources)
	a[target.ArgSubgroups] = addressOf(w.subgroups)
	a[target.ArgSubgroupsEnd] = a[target.ArgSubgroups] + uintptr(8*len(w.subgroups))
	a[target.ArgShared] = addressOf(w.shared)
	a[target.ArgRegions] = addressOf(w.bound.lookup)
	a[target.ArgRegionStep] = uintptr(target.RegionStep(w.bound.lookup))
	a[target.ArgRegionFirst] = uintptr(w.regions)
	a[target.ArgRegionCount] = uintptr(len(w.job.Regions))
	a[target.ArgBudget] = uintptr(w.variant.budget(w.job, w.program.source.SubgroupSize))
	w.heeded = slices.Grow(w.heeded[:0], len(w.program.source.Messages))[:len(w.program.source.Messages)]
	for i := range w.heeded {
		w.heeded[i] = 1
	}
	a[target.ArgHeeded] = addressOf(w.heeded)
	a[target.ArgLaunch] = 0
	for i, n := range w.bound.groups() {
		a[target.ArgGroupBase+i] = uintptr(w.job.Base[i])
		// The sum may wrap to 0, if the last WorkgroupId is 2³²−1; the code compares for equality.
		a[target.ArgGroupEnd+i] = uintptr(w.job.Base[i] + n)
		a[target.ArgNumGroups+i] = uintptr(w.job.Groups[i])
	}
}

// countEntries adds the invocations and the subgroups of a batch to the counters of the entry block. If the batch fails, they count
// nevertheless: the code counts no workgroups.
func (w *worker) countEntries(b exec.Batch) {
	e := w.program.entry
	if e == nil || e.Resource >= len(w.job.Resources) || len(w.job.Resources[e.Resource]) == 0 {
		return
	}
	to := w.job.Resources[e.Resource][0].Bytes
	if e.Offset%8 != 0 || uint64(len(to)) < e.Offset+16 || addressOf(to)%8 != 0 {
		return
	}
	p := w.program.source
	groups := w.bound.formerGroups(b.First+b.Count) - w.bound.formerGroups(b.First)
	atomic.AddUint64((*uint64)(unsafe.Pointer(&to[e.Offset])), groups*uint64(p.Invocations()))
	atomic.AddUint64((*uint64)(unsafe.Pointer(&to[e.Offset+8])), groups*uint64(p.Subgroups()))
}

// runBatch runs the groups of a batch in order. The code advances from workgroup to workgroup in the
// order of x, y, z by itself, so that a batch of many small workgroups enters it once.
func (w *worker) runBatch(b exec.Batch) error {
	ctx := w.ctx
	for i, id := range w.bound.groupID(b.First) {
		ctx.Args[target.ArgGroup+i] = uintptr(id)
	}
	ctx.Args[target.ArgCount] = uintptr(b.Count)
	ctx.PC, ctx.Stack = w.variant.block.Entry(), w.stacks.Top(0)
	w.choosePolling(b.Count)
	w.countEntries(b)
	exits := uint64(0)
	defer func() {
		if exits > 0 { // one update per batch: workers would contend for this cache line
			w.program.exits.Add(exits)
		}
	}()
	for {
		switch trampoline.Run(ctx) {
		case target.Called:
			exits++
			if err := w.serve(&w.variant.code.Sites[ctx.Service]); err != nil {
				return err
			}
		// The flag is set, or the Go runtime wants the processor. In the second case all registers
		// are in the frame, and the next Run resumes.
		case target.Polled:
			if w.ctx.Stop.Load() {
				return w.interruptError()
			}
			runtime.Gosched()
		case target.Faulted:
			return ctx.Fault()
		default:
			runtime.KeepAlive(w)
			return nil
		}
	}
}
