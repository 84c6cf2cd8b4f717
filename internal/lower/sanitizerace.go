package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// With SanitizeRace invocations log their accesses of buffers, images and workgroup memory and their barriers, for the detector of
// data races (exec/race.go), which also finds barriers that not all reach. An invocation without a workgroup logs what identifies it.

var racing = finding{ir.SanitizeRace, "data races"}

// maxTraced bounds the parts of an access; a larger value is one part, from its first byte to its last.
const maxTraced = 64

// trace logs an event.
func (f *function) trace(of finding, e ir.Event, args ...ir.V) {
	site := f.site(of)
	at := tracedAt{site, e}
	n, ok := f.traced[at]
	if !ok {
		if len(f.prog.Messages) >= maxChecks {
			f.loseEvent(site)
			return
		}
		if f.traced == nil {
			f.traced = map[tracedAt]uint64{}
		}
		n = uint64(len(f.prog.Messages))
		f.traced[at] = n
		types := f.typesOf(args)
		if !hasWorkgroups(f.prog.Stage) {
			for _, x := range f.identity() {
				types = append(types, x.Type)
				site.Where++
			}
		}
		f.prog.Messages = append(f.prog.Messages, ir.Message{Kind: ir.Traced, Args: types, Site: site, Event: e})
	}
	switch {
	case !hasWorkgroups(f.prog.Stage):
		f.log(n, args)
		f.logIdentity()
	case len(args) == 1:
		f.b.OpAux(ir.LogEvent, f.b.Func.Type(args[0]), n, args[0], f.b.I32(0))
	case len(args) == 2:
		f.b.OpAux(ir.LogEvent, f.b.Func.Type(args[0]), n, args...)
	default:
		f.log(n, args)
	}
}

// loseEvent notes that the program has an event that it does not log. Without a barrier or an access the detector would find races
// that do not exist, so that it checks none of the program.
func (f *function) loseEvent(at ir.Site) {
	if !f.lost {
		f.prog.Messages = append(f.prog.Messages, ir.Message{Kind: ir.Traced, Site: at, Event: ir.Event{Kind: ir.LostEvent}})
		f.lost = true
	}
}

// tracedAt identifies the message of an event.
type tracedAt struct {
	site  ir.Site
	event ir.Event
}

// traceLoad and others trace the accesses of an instruction.
func traceLoad(f *function, in spirv.Inst) {
	v := inst.Load(in)
	m, _ := v.MemoryAccess()
	f.tracePointer(v.Pointer(), f.facts.Type(v.Type()), ir.Event{Read: true, Private: f.notShared(m)})
}

func traceStore(f *function, in spirv.Inst) {
	v := inst.Store(in)
	m, _ := v.MemoryAccess()
	f.tracePointer(v.Pointer(), f.typeOf(v.Object()), ir.Event{Write: true, Private: f.notShared(m)})
}

// traceCopy: the first memory operands are of both accesses, unless the source has its own.
func traceCopy(f *function, in spirv.Inst) {
	v := inst.CopyMemory(in)
	target, _ := v.MemoryAccess()
	source, ok := v.MemoryAccess2()
	if !ok {
		source = target
	}
	t := f.typeOf(v.Source()).Elem
	if f.typeOf(v.Source()).Op == spirv.OpTypeUntypedPointerKHR {
		t = f.typeOf(v.Target()).Elem
	}
	f.tracePointer(v.Source(), t, ir.Event{Read: true, Private: f.notShared(source)})
	f.tracePointer(v.Target(), t, ir.Event{Write: true, Private: f.notShared(target)})
}

// traces reports whether the accesses of memory are events. In stages without workgroups and patches control barriers and the fragment shader
// interlock, whose order the detector does not follow, exclude that, and modules that only read have no races.
func (f *function) traces() bool {
	return f.sanitizes(ir.SanitizeRace) && (inGroups(f.prog.Stage) || f.racesAlone())
}

