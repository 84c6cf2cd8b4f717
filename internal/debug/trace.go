package debug

import (
	"context"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Trace is the [vk.Debugger] that counts the instructions of each invocation of dispatches, and what they access in buffers.
type Trace struct {
	Stages []*StageTrace

	of   map[*shader.Stage]*StageTrace
	heat Heat   // of the operations that begin instructions
	left uint64 // bytes for more bit sets
	room int    // words with atomics that can still be told apart
}

// StageTrace has the counts of the dispatches of a compute shader.
type StageTrace struct {
	Stage       *shader.Stage
	Dispatches  int
	Invocations uint64
	Total       uint64 // instructions of all invocations
	Least, Most uint64 // of an invocation
	Longest     []InvocationCount
	Buffers     []*BufferTrace // in the order of set, binding and element

	buffers map[bufferKey]*BufferTrace
}

// InvocationCount has the instructions of an invocation.
type InvocationCount struct {
	Dispatch     int // of the stage, from 0
	Group, Local [3]uint32
	Count        uint64
}

// BufferTrace has the accesses of a buffer or, with Workgroup, of the memory of the workgroups. Executions count invocations.
type BufferTrace struct {
	Set, Binding, Element  uint32
	Workgroup              bool
	Loads, Stores, Atomics uint64 // executions
	Read, Written          uint64 // different bytes
	Lines                  uint64 // different cache lines that hold them
	Transfers              uint64 // cache lines, counted for each execution by a subgroup
	Contended              uint64 // different words that atomics of several invocations accessed
	Serial                 uint64 // atomics that another lane of the subgroup preceded at the same word

	read, written []uint64          // bit sets of bytes; nil if the buffer is too large
	words         map[uint64]uint64 // 1 + the first invocation with an atomic there; severalInvocations
}

// bufferKey identifies a buffer.
type bufferKey struct {
	resource int // −1 for workgroup memory
	element  uint32
}

// cacheLine is the size of a cache line in bytes.
const cacheLine = 64

// Bounds of a trace: the longest invocations, the bytes of all bit sets, and the words with atomics of all buffers.
const (
	maxLongest     = 16
	maxTraced      = 256 << 20
	maxAtomicWords = 1 << 20
)

// severalInvocations is the mark of a contended word.
const severalInvocations = 1<<64 - 1

// Run runs a command; dispatches are observed.
func (x *Trace) Run(_ context.Context, c vk.DebugCommand, run func(exec.Hook) error) error {
	if c.Kind != vk.DebugDispatch || len(c.Stages) != 1 {
		return run(nil)
	}
	stage := c.Stages[0]
	if x.of == nil {
		x.of, x.left, x.room = map[*shader.Stage]*StageTrace{}, maxTraced, maxAtomicWords
		x.heat.begins = map[*ir.Program][][]bool{}
	}
	to := x.of[stage]
	if to == nil {
		to = &StageTrace{Stage: stage, Least: 1<<64 - 1, buffers: map[bufferKey]*BufferTrace{}}
		x.of[stage], x.Stages = to, append(x.Stages, to)
	}
	err := run(&tracer{trace: x, to: to, stages: c.Stages})
	to.Dispatches++
	for _, b := range to.buffers {
		b.finish(&x.room)
	}
	return err
}

// finish counts the bytes and lines so far. The invocations of the next dispatch are others, but do not contend with these.
func (b *BufferTrace) finish(room *int) {
	b.Read, b.Written, b.Lines = 0, 0, 0
	for i := range b.read {
		b.Read += uint64(bits.OnesCount64(b.read[i]))
		b.Written += uint64(bits.OnesCount64(b.written[i]))
		if b.read[i]|b.written[i] != 0 { // a word of 64 bits is a line of 64 bytes
			b.Lines++
		}
	}
	b.settle(room)
}

// settle counts the contended words so far, and forgets their invocations.
func (b *BufferTrace) settle(room *int) {
	for _, by := range b.words {
		if by == severalInvocations {
			b.Contended++
		}
	}
	*room += len(b.words)
	clear(b.words)
}

// tracer is the hook of one dispatch.
type tracer struct {
	exec.NoHook
	trace  *Trace
	to     *StageTrace
	stages []*shader.Stage

	group  *exec.Group
	begins [][]bool
	groups uint64   // so far
	counts []uint64 // of the group, by local index
	seen   []access // of a step
}

// access is an access of a lane.
type access struct {
	buffer *BufferTrace
	at     uint64
}

// BeginGroup prepares the counts of a workgroup.
func (x *tracer) BeginGroup(g *exec.Group) error {
	x.group = g
	if x.begins = x.trace.heat.beginsOf(g.Program, x.stages); x.begins == nil {
		return exec.ErrNoSteps
	}
	size := g.Program.LocalSize
	n := int(size[0]) * int(size[1]) * int(size[2])
	if len(x.counts) != n {
		x.counts = make([]uint64, n)
	}
	clear(x.counts)
	return nil
}

// EndGroup adds the counts of a workgroup.
func (x *tracer) EndGroup(g *exec.Group) error {
	x.groups++
	if x.begins == nil {
		return nil
	}
	size, to := g.Program.LocalSize, x.to
	if b := to.buffers[bufferKey{resource: -1}]; b != nil {
		b.settle(&x.trace.room) // the next workgroup has memory of its own
	}
	for i, n := range x.counts {
		to.Invocations++
		to.Total += n
		to.Least, to.Most = min(to.Least, n), max(to.Most, n)
		if len(to.Longest) == maxLongest && n <= to.Longest[maxLongest-1].Count {
			continue
		}
		at := uint32(i)
		c := InvocationCount{to.Dispatches, g.ID, [3]uint32{at % size[0], at / size[0] % size[1], at / (size[0] * size[1])}, n}
		k := slices.IndexFunc(to.Longest, func(o InvocationCount) bool { return o.Count < n })
		if k < 0 {
			k = len(to.Longest)
		}
		if to.Longest = slices.Insert(to.Longest, k, c); len(to.Longest) > maxLongest {
			to.Longest = to.Longest[:maxLongest]
		}
	}
	return nil
}

// Step counts an instruction, and an access of a buffer.
func (x *tracer) Step(s *exec.Step) error {
	p := x.group.Program
	if of := x.begins[s.Func]; int(s.Value) < len(of) && of[s.Value] {
		for lane := range s.Active.All {
			if i := int(s.Subgroup*p.SubgroupSize) + lane; i < len(x.counts) {
				x.counts[i]++
			}
		}
	}
	f := p.Funcs[s.Func]
	o := f.Val(s.Value)
	atomic := o.Op.Family() == ir.Atomics
	if o.Op != ir.Ld && o.Op != ir.St && !atomic {
		return nil
	}
	h := f.Val(o.Args[0])
	if h.Op != ir.Res && h.Op != ir.Wg {
		return nil
	}
	x.seen = x.seen[:0]
	for lane := range s.Active.All {
		n := uint32(lane)
		key, length := bufferKey{resource: -1}, uint64(len(s.Workgroup))
		if h.Op == ir.Res {
			key = bufferKey{int(h.Aux), uint32(valueOf(s, f, h.Args[0], n))}
			if key.resource >= len(x.group.Job.Resources) || uint64(key.element) >= uint64(len(x.group.Job.Resources[key.resource])) {
				continue
			}
			length = uint64(len(x.group.Job.Resources[key.resource][key.element].Bytes))
		}
		at, size := valueOf(s, f, o.Args[1], n)+o.Aux, uint64(o.Type.Size())
		if at+size > length {
			continue // robustness rejects it
		}
		b := x.bufferOf(p, key, length)
		b.add(o.Op, atomic, at, size, &x.trace.room, x.groups*uint64(len(x.counts))+uint64(s.Subgroup*p.SubgroupSize)+uint64(lane))
		x.transfer(b, at, size, atomic)
	}
	return nil
}

// valueOf returns a value in a lane. A constant is not computed.
func valueOf(s *exec.Step, f *ir.Func, v ir.V, lane uint32) uint64 {
	if o := f.Val(v); o.Op == ir.Const {
		return o.Aux
	}
	return s.Read(s.Func, v, lane)
}

// transfer counts the cache lines of an access that no lane before it accessed in the step, and atomics at the same word.
func (x *tracer) transfer(b *BufferTrace, at, size uint64, atomic bool) {
	for line := at / cacheLine; line*cacheLine < at+size; line++ {
		known, same := false, false
		for _, o := range x.seen {
			if o.buffer == b && o.at/cacheLine == line {
				known = true
				same = same || o.at == at
			}
		}
		if !known {
			b.Transfers++
		}
		if atomic && same {
			b.Serial++
		}
		x.seen = append(x.seen, access{b, max(at, line*cacheLine)})
	}
}

// bufferOf returns the counts of a buffer.
func (x *tracer) bufferOf(p *ir.Program, key bufferKey, length uint64) *BufferTrace {
	if b := x.to.buffers[key]; b != nil {
		return b
	}
	b := &BufferTrace{Workgroup: key.resource < 0, Element: key.element, words: map[uint64]uint64{}}
	if !b.Workgroup {
		b.Set, b.Binding = p.Res[key.resource].Set, p.Res[key.resource].Binding
	}
	x.to.buffers[key] = b
	i, _ := slices.BinarySearchFunc(x.to.Buffers, b, (*BufferTrace).compare)
	x.to.Buffers = slices.Insert(x.to.Buffers, i, b)
	if words := (length + 63) / 64; words*16 <= x.trace.left {
		x.trace.left -= words * 16
		b.read, b.written = make([]uint64, words), make([]uint64, words)
	}
	return b
}

// compare orders buffers; workgroup memory is the last.
func (b *BufferTrace) compare(o *BufferTrace) int {
	key := func(b *BufferTrace) []uint32 {
		last := uint32(0)
		if b.Workgroup {
			last = 1
		}
		return []uint32{last, b.Set, b.Binding, b.Element}
	}
	return slices.Compare(key(b), key(o))
}

// add counts an access of an invocation.
func (b *BufferTrace) add(op ir.Op, atomic bool, at, size uint64, room *int, invocation uint64) {
	reads, writes := op != ir.St, op != ir.Ld
	switch {
	case atomic:
		b.Atomics++
		if by, ok := b.words[at]; !ok && *room > 0 {
			*room--
			b.words[at] = invocation + 1
		} else if ok && by != invocation+1 {
			b.words[at] = severalInvocations
		}
	case op == ir.Ld:
		b.Loads++
	default:
		b.Stores++
	}
	for i := at; i < at+size && i/64 < uint64(len(b.read)); i++ {
		if reads {
			b.read[i/64] |= 1 << (i % 64)
		}
		if writes {
			b.written[i/64] |= 1 << (i % 64)
		}
	}
}
