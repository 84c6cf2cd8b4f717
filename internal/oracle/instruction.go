package oracle

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// ids are the built-in inputs of an invocation.
type ids struct {
	group, local, global, groups, size [3]uint32
	index                              uint32
}

// newIDs returns the inputs of invocation i: groups in order, x fastest.
func newIDs(job *Job, size [3]uint32, i uint64) (x ids) {
	n := uint64(size[0]) * uint64(size[1]) * uint64(size[2])
	g, l := i/n, i%n
	x.index, x.size, x.groups = uint32(l), size, job.Groups
	for a := range 3 {
		x.group[a] = job.Base[a] + uint32(g%uint64(job.Groups[a]))
		g /= uint64(job.Groups[a])
		x.local[a] = uint32(l % uint64(size[a]))
		l /= uint64(size[a])
		x.global[a] = x.group[a]*size[a] + x.local[a]
	}
	return x
}

// localSize returns the size of a workgroup.
func (m *dispatch) localSize() (size [3]uint32) {
	size = [3]uint32{1, 1, 1}
	if x, ok := m.job.Entry.Mode(spirv.ExecutionModeLocalSize); ok {
		for i := range min(3, len(x.Operands)) {
			size[i] = uint32(x.Operands[i])
		}
	} else if x, ok := m.job.Entry.Mode(spirv.ExecutionModeLocalSizeId); ok {
		for i := range min(3, len(x.Operands)) {
			if c := m.m.Const(spirv.ID(x.Operands[i])); c != nil {
				size[i] = uint32(c.Bits)
			}
		}
	}
	for id, member := range m.m.Decorated() {
		if b, ok := m.m.BuiltIn(id); ok && member < 0 && b == spirv.BuiltInWorkgroupSize {
			for i := range 3 {
				if c := m.m.Const(id); c != nil && c.Elem(i) != nil {
					size[i] = uint32(c.Elem(i).Bits)
				}
			}
		}
	}
	return size
}

// variable returns the pointer to a variable of module scope.
func (x *frame) variable(v *facts.Variable) *pointer {
	p := &pointer{pointee: v.Type}
	switch v.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		set, ok := x.m.Decoration(v.ID, spirv.DecorationDescriptorSet)
		binding, ok2 := x.m.Decoration(v.ID, spirv.DecorationBinding)
		if ok && ok2 {
			p.buffer = x.buffers[Place{set.Literal(), binding.Literal()}]
		}
		if p.buffer == nil {
			x.undecided("a buffer that is not bound")
		}
		if v.Storage == spirv.StorageClassUniform { // which may be a storage buffer, too
			p.buffer.align = uniformAlignment
		}
	case spirv.StorageClassPushConstant:
		p.buffer = x.push
	case spirv.StorageClassInput:
		if p.local = x.locals[v.ID]; p.local == nil && x.shading != nil {
			p.local = x.shaderInput(v)
		} else if p.local == nil {
			p.local = x.input(v)
		}
	case spirv.StorageClassOutput:
		if x.group.mesh != nil {
			p.local = x.output(v)
			break
		}
		if x.group.control != nil {
			p.local = x.controlOutput(v)
			break
		}
		if x.shading == nil {
			x.undecided("memory of the storage class %s", v.Storage)
		}
		p.local = x.own(v.ID, v.Type, v.Init)
	case spirv.StorageClassWorkgroup:
		l := x.group.shared[v.ID]
		if l == nil {
			l = x.newLocal(v.ID, v.Type, v.Init)
			l.owners, l.sums = make([]owner, len(l.leaves)), make([]sum, len(l.leaves))
			x.group.shared[v.ID] = l
		}
		p.local = l
	case spirv.StorageClassTaskPayloadWorkgroupEXT:
		p.local = x.payload(v)
	case spirv.StorageClassPrivate:
		p.local = x.own(v.ID, v.Type, v.Init)
	default:
		x.undecided("memory of the storage class %s", v.Storage)
	}
	return p
}

// own returns a Private variable of the invocation.
func (x *frame) own(id spirv.ID, t *facts.Type, init spirv.ID) *local {
	if l := x.locals[id]; l != nil {
		return l
	}
	l := x.newLocal(id, t, init)
	x.locals[id] = l
	return l
}

func (x *frame) newLocal(id spirv.ID, t *facts.Type, init spirv.ID) *local {
	v, ok := anyOf(t, 0)
	if !ok {
		x.undecided("a variable of a type without a fixed size")
	}
	if init != 0 {
		v.leaves = append([]Number(nil), x.value(init).leaves...)
	}
	return &local{leaves: v.leaves, relaxed: x.m.Has(id, spirv.DecorationRelaxedPrecision)}
}

