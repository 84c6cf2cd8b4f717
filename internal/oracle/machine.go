package oracle

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Place is a descriptor set and a binding.
type Place struct{ Set, Binding uint32 }

// Job is a dispatch.
type Job struct {
	Module  *facts.Module
	Entry   *facts.EntryPoint
	Groups  [3]uint32
	Base    [3]uint32        // of the workgroup ids
	Buffers map[Place][]byte // before the dispatch
	Push    []byte

	Pictures map[Place]*Picture // sampled images, and storage images with any texels
	Textures map[Place]*Texture // sampled images of draws
	Samplers map[Place]*Sampler // of draws

	// SubgroupSize is the number of invocations of a subgroup, which has those with the next local indices; 0 if it is not known. Then
	// the subgroups may have any invocations of their workgroup.
	SubgroupSize uint32

	// Robust2 are the buffers with the behavior RobustBufferAccess2: loads outside of them are zero, and stores have no effect.
	Robust2 map[Place]bool

	accessed map[builtInOf]bool // see accesses
}

// Result is the permitted contents after a dispatch.
type Result struct {
	// Undecided is why any content is permitted; "" if the sets are decided. Instruction is its instruction, from 1.
	Undecided   string
	Instruction int

	buffers map[Place]*buffer
}

// Limits of a dispatch.
const (
	maxInvocations = 1 << 20
	maxSteps       = 1 << 24 // instructions of all invocations
	maxGroup       = 1 << 12 // invocations of a workgroup, which may all wait at a barrier
	maxNumbers     = 1 << 22 // of buffers that invocations access
	maxDepth       = 64      // of calls
)

// dispatch is the state of all invocations.
type dispatch struct {
	ctx       context.Context
	job       *Job
	m         *facts.Module
	buffers   map[Place]*buffer
	push      *buffer
	steps     int
	numbers   int    // that invocations have accessed
	viewIndex uint32 // ViewIndex of a mesh shader
	outside   map[Place]*outside
	available bool                                 // all barriers make stores available and visible
	again     bool                                 // an access has changed outside
	rounds    int                                  // that have ended
	preserve  map[uint32]bool                      // DenormPreserve, by width
	infinite  map[uint32]bool                      // SignedZeroInfNanPreserve
	modes     map[*facts.Type]spirv.FPFastMathMode // FPFastMathDefault
	decorated bool                                 // the module has decorations, or modes, for loose
}

// machine executes one invocation.
type machine struct {
	*dispatch
	group      *group
	invocation uint64 // from 1
	ids        ids
	locals     map[spirv.ID]*local // Private variables and inputs
	at         int                 // the current instruction, from 0
	depth      int
	wait       func() // ends at a barrier or a group operation; nil in a module without them
	held       bool   // at a barrier or a group operation
	request    *request
	path       uint64 // of the blocks so far
	semantics  uint64 // of the last barrier
	private    bool   // no barrier orders the current access

	shading *shading // of a stage of a draw; nil in a dispatch
	sized   bool     // OpSetMeshOutputsEXT has been executed
	ended   bool     // by an instruction that ends the invocation
}

// group is the state of a workgroup.
type group struct {
	number         uint64 // from 1
	epoch, buffers uint64 // barriers that have ended, with an effect on workgroup memory, and on buffers
	shared         map[spirv.ID]*local
	mesh           *mesh    // the outputs of a mesh shader; nil in another stage
	control        *control // the outputs of a tessellation control shader; nil in another stage
	task           *task    // of a task shader; nil in another stage
	payload        *payload // of a mesh shader after a task shader
}

// stop is the panic of an invocation that is undecided, or of a context that ends.
type stop struct {
	why string
	at  int // its instruction, from 0
	err error
}

func (m *machine) undecided(format string, args ...any) {
	panic(stop{why: fmt.Sprintf(format, args...), at: m.at})
}