// racesAlone reports whether the module writes memory that invocations share, and has no control barriers and no interlock.
func (u *unit) racesAlone() bool {
	if u.alone == nil {
		writes, orders := false, false
		for i := range u.facts.Code.Len() {
			in := u.facts.Code.Inst(i)
			switch op := in.Op(); op {
			case spirv.OpControlBarrier, spirv.OpControlBarrierArriveEXT, spirv.OpBeginInvocationInterlockEXT:
				orders = true
			case spirv.OpImageWrite, spirv.OpTensorWriteARM:
				writes = true
			case spirv.OpStore, spirv.OpCopyMemory, spirv.OpCopyMemorySized, spirv.OpCooperativeVectorStoreNV,
				spirv.OpCooperativeMatrixStoreKHR, spirv.OpCooperativeMatrixStoreNV, spirv.OpCooperativeMatrixStoreTensorNV:
				t := u.facts.TypeOf(spirv.ID(in[1]))
				writes = writes || t == nil || t.Storage != spirv.StorageClassFunction && t.Storage != spirv.StorageClassPrivate && t.Storage != spirv.StorageClassOutput
			default:
				_, atomic := atomicRules[op]
				writes = writes || atomic && op != spirv.OpAtomicLoad
			}
		}
		is := (writes || u.options.FollowMemory) && !orders
		u.alone = &is
	}
	return *u.alone
}

// traceBytes logs an access of contiguous bytes of which the instruction has no type, with its memory operands.
func (f *function) traceBytes(p *pointer, size uint32, m spirv.MemoryAccess, e ir.Event) {
	if e.Private = f.notShared(m); f.traces() && f.sharedMemory(p, &e) {
		f.tracePart(p, size, e)
	}
}

func traceAtomicLoad(f *function, in spirv.Inst) {
	v := inst.AtomicLoad(in)
	f.traceAtomic(v.Pointer(), f.facts.Type(in.Type()), v.Memory(), v.Semantics(), ir.Event{Read: true})
}

func traceAtomicStore(f *function, in spirv.Inst) {
	v := inst.AtomicStore(in)
	f.traceAtomic(v.Pointer(), f.typeOf(v.Value()), v.Memory(), v.Semantics(), ir.Event{Write: true})
}

func traceAtomicUpdate(f *function, in spirv.Inst) {
	v := inst.AtomicIIncrement(in) // all begin with the same operands
	f.traceAtomic(v.Pointer(), f.facts.Type(in.Type()), v.Memory(), v.Semantics(), ir.Event{Read: true, Write: true})
}

func (f *function) traceAtomic(pointer spirv.ID, t *facts.Type, scope, semantics spirv.ID, e ir.Event) {
	e.Atomic, e.Scope = true, f.eventScope(scope)
	e.Acquire, e.Release = f.ordered(semantics)
	if !e.Read {
		e.Acquire = 0
	}
	if !e.Write {
		e.Release = 0
	}
	f.tracePointer(pointer, t, e)
}

// traceCompareExchange: an equal value makes it a read and a write with the semantics Equal, another one
// a read with the semantics Unequal (SPIR-V, "OpAtomicCompareExchange").
func traceCompareExchange(f *function, in spirv.Inst) {
	v := inst.AtomicCompareExchange(in)
	t := f.facts.Type(in.Type())
	equal := f.b.Cmp(ir.Eq, f.scalars(in.Result())[0], f.scalars(v.Comparator())[0])
	f.guard(equal)
	f.traceAtomic(v.Pointer(), t, v.Memory(), v.Equal(), ir.Event{Read: true, Write: true})
	f.b.End()
	f.guard(f.not(equal))
	f.traceAtomic(v.Pointer(), t, v.Memory(), v.Unequal(), ir.Event{Read: true})
	f.b.End()
}

func traceMemoryBarrier(f *function, in spirv.Inst) {
	v := inst.MemoryBarrier(in)
	e := ir.Event{Kind: ir.FenceEvent, Scope: f.eventScope(v.Memory())}
	e.Acquire, e.Release = f.ordered(v.Semantics())
	f.trace(racing, e)
}

// traceControlBarrier traces a control barrier, or a half of a split one. All have the same operands.
func traceControlBarrier(kind ir.EventKind) func(f *function, in spirv.Inst) {
	return func(f *function, in spirv.Inst) {
		v := inst.ControlBarrier(in)
		e := ir.Event{Kind: kind, Scope: f.eventScope(v.Memory()), Execution: f.eventScope(v.Execution())}
		e.Acquire, e.Release = f.ordered(v.Semantics())
		if f.prog.Stage == ir.TessControl && e.Execution <= ir.EventGroup { // the patch, whatever the semantics
			e.Acquire, e.Release, e.Scope = e.Acquire|1<<ir.EventOutputs, e.Release|1<<ir.EventOutputs, min(e.Scope, ir.EventGroup)
		}
		of := racing
		if f.sanitizes(ir.SanitizeUniform) {
			of = partialBarrier
			if kind == ir.ArriveEvent && e.Execution == ir.EventGroup {
				of = partialSplit
			}
		}
		f.trace(of, e)
	}
}

// sharing is the widest scopes to which the instructions of a module make stores available to other invocations, and memory visible:
// of each domain. EventInvocation is none.
type sharing struct {
	found              bool
	available, visible [ir.EventDomains]uint8
}