// input returns an input variable with its value.
func (x *frame) input(v *facts.Variable) *local {
	if l := x.locals[v.ID]; l != nil {
		return l
	}
	b, ok := x.m.BuiltIn(v.ID)
	if !ok {
		x.undecided("an input that is no built-in")
	}
	var list []uint32
	switch b {
	case spirv.BuiltInGlobalInvocationId:
		list = x.ids.global[:]
	case spirv.BuiltInLocalInvocationId:
		list = x.ids.local[:]
	case spirv.BuiltInWorkgroupId:
		list = x.ids.group[:]
	case spirv.BuiltInNumWorkgroups:
		list = x.ids.groups[:]
	case spirv.BuiltInWorkgroupSize:
		list = x.ids.size[:]
	case spirv.BuiltInLocalInvocationIndex:
		list = []uint32{x.ids.index}
	case spirv.BuiltInViewIndex: // of a mesh shader
		list = []uint32{x.viewIndex}
	default:
		if list = x.subgroupInput(b); list != nil {
			break
		}
		any, ok := anyOf(v.Type, 0)
		if !ok {
			x.undecided("an input of a type without a fixed size")
		}
		return &local{leaves: any.leaves}
	}
	l := &local{}
	for _, n := range list {
		l.leaves = append(l.leaves, Number{Bits: uint64(n)})
	}
	x.locals[v.ID] = l
	return l
}

// step executes an instruction that is no terminator.
func (x *frame) step(i int) {
	in := x.m.Code.Inst(i)
	switch in.Op() {
	case spirv.OpPhi, spirv.OpLine, spirv.OpNoLine, spirv.OpSelectionMerge, spirv.OpLoopMerge, spirv.OpNop, spirv.OpName:
		return
	case spirv.OpExtInst:
		if x.m.ExtSet(spirv.ID(in[3])).NonSemantic() {
			return
		}
	}
	x.count(i)
	x.execute(in, i)
	if x.decorated {
		x.loose(in)
	}
}

func (x *frame) execute(in spirv.Inst, i int) {
	id := func(k int) spirv.ID { return spirv.ID(in[k]) }
	x.private = x.isPrivate(in)
	if x.groupOperation(in, i) || x.derivative(in, i) || x.opaque(in, i) || x.emit(in) || x.setSizes(in) {
		return
	}
	switch op := in.Op(); op {
	case spirv.OpVariable:
		t := x.m.Type(in.Type())
		init := spirv.ID(0)
		if len(in) > 4 {
			init = id(4)
		}
		x.vals[in.Result()] = value{to: &pointer{local: x.newLocal(in.Result(), t.Elem, init), pointee: t.Elem}}
	case spirv.OpLoad:
		x.vals[in.Result()] = x.load(x.pointer(id(3)), i+1)
	case spirv.OpStore:
		x.store(x.pointer(id(1)), x.value(id(2)))
	case spirv.OpCopyMemory:
		x.store(x.pointer(id(1)), x.load(x.pointer(id(2)), i+1))
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		p := *x.pointer(id(3))
		for _, k := range in[4:] {
			n := x.value(spirv.ID(k)).leaves[0]
			if c := x.m.TypeOf(spirv.ID(k)); c.IsInt() && c.Signed && c.Width < 64 && n.Bits>>(c.Width-1)&1 == 1 {
				p.lost = true // a negative index
				n.Bits = 0
			}
			p = x.index(p, n)
		}
		x.vals[in.Result()] = value{to: &p}
	case spirv.OpArrayLength:
		x.arrayLength(in)
	case spirv.OpFunctionCall:
		f := x.m.Function(id(3))
		if f == nil || len(in)-4 != len(f.Params) {
			x.undecided("a call of no function")
		}
		var args []value
		for _, k := range in[4:] {
			args = append(args, x.value(spirv.ID(k)))
		}
		x.vals[in.Result()] = x.call(f, args)
	case spirv.OpControlBarrier:
		x.barrier(in)
	case spirv.OpMemoryBarrier: // orders nothing by itself
	case spirv.OpDemoteToHelperInvocation:
		if x.shading == nil {
			x.undecided("%s", op)
		}
		x.shading.discarded = true
	default:
		if x.atomic(in, i) {
			return
		}
		x.pure(in, i)
	}
}

// isPrivate reports whether no barrier orders an access to those of other invocations. With the Vulkan memory model that is one without
// NonPrivatePointer, and one that neither the access nor the barriers make available and visible.
func (x *frame) isPrivate(in spirv.Inst) bool {
	if x.m.Memory != spirv.MemoryModelVulkan {
		return false
	}
	k, own := 0, spirv.MemoryAccessMaskNone
	switch in.Op() {
	case spirv.OpLoad:
		k, own = 4, spirv.MemoryAccessMakePointerVisibleMask
	case spirv.OpStore:
		k, own = 3, spirv.MemoryAccessMakePointerAvailableMask
	case spirv.OpCopyMemory:
		k = 3
	default:
		return false
	}
	if len(in) <= k {
		return true
	}
	mask := spirv.MemoryAccess(in[k])
	switch {
	case mask&spirv.MemoryAccessNonPrivatePointerMask == 0:
		return true
	case x.available:
		return false
	case mask&own == 0:
		return true
	}
	if k++; mask&spirv.MemoryAccessAlignedMask != 0 {
		k++
	}
	if len(in) <= k {
		return true
	}
	scope := x.value(spirv.ID(in[k])).leaves[0] // one scope, since a load is only made visible and a store only made available
	return scope.Any || spirv.Scope(scope.Bits) == spirv.ScopeSubgroup || spirv.Scope(scope.Bits) == spirv.ScopeInvocation
}