// Run determines the permitted contents of a dispatch, or returns the error of a context that ends.
func Run(ctx context.Context, job *Job) (r *Result, err error) {
	d := &dispatch{ctx: ctx, job: job, m: job.Module, outside: map[Place]*outside{},
		preserve: map[uint32]bool{}, infinite: map[uint32]bool{}, modes: map[*facts.Type]spirv.FPFastMathMode{}}
	d.readModes()
	for at := range job.Buffers {
		d.outside[at] = &outside{edge: math.MaxUint64, robust2: job.Robust2[at]}
	}
	// An access that leaves its buffer has an effect on earlier ones of other invocations: then all are executed again.
	for d.again = true; d.again && err == nil; d.rounds++ {
		r, err = d.round()
	}
	return r, err
}

// round executes the dispatch from the beginning.
func (d *dispatch) round() (r *Result, err error) {
	d.again, d.steps, d.numbers, d.buffers = false, 0, 0, map[Place]*buffer{}
	for at, b := range d.job.Buffers {
		d.buffers[at] = &buffer{bytes: b, cells: map[uint64]*cell{}, outside: d.outside[at], any: d.outside[at].stores, align: storageAlignment}
	}
	d.push = &buffer{bytes: d.job.Push, cells: map[uint64]*cell{}, align: storageAlignment, outside: &outside{edge: math.MaxUint64}}
	r = &Result{buffers: d.buffers}
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		s, ok := e.(stop)
		if !ok {
			panic(e)
		}
		if s.err != nil {
			r, err = nil, s.err
			return
		}
		r.Undecided, r.Instruction = s.why, s.at+1
		for _, b := range d.buffers {
			b.any = true
		}
	}()
	d.all()
	return r, nil
}

// all executes all workgroups.
func (d *dispatch) all() {
	size := d.localSize()
	n := uint64(size[0]) * uint64(size[1]) * uint64(size[2])
	total := n
	for _, g := range d.job.Groups {
		if g > 0 && total > maxInvocations/uint64(g) {
			panic(stop{why: fmt.Sprintf("more than %d invocations", maxInvocations), at: d.job.Entry.Func.Index})
		}
		total *= uint64(g)
	}
	switch {
	case n == 0:
		return
	case n > maxGroup:
		panic(stop{why: fmt.Sprintf("a workgroup of more than %d invocations", maxGroup), at: d.job.Entry.Func.Index})
	}
	barriers := d.barriers()
	for g := range total / n {
		w := &group{number: g + 1, epoch: 1, buffers: 1, shared: map[spirv.ID]*local{}}
		list := make([]*machine, n)
		for i := range list {
			list[i] = &machine{dispatch: d, group: w, invocation: g*n + uint64(i) + 1, ids: newIDs(d.job, size, g*n+uint64(i)), locals: map[spirv.ID]*local{}}
		}
		if barriers {
			w.runTogether(list)
			continue
		}
		for _, m := range list {
			m.call(d.job.Entry.Func, nil)
		}
	}
}

// barriers reports whether invocations may wait for each other, at barriers or at group operations. available is set if all barriers make stores available and visible.
func (d *dispatch) barriers() (found bool) {
	d.available = true
	for _, f := range d.m.CallTree(d.job.Entry) {
		for i := f.Index; i < f.End; i++ {
			in := d.m.Code.Inst(i)
			if found = found || isGroupOperation(in.Op()); in.Op() != spirv.OpControlBarrier {
				continue
			}
			found = true
			const both = uint64(spirv.MemorySemanticsMakeAvailableMask | spirv.MemorySemanticsMakeVisibleMask)
			c := d.m.Const(spirv.ID(in[3]))
			d.available = d.available && c != nil && c.Bits&both == both
		}
	}
	return found
}