// findShares finds the scopes to which the instructions of the module make stores available and memory visible.
func (u *unit) findShares() {
	if u.shares.found {
		return
	}
	s := &u.shares
	s.found = true
	for d := range s.available {
		s.available[d], s.visible[d] = ir.EventInvocation, ir.EventInvocation
	}
	for i := range u.facts.Code.Len() {
		in := u.facts.Code.Inst(i)
		switch op := in.Op(); op {
		case spirv.OpLoad:
			u.shareAccess(in, 4)
		case spirv.OpStore:
			u.shareAccess(in, 3)
		case spirv.OpCopyMemory:
			u.shareAccess(in, 3)
			if m, ok := inst.CopyMemory(in).MemoryAccess2(); ok {
				s.shareMask(m, ir.EventDevice, ir.EventDevice)
			}
		case spirv.OpImageRead, spirv.OpImageSparseRead:
			u.shareTexel(in, 5)
		case spirv.OpImageWrite:
			u.shareTexel(in, 4)
		case spirv.OpControlBarrier, spirv.OpControlBarrierArriveEXT, spirv.OpControlBarrierWaitEXT:
			u.shareSemantics(in[2], in[3])
		case spirv.OpMemoryBarrier:
			u.shareSemantics(in[1], in[2])
		case spirv.OpAtomicStore:
			u.shareSemantics(in[2], in[3])
		case spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak:
			u.shareSemantics(in[4], in[5])
			u.shareSemantics(in[4], in[6]) // of another value
		case spirv.OpCopyMemorySized, spirv.OpCooperativeVectorLoadNV, spirv.OpCooperativeVectorStoreNV,
			spirv.OpCooperativeMatrixLoadKHR, spirv.OpCooperativeMatrixStoreKHR, spirv.OpCooperativeMatrixLoadNV, spirv.OpCooperativeMatrixStoreNV,
			spirv.OpCooperativeMatrixLoadTensorNV, spirv.OpCooperativeMatrixStoreTensorNV, spirv.OpTensorReadARM, spirv.OpTensorWriteARM:
			s.share(1<<ir.EventDomains-1, ir.EventDevice, true, true) // their operands are not read
		default:
			if _, atomic := atomicRules[op]; atomic {
				u.shareSemantics(in[4], in[5])
			}
		}
	}
}

// share widens the scopes of a set of domains.
func (s *sharing) share(domains, scope uint8, available, visible bool) {
	for d := range ir.EventDomains {
		if domains>>d&1 == 0 {
			continue
		}
		if available {
			s.available[d] = min(s.available[d], scope)
		}
		if visible {
			s.visible[d] = min(s.visible[d], scope)
		}
	}
}

// shareSemantics adds the scope and the semantics of an instruction. Semantics that are not constant have all.
func (u *unit) shareSemantics(scope, semantics uint32) {
	x := ^spirv.MemorySemantics(0)
	if c := u.facts.Const(spirv.ID(semantics)); c != nil && c.Known {
		x = spirv.MemorySemantics(c.Bits)
	}
	u.shares.share(domainsOf(x), u.eventScope(spirv.ID(scope)), x&spirv.MemorySemanticsMakeAvailableMask != 0, x&spirv.MemorySemanticsMakeVisibleMask != 0)
}

// shareAccess adds the memory operands that begin at a word of an access, whatever its memory. The scopes follow the mask in the order of its bits.
func (u *unit) shareAccess(in spirv.Inst, at int) {
	if at >= len(in) {
		return
	}
	m := spirv.MemoryAccess(in[at])
	if at++; m&spirv.MemoryAccessAlignedMask != 0 {
		at++
	}
	next := func(bit spirv.MemoryAccess) uint8 {
		if m&bit == 0 || at >= len(in) {
			return ir.EventDevice
		}
		at++
		return u.eventScope(spirv.ID(in[at-1]))
	}
	u.shares.shareMask(m, next(spirv.MemoryAccessMakePointerAvailableMask), next(spirv.MemoryAccessMakePointerVisibleMask))
}

// shareMask adds memory operands with their scopes. A volatile access has the scope Device.
func (s *sharing) shareMask(m spirv.MemoryAccess, available, visible uint8) {
	const all = 1<<ir.EventDomains - 1
	s.share(all, available, m&spirv.MemoryAccessMakePointerAvailableMask != 0, false)
	s.share(all, visible, false, m&spirv.MemoryAccessMakePointerVisibleMask != 0)
	if m&spirv.MemoryAccessVolatileMask != 0 {
		s.share(all, ir.EventDevice, true, true)
	}
}

