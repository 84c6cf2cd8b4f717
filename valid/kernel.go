package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// kernelFamily checks the types of the instructions of kernels: group operations,
// group copies, pipes, named barriers and device-side enqueue
// (SPIR-V §3.3.20 to §3.3.23).
var kernelFamily = family{
	rules: []Rule{
		{Code: "SPV-Kernel-Group", Section: "SPIR-V 3.3.21", Words: "a group operation yields the type of its operand: numbers of the kind of the operation, or a Boolean for a Boolean"},
		{Code: "SPV-Kernel-Copy", Section: "SPIR-V 3.3.21", Words: "a group copy is between Workgroup and CrossWorkgroup, of one type of numbers or vectors of them, with counts as wide as the addresses"},
		{Code: "SPV-Kernel-Events", Section: "SPIR-V 3.3.21", Words: "OpGroupWaitEvents waits for a pointer to events"},
		{Code: "SPV-Kernel-Prefetch", Section: "SPIR-V, SPV_KHR_untyped_pointers", Words: "OpUntypedPrefetchKHR has a pointer to CrossWorkgroup and integers; the optional ones are all or none, and constants in their ranges"},
		{Code: "SPV-Kernel-Pipe", Section: "SPIR-V 3.3.23", Words: "an instruction on pipes has the operands that it defines: pipes, reservations, pointers and 32-bit integers, and the result that it defines"},
		{Code: "SPV-Kernel-Enqueue", Section: "SPIR-V 3.3.22", Words: "an instruction on queues has the operands that it defines: queues, events, ranges, functions, pointers and 32-bit integers, and the result that it defines"},
		{Code: "SPV-Kernel-Barrier", Section: "SPIR-V 3.3.20", Words: "a named barrier is initialized with a 32-bit integer, and the operand of a wait is a named barrier"},
		{Code: "SPV-Kernel-Concrete", Section: "SPIR-V 3.3.1", Words: "the pointer of OpSizeOf points to a concrete type: numbers and physical pointers only"},
		{Code: "SPV-Kernel-Pointer", Section: "SPIR-V 3.3.8", Words: "the size of a pointed-to object, and the semantics of a generic pointer, are 32-bit integers"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpSizeOf:          (*checker).sizeOf,
		spirv.OpGroupAsyncCopy:  (*checker).groupCopy,
		spirv.OpGroupWaitEvents: (*checker).waitEvents,

		spirv.OpConstantPipeStorage:      (*checker).pipeStorage,
		spirv.OpUntypedGroupAsyncCopyKHR: (*checker).groupCopy,
		spirv.OpUntypedPrefetchKHR:       (*checker).prefetch,
	},
	ops: []group{
		{(*checker).kernel, kernelOps()},
		{(*checker).pipeReader, pipeReads},
		{(*checker).pipeWriter, pipeWrites},
		{(*checker).pipeQuery, []spirv.Op{spirv.OpGetNumPipePackets, spirv.OpGetMaxPipePackets}},
		{(*checker).pipeScope, []spirv.Op{
			spirv.OpGroupReserveReadPipePackets, spirv.OpGroupReserveWritePipePackets, spirv.OpGroupCommitReadPipe, spirv.OpGroupCommitWritePipe,
		}},
	},
}

// kernelWant is the requirement on the type of an operand or a result.
type kernelWant struct {
	words string
	ok    func(t *facts.Type) bool
}

// The operands that kernel instructions have.
var (
	wantBool     = kernelWant{"a Boolean", (*facts.Type).IsBool}
	wantWord     = kernelWant{"an integer of 32 bits", isWord}
	wantInt      = kernelWant{"an integer", (*facts.Type).IsInt}
	wantScope    = kernelWant{"a scope, an integer of 32 bits", isWord}
	wantInts     = kernelWant{"integers", func(t *facts.Type) bool { return isNumbers(t) && t.Scalar().IsInt() }}
	wantFloats   = kernelWant{"floats", func(t *facts.Type) bool { return isNumbers(t) && t.Scalar().IsFloat() }}
	wantScalars  = kernelWant{"scalars or vectors", func(t *facts.Type) bool { return t.IsScalar() || t.IsVector() }}
	wantLane     = kernelWant{"an integer, or a vector of two or three", func(t *facts.Type) bool { return t.IsInt() || t.IsVector() && t.Elem.IsInt() && t.Count <= 3 }}
	wantPointer  = kernelWant{"a pointer", (*facts.Type).IsPointer}
	wantGeneric  = kernelWant{"a pointer to Generic", func(t *facts.Type) bool { return t.IsPointer() && t.Storage == spirv.StorageClassGeneric }}
	wantGlobal   = kernelWant{"a pointer to CrossWorkgroup", func(t *facts.Type) bool { return t.IsPointer() && t.Storage == spirv.StorageClassCrossWorkgroup }}
	wantUntyped  = kernelKind("an untyped pointer", spirv.OpTypeUntypedPointerKHR)
	wantStruct   = kernelWant{"a struct", (*facts.Type).IsStruct}
	wantSizes    = kernelWant{"an integer or an array of them", func(t *facts.Type) bool { return t.IsInt() || t.IsArray() && t.Elem.IsInt() }}
	wantPipe     = kernelKind("a pipe", spirv.OpTypePipe)
	wantStorage  = kernelKind("the storage of a pipe", spirv.OpTypePipeStorage)
	wantReserve  = kernelKind("a reservation", spirv.OpTypeReserveId)
	wantQueue    = kernelKind("a queue", spirv.OpTypeQueue)
	wantEvent    = kernelKind("an event", spirv.OpTypeEvent)
	wantDevice   = kernelKind("a device event", spirv.OpTypeDeviceEvent)
	wantBarrier  = kernelKind("a named barrier", spirv.OpTypeNamedBarrier)
	wantAnything = kernelWant{"anything", func(*facts.Type) bool { return true }}
	wantSame     = kernelWant{words: "of the type of the result"}
	wantAlike    = kernelWant{words: "integers like the result, of either sign"}
	wantFunction = kernelWant{words: "a function"}
	wantNone     = kernelWant{}
)

// kernelKind returns the requirement that a type has an opcode.
func kernelKind(words string, op spirv.Op) kernelWant {
	return kernelWant{words, func(t *facts.Type) bool { return t.Op == op }}
}

// kernelForm is the requirements on the result and the operands of an instruction,
// in the order of its ids.
type kernelForm struct {
	code   string
	result kernelWant
	takes  []kernelWant
}

// kernelForms has the instructions; further operands are as the last one.
var kernelForms = newKernelForms()

func newKernelForms() map[spirv.Op]kernelForm {
	t := map[spirv.Op]kernelForm{
		spirv.OpGroupAll:       {"SPV-Kernel-Group", wantBool, []kernelWant{wantScope, wantBool}},
		spirv.OpGroupAny:       {"SPV-Kernel-Group", wantBool, []kernelWant{wantScope, wantBool}},
		spirv.OpGroupBroadcast: {"SPV-Kernel-Group", wantScalars, []kernelWant{wantScope, wantSame, wantLane}},

		spirv.OpGroupAsyncCopy:  {"SPV-Kernel-Group", wantEvent, []kernelWant{wantScope, wantPointer, wantPointer, wantInt, wantInt, wantEvent}},
		spirv.OpGroupWaitEvents: {"SPV-Kernel-Group", wantNone, []kernelWant{wantScope, wantWord, wantPointer}},

		spirv.OpUntypedGroupAsyncCopyKHR: {"SPV-Kernel-Group", wantEvent, []kernelWant{wantScope, wantUntyped, wantUntyped, wantInt, wantInt, wantInt, wantEvent}},
		spirv.OpUntypedPrefetchKHR:       {"SPV-Kernel-Prefetch", wantNone, []kernelWant{wantGlobal, wantInt}},

		spirv.OpNamedBarrierInitialize: {"SPV-Kernel-Barrier", wantBarrier, []kernelWant{wantWord}},

		spirv.OpMemoryNamedBarrier: {"SPV-Kernel-Barrier", wantNone, []kernelWant{wantBarrier, wantScope, wantWord}},

		spirv.OpSizeOf:                 {"SPV-Kernel-Pointer", wantWord, []kernelWant{wantPointer}},
		spirv.OpGenericPtrMemSemantics: {"SPV-Kernel-Pointer", wantWord, []kernelWant{wantGeneric}},
	}
	for _, o := range [...]struct {
		want kernelWant
		ops  []spirv.Op
	}{
		{wantInts, []spirv.Op{
			spirv.OpGroupIAdd, spirv.OpGroupSMin, spirv.OpGroupUMin, spirv.OpGroupSMax, spirv.OpGroupUMax, spirv.OpGroupIMulKHR,
			spirv.OpGroupBitwiseAndKHR, spirv.OpGroupBitwiseOrKHR, spirv.OpGroupBitwiseXorKHR,
		}},
		{wantFloats, []spirv.Op{
			spirv.OpGroupFAdd, spirv.OpGroupFMin, spirv.OpGroupFMax, spirv.OpGroupFMulKHR,
		}},
		{wantBool, []spirv.Op{spirv.OpGroupLogicalAndKHR, spirv.OpGroupLogicalOrKHR, spirv.OpGroupLogicalXorKHR}},
	} {
		for _, op := range o.ops {
			t[op] = kernelForm{"SPV-Kernel-Group", o.want, []kernelWant{wantScope, wantSame}}
		}
	}
	for _, op := range [...]spirv.Op{ // of AMD's, the sign may differ
		spirv.OpGroupIAddNonUniformAMD, spirv.OpGroupSMinNonUniformAMD, spirv.OpGroupUMinNonUniformAMD, spirv.OpGroupSMaxNonUniformAMD,
		spirv.OpGroupUMaxNonUniformAMD,
	} {
		t[op] = kernelForm{"SPV-Kernel-Group", wantInts, []kernelWant{wantScope, wantAlike}}
	}
	for _, op := range [...]spirv.Op{spirv.OpGroupFAddNonUniformAMD, spirv.OpGroupFMinNonUniformAMD, spirv.OpGroupFMaxNonUniformAMD} {
		t[op] = kernelForm{"SPV-Kernel-Group", wantFloats, []kernelWant{wantScope, wantSame}}
	}
	for _, op := range [...]spirv.Op{spirv.OpSubgroupShuffleINTEL, spirv.OpSubgroupShuffleXorINTEL} {
		t[op] = kernelForm{"SPV-Kernel-Group", wantScalars, []kernelWant{wantSame, wantWord}}
	}
	for _, op := range [...]spirv.Op{spirv.OpSubgroupShuffleDownINTEL, spirv.OpSubgroupShuffleUpINTEL} {
		t[op] = kernelForm{"SPV-Kernel-Group", wantScalars, []kernelWant{wantSame, wantSame, wantWord}}
	}
	pipeForms(t)
	enqueueForms(t)
	return t
}

// pipeForms adds the instructions on pipes; all end in the size and the
// alignment of a packet.
func pipeForms(t map[spirv.Op]kernelForm) {
	add := func(op spirv.Op, result kernelWant, takes ...kernelWant) {
		t[op] = kernelForm{"SPV-Kernel-Pipe", result, append(takes, wantWord)}
	}
	add(spirv.OpReadPipe, wantWord, wantPipe, wantPointer)
	add(spirv.OpWritePipe, wantWord, wantPipe, wantPointer)
	add(spirv.OpReservedReadPipe, wantWord, wantPipe, wantReserve, wantWord, wantPointer)
	add(spirv.OpReservedWritePipe, wantWord, wantPipe, wantReserve, wantWord, wantPointer)
	add(spirv.OpReserveReadPipePackets, wantReserve, wantPipe)
	add(spirv.OpReserveWritePipePackets, wantReserve, wantPipe)
	add(spirv.OpCommitReadPipe, wantNone, wantPipe, wantReserve)
	add(spirv.OpCommitWritePipe, wantNone, wantPipe, wantReserve)
	add(spirv.OpIsValidReserveId, wantBool, wantReserve)
	add(spirv.OpGetNumPipePackets, wantWord, wantPipe)
	add(spirv.OpGetMaxPipePackets, wantWord, wantPipe)
	add(spirv.OpGroupReserveReadPipePackets, wantReserve, wantScope, wantPipe)
	add(spirv.OpGroupReserveWritePipePackets, wantReserve, wantScope, wantPipe)
	add(spirv.OpGroupCommitReadPipe, wantNone, wantScope, wantPipe, wantReserve)
	add(spirv.OpGroupCommitWritePipe, wantNone, wantScope, wantPipe, wantReserve)
	add(spirv.OpReadPipeBlockingALTERA, wantNone, wantPipe, wantPointer)
	add(spirv.OpWritePipeBlockingALTERA, wantNone, wantPipe, wantPointer)
	add(spirv.OpConstantPipeStorage, wantStorage)
	add(spirv.OpCreatePipeFromPipeStorage, wantPipe, wantStorage)
}

// enqueueForms adds the instructions by which a device enqueues.
func enqueueForms(t map[spirv.Op]kernelForm) {
	add := func(op spirv.Op, result kernelWant, takes ...kernelWant) {
		t[op] = kernelForm{"SPV-Kernel-Enqueue", result, append(takes, wantAnything)}
	}
	add(spirv.OpEnqueueMarker, wantWord, wantQueue, wantWord, wantPointer, wantPointer)
	add(spirv.OpEnqueueKernel, wantWord, wantQueue, wantWord, wantStruct, wantWord, wantPointer, wantPointer, wantFunction, wantPointer, wantWord, wantWord)
	add(spirv.OpGetKernelNDrangeSubGroupCount, wantWord, wantStruct, wantFunction, wantPointer, wantWord, wantWord)
	add(spirv.OpGetKernelNDrangeMaxSubGroupSize, wantWord, wantStruct, wantFunction, wantPointer, wantWord, wantWord)
	add(spirv.OpGetKernelWorkGroupSize, wantWord, wantFunction, wantPointer, wantWord, wantWord)
	add(spirv.OpGetKernelPreferredWorkGroupSizeMultiple, wantWord, wantFunction, wantPointer, wantWord, wantWord)
	add(spirv.OpGetKernelLocalSizeForSubgroupCount, wantWord, wantWord, wantFunction, wantPointer, wantWord, wantWord)
	add(spirv.OpGetKernelMaxNumSubgroups, wantWord, wantFunction, wantPointer, wantWord, wantWord)
	add(spirv.OpRetainEvent, wantNone, wantDevice)
	add(spirv.OpReleaseEvent, wantNone, wantDevice)
	add(spirv.OpCreateUserEvent, wantDevice)
	add(spirv.OpIsValidEvent, wantBool, wantDevice)
	add(spirv.OpSetUserEventStatus, wantNone, wantDevice, wantWord)
	add(spirv.OpCaptureEventProfilingInfo, wantNone, wantDevice, wantWord, wantPointer)
	add(spirv.OpGetDefaultQueue, wantQueue)
	add(spirv.OpBuildNDRange, wantStruct, wantSizes, wantSizes, wantSizes)
}

// kernelOps are the instructions of kernelForms, in their order.
func kernelOps() []spirv.Op {
	var out []spirv.Op
	for _, r := range spirv.Ops() {
		if _, ok := kernelForms[spirv.Op(r.Value())]; ok {
			out = append(out, spirv.Op(r.Value()))
		}
	}
	return out
}

// kernel checks the types of one of them.
func (c *checker) kernel(i int, in spirv.Inst) {
	op := in.Op()
	f := kernelForms[op]
	var result *facts.Type
	if op.HasType() {
		if result = c.m.Type(in.Type()); result != nil && f.result.ok != nil && !f.result.ok(result) {
			c.fail(i, f.code, "%s yields %s; must yield %s", op, c.typeName(result), f.result.words)
			return
		}
	}
	c.idPositions = c.code.IDs(i, c.idPositions[:0])
	n := 0
	for _, at := range c.idPositions {
		if at > 1 || !op.HasType() {
			n++
			if !c.kernelOperand(i, &f, result, n, spirv.ID(in[at])) {
				return
			}
		}
	}
	w, ok := c.code.Tail(i)
	for ok && w.Next() {
		if w.Kind.Category() == spirv.CategoryID && !w.Parameter {
			n++
			if !c.kernelOperand(i, &f, result, n, spirv.ID(w.Words[0])) {
				return
			}
		}
	}
}

// kernelOperand checks operand n and returns whether it is right.
func (c *checker) kernelOperand(i int, f *kernelForm, result *facts.Type, n int, id spirv.ID) bool {
	w := &f.takes[min(n, len(f.takes))-1]
	d, t := c.code.DefInst(id), c.m.TypeOf(id)
	bad := false
	switch {
	case d == nil:
	case w.ok != nil:
		bad = t != nil && !w.ok(t)
	case w.words == wantFunction.words:
		bad = d.Op() != spirv.OpFunction
	case w.words == wantAlike.words:
		bad = t != nil && result != nil && (!wantInts.ok(t) || t.Components() != result.Components() || t.Scalar().Width != result.Scalar().Width)
	default:
		bad = unlike(t, result)
	}
	if bad {
		c.fail(i, f.code, "operand %d of %s is %s, the result of %s; must be %s", n, c.code.Inst(i).Op(), c.name(id), d.Op(), w.words)
	}
	return !bad
}

// sizeOf checks that the object of OpSizeOf has a size.
func (c *checker) sizeOf(i int, in spirv.Inst) {
	if t := c.m.TypeOf(inst.SizeOf(in).Pointer()); t.IsPointer() && t.Elem != nil && !c.concrete(t.Elem) {
		c.fail(i, "SPV-Kernel-Concrete", "OpSizeOf of a pointer to %s; must be to a concrete type", c.typeName(t.Elem))
	}
}

// groupCopy checks the pointers and the counts of OpGroupAsyncCopy and OpUntypedGroupAsyncCopyKHR,
// which has the size of an element as a further count.
func (c *checker) groupCopy(i int, in spirv.Inst) {
	counts := 2
	if in.Op() == spirv.OpUntypedGroupAsyncCopyKHR {
		counts = 3
	}
	v := inst.GroupAsyncCopy(in)
	to, from := c.m.TypeOf(v.Destination()), c.m.TypeOf(v.Source())
	if !to.IsPointer() || !from.IsPointer() {
		return
	}
	const local, global = spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup
	switch {
	case !(to.Storage == local && from.Storage == global || to.Storage == global && from.Storage == local):
		c.fail(i, "SPV-Kernel-Copy", "a group copy from %s to %s; must be between Workgroup and CrossWorkgroup", from.Storage, to.Storage)
	case to.Elem != nil && !(isNumbers(to.Elem) && !to.Elem.IsMatrix()):
		c.fail(i, "SPV-Kernel-Copy", "a group copy to %s; must be numbers or vectors of numbers", c.typeName(to.Elem))
	case to.Elem != nil && from.Elem != nil && to.Elem != from.Elem:
		c.fail(i, "SPV-Kernel-Copy", "a group copy from %s to %s; must be of one type", c.typeName(from.Elem), c.typeName(to.Elem))
	}
	width := uint32(32)
	if c.m.Addressing == spirv.AddressingModelPhysical64 {
		width = 64
	}
	for _, id := range spirv.IDs(in[6 : 6+counts]) {
		if t := c.m.TypeOf(id); t.IsInt() && t.Width != width {
			c.fail(i, "SPV-Kernel-Copy", "the operand %s of a group copy is %s; must have %d bits as the addresses have", c.name(id), c.typeName(t), width)
			return
		}
	}
}

// prefetch checks the optional operands of OpUntypedPrefetchKHR: RW, Locality and Cache Type.
func (c *checker) prefetch(i int, in spirv.Inst) {
	const code = "SPV-Kernel-Prefetch"
	hints := spirv.IDs(in[3:])
	greatest := [...]uint64{1, 3, 1}
	if n := len(hints); n > 0 && n < len(greatest) {
		c.fail(i, code, "OpUntypedPrefetchKHR has %d of the %d optional operands; must have all or none", n, len(greatest))
	}
	for n, id := range hints[:min(len(hints), len(greatest))] {
		switch k := c.m.Const(id); {
		case k == nil && c.code.DefInst(id) != nil:
			c.fail(i, code, "operand %d of OpUntypedPrefetchKHR is %s; must be a constant", n+3, c.name(id))
		case k != nil && k.Known && !k.Spec && k.Bits > greatest[n]:
			c.fail(i, code, "operand %d of OpUntypedPrefetchKHR is %d; must be at most %d", n+3, k.Bits, greatest[n])
		}
	}
}

// waitEvents checks the list of OpGroupWaitEvents.
func (c *checker) waitEvents(i int, in spirv.Inst) {
	t := c.m.TypeOf(inst.GroupWaitEvents(in).EventsList())
	if t.IsPointer() && t.Elem != nil && t.Elem.Op != spirv.OpTypeEvent {
		c.fail(i, "SPV-Kernel-Events", "the events of OpGroupWaitEvents are %s; must be events", c.typeName(t.Elem))
	}
}