// runTogether runs the invocations of a workgroup from barrier to barrier, or group operation.
func (w *group) runTogether(list []*machine) {
	next := make([]func() (struct{}, bool), len(list))
	for i, m := range list {
		resume, end := iter.Pull(func(yield func(struct{}) bool) {
			m.wait = func() {
				if !yield(struct{}{}) {
					panic(stop{err: context.Canceled}) // the group has ended
				}
			}
			m.call(m.job.Entry.Func, nil)
		})
		defer ended(end)
		next[i] = resume
	}
	for {
		barriers, requests := 0, 0
		for i, resume := range next {
			m := list[i]
			if !m.held {
				_, m.held = resume()
			}
			switch {
			case m.held && m.request != nil:
				requests++
			case m.held:
				barriers++
			}
		}
		switch {
		case requests > 0:
			w.resolve(list)
		case barriers == 0:
			return
		case barriers == len(list):
			w.order(list)
			for _, m := range list {
				m.held = false
			}
		default:
			list[0].undecided("a barrier that not all invocations of the workgroup reach")
		}
	}
}

// order ends a barrier at which all invocations wait.
func (w *group) order(list []*machine) {
	if w.control != nil {
		w.epoch++
		return
	}
	const buffers, workgroup = spirv.MemorySemanticsUniformMemoryMask, spirv.MemorySemanticsWorkgroupMemoryMask
	order := list[0].semantics&uint64(spirv.MemorySemanticsAcquireReleaseMask|spirv.MemorySemanticsSequentiallyConsistentMask) != 0
	if !order {
		return
	}
	if list[0].semantics&uint64(workgroup) != 0 {
		w.epoch++
	}
	if list[0].semantics&uint64(buffers) != 0 {
		w.buffers++
	}
}

// ended ends an invocation that waits at a barrier, which panics there.
func ended(end func()) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(stop); !ok {
				panic(e)
			}
		}
	}()
	end()
}

// barrier executes OpControlBarrier. A workgroup barrier orders the accesses before it and after it if its semantics include their
// memory.
func (x *frame) barrier(in spirv.Inst) {
	scope, semantics := x.value(spirv.ID(in[1])).leaves[0], x.value(spirv.ID(in[3])).leaves[0]
	memory := x.value(spirv.ID(in[2])).leaves[0]
	switch {
	case x.group.control != nil: // it divides the invocations of a patch into phases ("Tessellation Control Shader Execution")
		x.wait()
		return
	case !scope.Any && spirv.Scope(scope.Bits) == spirv.ScopeSubgroup:
		return // accesses count as not ordered
	case scope.Any || semantics.Any || memory.Any || spirv.Scope(scope.Bits) != spirv.ScopeWorkgroup:
		x.undecided("OpControlBarrier of another scope than Workgroup and Subgroup")
	case spirv.Scope(memory.Bits) == spirv.ScopeSubgroup || spirv.Scope(memory.Bits) == spirv.ScopeInvocation:
		x.undecided("OpControlBarrier with memory of a narrower scope than Workgroup")
	}
	x.semantics = semantics.Bits
	x.wait()
}

// call executes a function and returns its value.
func (m *machine) call(f *facts.Function, args []value) value {
	if m.depth++; m.depth > maxDepth || len(f.Blocks) == 0 {
		m.undecided("calls that are deeper than %d, or of a function without a body", maxDepth)
	}
	defer func() { m.depth-- }()
	x := &frame{machine: m, f: f, vals: map[spirv.ID]value{}}
	for i, p := range f.Params {
		x.vals[p.ID] = args[i]
		if m.decorated {
			x.loose(m.m.Code.Inst(p.Index))
		}
	}
	var before spirv.ID
	for b := f.Entry(); ; {
		m.path = (m.path ^ uint64(b.Index)) * 0x100000001b3 // FNV-1a
		x.phis(b, before)
		for i := b.Index + 1; i < b.End; i++ {
			if i == b.Term {
				break
			}
			if x.step(i); x.ended {
				return value{}
			}
		}
		next, result, done := x.terminator(b)
		if done {
			return result
		}
		before, b = b.ID, next
	}
}