// shareTexel adds the image operands of an access. Their scopes count as the device.
func (u *unit) shareTexel(in spirv.Inst, at int) {
	if at >= len(in) {
		return
	}
	x := spirv.ImageOperands(in[at])
	u.shares.share(1<<ir.EventImages, ir.EventDevice,
		x&(spirv.ImageOperandsMakeTexelAvailableMask|spirv.ImageOperandsVolatileTexelMask) != 0,
		x&(spirv.ImageOperandsMakeTexelVisibleMask|spirv.ImageOperandsVolatileTexelMask) != 0)
}

// sharedScope returns the widest scope to which the store of an access is available, or from which its load sees stores. An atomic has
// its own scope. Without the Vulkan memory model all accesses share.
func (f *function) sharedScope(e *ir.Event) uint8 {
	switch {
	case e.Atomic:
		return e.Scope
	case !f.facts.Capable(spirv.CapabilityVulkanMemoryModel) || e.Domain >= ir.EventDomains:
		return ir.EventDevice
	}
	f.findShares()
	scope := uint8(ir.EventDevice)
	if e.Write {
		scope = f.shares.available[e.Domain]
	}
	if e.Read {
		scope = max(scope, f.shares.visible[e.Domain])
	}
	return scope
}

// notShared reports whether an access is private: its order to those of other invocations is not defined.
func (f *function) notShared(m spirv.MemoryAccess) bool {
	const shared = spirv.MemoryAccessNonPrivatePointerMask | spirv.MemoryAccessMakePointerAvailableMask | spirv.MemoryAccessMakePointerVisibleMask | spirv.MemoryAccessVolatileMask
	return f.facts.Capable(spirv.CapabilityVulkanMemoryModel) && m&shared == 0
}

// eventScope returns the scope of an event. A scope that is not constant is the device. The invocations of a shader call have the launch ID
// of one ray generation invocation, and the detector takes those of a stage for one invocation: to others the scope orders nothing.
func (u *unit) eventScope(id spirv.ID) uint8 {
	if c := u.facts.Const(id); c != nil && c.Known {
		switch spirv.Scope(c.Bits) {
		case spirv.ScopeWorkgroup:
			return ir.EventGroup
		case spirv.ScopeSubgroup:
			return ir.EventSubgroup
		case spirv.ScopeInvocation, spirv.ScopeShaderCallKHR:
			return ir.EventInvocation
		}
	}
	return ir.EventDevice
}

// ordered returns the domains of acquire and of release semantics. Semantics that are not constant order all.
func (f *function) ordered(id spirv.ID) (acquire, release uint8) {
	c := f.facts.Const(id)
	if c == nil || !c.Known {
		return 1<<ir.EventDomains - 1, 1<<ir.EventDomains - 1
	}
	s := spirv.MemorySemantics(c.Bits)
	set := domainsOf(s)
	const both = spirv.MemorySemanticsAcquireReleaseMask | spirv.MemorySemanticsSequentiallyConsistentMask
	if s&(both|spirv.MemorySemanticsAcquireMask) != 0 {
		acquire = set
	}
	if s&(both|spirv.MemorySemanticsReleaseMask) != 0 {
		release = set
	}
	return acquire, release
}

// domainsOf returns the domains of memory semantics.
func domainsOf(s spirv.MemorySemantics) (set uint8) {
	if s&(spirv.MemorySemanticsUniformMemoryMask|spirv.MemorySemanticsCrossWorkgroupMemoryMask) != 0 {
		set |= 1 << ir.EventBuffers
	}
	if s&spirv.MemorySemanticsWorkgroupMemoryMask != 0 {
		set |= 1 << ir.EventWorkgroup
	}
	if s&spirv.MemorySemanticsImageMemoryMask != 0 {
		set |= 1 << ir.EventImages
	}
	return set
}

// tracePointer logs an access through a pointer to a type.
func (f *function) tracePointer(id spirv.ID, t *facts.Type, e ir.Event) {
	if t == nil || isObject(innermost(t)) {
		return
	}
	p := f.typedPointer(id, t)
	if p.texel != nil {
		f.traceTexel(p.texel, e)
		return
	}
	if p.typ == nil || !f.sharedMemory(p, &e) {
		return
	}
	n := len(f.flat(p.typ))
	if n == 0 { // structures without members have no bytes
		return
	}
	if p.typ.IsScalar() || p.typ.IsVector() && !p.matrix.rowMajor || n > maxTraced {
		f.tracePart(p, uint32(min(f.sizeOf(p), farAway)), e)
		return
	}
	f.scalarsAt(*p, func(part *pointer, t ir.Type) { f.tracePart(part, t.Size(), e) })
}