// pointer returns the value of an id that is a pointer.
func (x *frame) pointer(id spirv.ID) *pointer {
	v := x.value(id)
	if v.to == nil {
		x.undecided("a pointer that is not known")
	}
	return v.to
}

// arrayLength is OpArrayLength of a buffer with a bound size.
func (x *frame) arrayLength(in spirv.Inst) {
	p := x.pointer(spirv.ID(in[3]))
	if p.buffer == nil || !p.pointee.IsStruct() || int(in[4]) >= len(p.pointee.Members) {
		x.undecided("OpArrayLength")
	}
	m := &p.pointee.Members[in[4]]
	stride := uint64(m.Type.ArrayStride)
	if stride == 0 {
		x.undecided("OpArrayLength of an array without a stride")
	}
	n, at := uint64(len(p.buffer.bytes)), p.offset+uint64(m.Offset)
	x.vals[in.Result()] = value{leaves: []Number{{Bits: (max(n, at) - at) / stride}}}
}

// pure executes an instruction without a side effect. An unknown one has any result; one that may have an effect is undecided.
func (x *frame) pure(in spirv.Inst, i int) {
	t := x.m.Type(in.Type())
	if v, ok := x.composite(in, t); ok {
		x.vals[in.Result()] = v
		return
	}
	if v, ok := x.exact(in, t); ok {
		x.vals[in.Result()] = v
		return
	}
	if v, ok := x.arithmetic(in, t, i); ok {
		x.rearranged(in, t, v)
		x.vals[in.Result()] = v
		return
	}
	name := in.Op().String()
	if !arithmetic(in.Op()) {
		x.undecided("%s", name)
	}
	v, ok := anyOf(t, i+1)
	if !ok {
		x.undecided("%s", name)
	}
	x.vals[in.Result()] = v
}

// composite executes an instruction that moves the parts of values.
func (x *frame) composite(in spirv.Inst, t *facts.Type) (v value, ok bool) {
	id := func(k int) spirv.ID { return spirv.ID(in[k]) }
	switch in.Op() {
	case spirv.OpCopyObject, spirv.OpCopyLogical: // types that match logically have the same scalars
		return x.value(id(3)), true
	case spirv.OpCompositeConstruct:
		for _, k := range in[3:] {
			v.leaves = append(v.leaves, x.value(spirv.ID(k)).leaves...)
		}
		n, fits := count(t)
		return v, fits && len(v.leaves) == n
	case spirv.OpCompositeExtract:
		from := x.value(id(3))
		at, part, ok := leafOf(x.m.TypeOf(id(3)), in[4:])
		if n, fits := count(part); ok && fits && at+n <= len(from.leaves) {
			return value{leaves: from.leaves[at : at+n]}, true
		}
	case spirv.OpCompositeInsert:
		into := x.value(id(4))
		at, _, ok := leafOf(x.m.TypeOf(id(4)), in[5:])
		part := x.value(id(3)).leaves
		if ok && at+len(part) <= len(into.leaves) {
			v.leaves = append(v.leaves, into.leaves...)
			copy(v.leaves[at:], part)
			return v, true
		}
	case spirv.OpVectorShuffle:
		both := append(append([]Number(nil), x.value(id(3)).leaves...), x.value(id(4)).leaves...)
		for _, k := range in[5:] {
			if k == ^uint32(0) {
				v.leaves = append(v.leaves, Number{Any: true})
			} else if int(k) < len(both) {
				v.leaves = append(v.leaves, both[k])
			}
		}
		n, fits := count(t)
		return v, fits && len(v.leaves) == n
	case spirv.OpVectorExtractDynamic:
		from, k := x.value(id(3)).leaves, x.value(id(4)).leaves[0]
		if !k.Any && k.Bits < uint64(len(from)) {
			return value{leaves: from[k.Bits : k.Bits+1]}, true
		}
	case spirv.OpTranspose:
		from, of := x.value(id(3)).leaves, x.m.TypeOf(id(3))
		for r := range of.Rows() {
			for c := range of.Columns() {
				v.leaves = append(v.leaves, x.flushed(of.Scalar(), from[c*of.Rows()+r]))
			}
		}
		return v, true
	}
	return value{}, false
}

// leafOf returns the first scalar of a part of a type.
func leafOf(t *facts.Type, path []uint32) (at int, part *facts.Type, ok bool) {
	for _, k := range path {
		if t == nil || uint64(k) >= t.Parts() {
			return 0, nil, false
		}
		if t.IsStruct() {
			at += int(t.Members[k].Leaf)
		} else {
			n, fits := count(t.Part(uint64(k)))
			if !fits {
				return 0, nil, false
			}
			at += int(k) * n
		}
		t = t.Part(uint64(k))
	}
	return at, t, true
}