// frame is a call of a function.
type frame struct {
	*machine
	f    *facts.Function
	vals map[spirv.ID]value
}

// count counts an instruction.
func (m *machine) count(i int) {
	m.at = i
	if m.steps++; m.steps > maxSteps {
		m.undecided("more than %d executions of instructions", maxSteps)
	}
	if m.steps&1023 == 0 {
		if err := m.ctx.Err(); err != nil {
			panic(stop{err: err})
		}
	}
}

// phis computes the OpPhi of a block, all of them from the values before.
func (x *frame) phis(b *facts.Block, before spirv.ID) {
	var ids []spirv.ID
	var list []value
	for i := b.Index + 1; i < b.End; i++ {
		in := x.m.Code.Inst(i)
		if in.Op() != spirv.OpPhi {
			if in.Op() == spirv.OpLine || in.Op() == spirv.OpNoLine {
				continue
			}
			break
		}
		for k := 3; k+1 < len(in); k += 2 {
			if spirv.ID(in[k+1]) == before {
				ids, list = append(ids, in.Result()), append(list, x.value(spirv.ID(in[k])))
			}
		}
	}
	for i, id := range ids {
		x.vals[id] = list[i]
		if x.decorated && x.m.Has(id, spirv.DecorationRelaxedPrecision) {
			x.vals[id] = relax(x.m.TypeOf(id), list[i])
		}
	}
}

// terminator returns the next block, or the value of the function.
func (x *frame) terminator(b *facts.Block) (next *facts.Block, result value, done bool) {
	if b.Term < 0 {
		x.undecided("a block without an end")
	}
	x.count(b.Term)
	in := x.m.Code.Inst(b.Term)
	switch in.Op() {
	case spirv.OpReturn, spirv.OpUnreachable:
		if in.Op() == spirv.OpUnreachable {
			x.undecided("OpUnreachable")
		}
		return nil, value{}, true
	case spirv.OpKill, spirv.OpTerminateInvocation:
		if x.shading == nil {
			x.undecided("%s", in.Op())
		}
		x.ended, x.shading.discarded = true, true
		return nil, value{}, true
	case spirv.OpEmitMeshTasksEXT:
		x.endTask(in)
		x.ended = true
		return nil, value{}, true
	case spirv.OpReturnValue:
		return nil, x.value(spirv.ID(in[1])), true
	case spirv.OpBranch:
		next = x.m.Block(spirv.ID(in[1]))
	case spirv.OpBranchConditional:
		c := x.value(spirv.ID(in[1])).leaves[0]
		if c.Any {
			x.undecided("a branch on a value with several permitted outcomes")
		}
		if next = x.m.Block(spirv.ID(in[3])); c.Bits != 0 {
			next = x.m.Block(spirv.ID(in[2]))
		}
	case spirv.OpSwitch:
		s := x.value(spirv.ID(in[1])).leaves[0]
		if s.Any {
			x.undecided("a switch on a value with several permitted outcomes")
		}
		target, cases, _ := x.m.Switch(b)
		for _, c := range cases {
			if c.Value == s.Bits {
				target = c.Target
				break
			}
		}
		next = target
	default:
		x.undecided("%s", in.Op())
	}
	if next == nil {
		x.undecided("a branch to no block")
	}
	return next, value{}, false
}

// value returns the value of an id.
func (x *frame) value(id spirv.ID) value {
	if v, ok := x.vals[id]; ok {
		return v
	}
	if c := x.m.Const(id); c != nil {
		if v, ok := ofConst(c); ok {
			return v
		}
		if v, ok := anyOf(c.Type, 0); ok {
			return v
		}
		x.undecided("a constant that is not known")
	}
	if v := x.m.Variable(id); v != nil {
		return value{to: x.variable(v)}
	}
	x.undecided("a value that is not known")
	return value{}
}