// sharedMemory sets the memory of an event. It returns false for memory of one invocation, and of constants.
func (f *function) sharedMemory(p *pointer, e *ir.Event) bool {
	switch p.class {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassPhysicalStorageBuffer:
		e.Domain = ir.EventBuffers
	case spirv.StorageClassWorkgroup, spirv.StorageClassTaskPayloadWorkgroupEXT:
		e.Domain = ir.EventWorkgroup
	default:
		return false
	}
	replaces := f.facts.Code.Inst(f.at).Op() == spirv.OpAtomicExchange // the old value may have no use
	e.Uninit = p.class == spirv.StorageClassWorkgroup && f.sanitizes(ir.SanitizeUninit) && f.followsShared() && !f.shadowsShared() && !replaces
	e.Kind, e.Memory, e.Scope = ir.AccessEvent, f.memoryOf(p), f.sharedScope(e)
	if e.Domain == ir.EventBuffers && p.memory == inBuffer && !p.heap && p.number < uint64(len(f.prog.Res)) {
		f.bindEvent(e, int(p.number))
	}
	return (p.memory == inBuffer || p.memory == physical) && !p.checked
}

// bindEvent sets the resource of an access.
func (f *function) bindEvent(e *ir.Event, number int) {
	r := f.prog.Res[number]
	e.Bound, e.Set, e.Binding, e.Resource = !r.Heap, r.Set, r.Binding, r.Kind
}

// tracePart logs an access of contiguous bytes, if they are in range.
func (f *function) tracePart(p *pointer, size uint32, e ir.Event) {
	e.Size = size
	wide := func(v ir.V) ir.V { return f.b.Op(ir.ZExt, ir.I64, v) }
	q, args := p, []ir.V(nil)
	if p.memory == physical {
		args = []ir.V{f.addressOf(p)}
		q = f.regionPointer(p, 1)
	} else {
		element := p.element
		if element == 0 {
			element = f.b.I32(0)
		}
		args = []ir.V{f.offsetValue(p.offset), element}
	}
	at := f.offsetValue(q.offset)
	end := f.b.Op(ir.Add, ir.I64, wide(at), f.b.Const(ir.I64, uint64(size)))
	f.guard(f.not(f.b.Cmp(ir.ULt, wide(f.b.Op(ir.Len, ir.I32, q.handle)), end)))
	f.trace(racing, e, args...)
	f.b.End()
}

// sizeOf returns the bytes of the pointee, up to its last scalar.
func (f *function) sizeOf(p *pointer) uint64 {
	if p.natural || p.memory != inBuffer && p.memory != physical {
		return f.extent(p.typ).size
	}
	return f.reach(p.typ, p.matrix.stride, p.matrix.rowMajor)
}

// reach is [facts.Type.Size] without the arrays at the end of a value whose elements are structures without members: they have a
// stride and no bytes. An access touches none of them.
func (u *unit) reach(t *facts.Type, stride uint32, rowMajor bool) uint64 {
	switch {
	case u.memberExtent(t).size == 0:
		return 0
	case t.IsArray() && t.Count > 0 && t.Elem.IsComposite() && !t.Elem.IsVector():
		return add(mul(t.Count-1, u.arrayStride(t)), u.reach(t.Elem, stride, rowMajor))
	case !t.IsStruct():
		return t.Size(stride, rowMajor)
	}
	if end, ok := u.reaches[t]; ok {
		return end
	}
	end := uint64(0)
	for i := range t.Members {
		m := &t.Members[i]
		if n := u.reach(m.Type, m.MatrixStride, m.RowMajor); n > 0 {
			end = max(end, add(u.memberOffset(t, i), n))
		}
	}
	u.reaches[t] = end
	return end
}

// followsShared reports whether all stores to workgroup memory are events: no variable has an initializer, and no instruction
// stores values of other kinds.
func (u *unit) followsShared() bool {
	for _, c := range []spirv.Capability{
		spirv.CapabilityUntypedPointersKHR, spirv.CapabilityCooperativeMatrixKHR, spirv.CapabilityCooperativeMatrixNV, spirv.CapabilityCooperativeVectorNV,
	} {
		if u.facts.Capable(c) {
			return false
		}
	}
	return !slices.ContainsFunc(u.facts.Variables, func(v facts.Variable) bool { return v.Storage == spirv.StorageClassWorkgroup && v.Init != 0 })
}
