package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// descriptorIndexFamily checks the indices into arrays of descriptors and of push
// constants (Vulkan, Shader Validation): without the capability for dynamic
// indexing they are constant, without the one for non-uniform indexing they are
// dynamically uniform, and a non-uniform descriptor is decorated NonUniform.
//
// The walk records the access chains with an index that is not constant; after
// the walk, divergence analysis (uniformity.go, divergence.go) decides which of them
// vary between invocations. An index that certainly varies is an error, an index that
// may vary a warning.
var descriptorIndexFamily = family{
	rules: append(descriptorIndexRules(), []Rule{
		{Code: vuid.RuntimeSpirv_None_04745, Section: environment, Words: "an index into an array in push constants is dynamically uniform"},
		{Code: vuid.RuntimeSpirv_None_10148, Section: environment, Words: "if subgroups have one invocation, an access of a descriptor that differs between the invocations of a workgroup is NonUniform", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_subgroupSize_10149, Section: environment, Words: "an access of a descriptor that differs between the invocations of a subgroup is NonUniform"},
	}...),
	ops: []group{{(*checker).descriptorChain, []spirv.Op{
		spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
		spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR,
	}}},
	after: []func(*checker){(*checker).descriptorIndexes},
}

// descriptorKind is the capabilities that indexing descriptors of one kind needs,
// and the codes of its rules.
type descriptorKind struct {
	what                 string
	dynamic, nonUniform  spirv.Capability
	dynamicCode          string // rule: the index is constant
	nonUniformCode, lone string // rule: the index is dynamically uniform; the same with subgroups of one invocation
}

// The kinds, in the order of descriptorKinds.
const (
	uniformBuffers = iota
	sampledImages
	storageBuffers
	storageImages
	inputAttachments
	uniformTexels
	storageTexels
)

// descriptorKinds are the kinds of descriptors with capabilities of their own.
var descriptorKinds = [...]descriptorKind{
	uniformBuffers: {"a uniform buffer", spirv.CapabilityUniformBufferArrayDynamicIndexing, spirv.CapabilityUniformBufferArrayNonUniformIndexing,
		vuid.StandaloneSpirv_UniformBufferArrayDynamicIndexing_10127, vuid.RuntimeSpirv_UniformBufferArrayNonUniformIndexing_10134, vuid.RuntimeSpirv_subgroupSize_10141},
	sampledImages: {"a sampled image or sampler", spirv.CapabilitySampledImageArrayDynamicIndexing, spirv.CapabilitySampledImageArrayNonUniformIndexing,
		vuid.StandaloneSpirv_SampledImageArrayDynamicIndexing_10128, vuid.RuntimeSpirv_SampledImageArrayNonUniformIndexing_10135, vuid.RuntimeSpirv_subgroupSize_10142},
	storageBuffers: {"a storage buffer", spirv.CapabilityStorageBufferArrayDynamicIndexing, spirv.CapabilityStorageBufferArrayNonUniformIndexing,
		vuid.StandaloneSpirv_StorageBufferArrayDynamicIndexing_10129, vuid.RuntimeSpirv_StorageBufferArrayNonUniformIndexing_10136, vuid.RuntimeSpirv_subgroupSize_10143},
	storageImages: {"a storage image", spirv.CapabilityStorageImageArrayDynamicIndexing, spirv.CapabilityStorageImageArrayNonUniformIndexing,
		vuid.StandaloneSpirv_StorageImageArrayDynamicIndexing_10130, vuid.RuntimeSpirv_StorageImageArrayNonUniformIndexing_10137, vuid.RuntimeSpirv_subgroupSize_10144},
	inputAttachments: {"an input attachment", spirv.CapabilityInputAttachmentArrayDynamicIndexing, spirv.CapabilityInputAttachmentArrayNonUniformIndexing,
		vuid.StandaloneSpirv_InputAttachmentArrayDynamicIndexing_10131, vuid.RuntimeSpirv_InputAttachmentArrayNonUniformIndexing_10138, vuid.RuntimeSpirv_subgroupSize_10145},
	uniformTexels: {"a uniform texel buffer", spirv.CapabilityUniformTexelBufferArrayDynamicIndexing, spirv.CapabilityUniformTexelBufferArrayNonUniformIndexing,
		vuid.StandaloneSpirv_UniformTexelBufferArrayDynamicIndexing_10132, vuid.RuntimeSpirv_UniformTexelBufferArrayNonUniformIndexing_10139, vuid.RuntimeSpirv_subgroupSize_10146},
	storageTexels: {"a storage texel buffer", spirv.CapabilityStorageTexelBufferArrayDynamicIndexing, spirv.CapabilityStorageTexelBufferArrayNonUniformIndexing,
		vuid.StandaloneSpirv_StorageTexelBufferArrayDynamicIndexing_10133, vuid.RuntimeSpirv_StorageTexelBufferArrayNonUniformIndexing_10140, vuid.RuntimeSpirv_subgroupSize_10147},
}

// descriptorIndexRules generates the rules of the kinds with their texts.
func descriptorIndexRules() []Rule {
	var out []Rule
	for _, k := range descriptorKinds {
		out = append(out,
			Rule{Code: k.dynamicCode, Section: environment, Words: "without the capability " + k.dynamic.String() + " an access through " + k.what + " of an array has constant indices"},
			Rule{Code: k.nonUniformCode, Section: environment, Words: "without the capability " + k.nonUniform.String() + " an access through " + k.what + " of an array has subgroup-uniform indices"},
			Rule{Code: k.lone, Section: environment, Words: "without the capability " + k.nonUniform.String() + ", and if subgroups have one invocation, an access through " + k.what + " of an array has workgroup-uniform indices", Need: NeedDevice})
	}
	return out
}

// descriptorKindOf returns the kind of a variable, or of its elements if it is an
// array; −1 if no rule applies to it.
func (c *checker) descriptorKindOf(s spirv.StorageClass, t *facts.Type) int {
	t = core(t)
	if t == nil {
		return -1
	}
	switch s {
	case spirv.StorageClassStorageBuffer:
		return storageBuffers
	case spirv.StorageClassUniform:
		if c.m.Has(t.ID, spirv.DecorationBufferBlock) {
			return storageBuffers
		}
		return uniformBuffers
	case spirv.StorageClassUniformConstant:
	default:
		return -1
	}
	if t.Op == spirv.OpTypeSampledImage && t.Elem != nil {
		t = t.Elem
	}
	switch m := t.Image; {
	case t.Op == spirv.OpTypeSampler:
		return sampledImages
	case m == nil:
		return -1
	case m.Dim == spirv.DimSubpassData:
		return inputAttachments
	case m.Dim == spirv.DimBuffer && m.Sampled == 2:
		return storageTexels
	case m.Dim == spirv.DimBuffer:
		return uniformTexels
	case m.Sampled == 2:
		return storageImages
	}
	return sampledImages
}

// descriptorState is the access chains with an index that is not constant.
type descriptorState struct {
	chains []descriptorChoice // into an array of descriptors
	pushed []int              // into arrays in push constants
}

// descriptorChoice is an access chain that selects a descriptor of an array.
type descriptorChoice struct {
	at, kind int
	arrays   int  // number of indices that select the descriptor
	told     bool // the dynamic index was reported
	warned   bool // the index that may vary was reported
}

// descriptorChain records an access chain for descriptorIndexes.
func (c *checker) descriptorChain(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	h := chainOf(in)
	v := c.m.Variable(h.base)
	if v == nil || v.Func != nil || len(h.path) > c.opts.Limits.AccessChainIndexes { // SPV-AccessChain-Indexes
		return
	}
	t := v.Type
	if h.baseType != 0 {
		t = c.m.Type(h.baseType)
	}
	switch {
	case v.Storage == spirv.StorageClassPushConstant:
		for _, id := range h.path {
			if t.IsArray() && c.m.Const(id) == nil {
				c.descriptor.pushed = append(c.descriptor.pushed, i)
				return
			}
			if t = c.partAt(t, id); t == nil {
				return
			}
		}
	case t.IsArray():
		kind := c.descriptorKindOf(v.Storage, t)
		if kind < 0 {
			return
		}
		arrays, dynamic := 0, false
		for _, id := range h.path {
			if !t.IsArray() {
				break
			}
			dynamic = dynamic || c.m.Const(id) == nil
			arrays++
			t = t.Elem
		}
		if dynamic {
			c.descriptor.chains = append(c.descriptor.chains, descriptorChoice{at: i, kind: kind, arrays: arrays})
		}
	}
}

// partAt returns the type of the part at an index; nil if it is not known.
func (c *checker) partAt(t *facts.Type, id spirv.ID) *facts.Type {
	if !t.IsStruct() {
		if t == nil {
			return nil
		}
		return t.Elem
	}
	if n, ok := c.m.Const(id).Int(); ok && n >= 0 {
		return t.Part(uint64(n))
	}
	return nil
}

// descriptorUse propagates descriptors from access chains to the instructions that
// access memory through them.
type descriptorUse struct {
	flow *flow
	by   []int32 // by instruction: the chain that selected its descriptor, plus 1
}

// descriptorIndexes checks the accesses through the recorded chains.
func (c *checker) descriptorIndexes() {
	s := &c.descriptor
	if len(s.chains)+len(s.pushed) == 0 {
		return
	}
	w := &descriptorUse{flow: c.values(), by: c.memory.numbers.Alloc(c.code.Len())}
	for _, i := range s.pushed {
		differs, may := w.index(i, len(chainOf(c.code.Inst(i)).path), i)
		if !may {
			continue
		}
		x := c.fail(i, vuid.RuntimeSpirv_None_04745, "an index into an array in push constants %s between invocations; must be dynamically uniform", differing(differs))
		if !differs {
			x.warn()
		}
	}
	if len(s.chains) == 0 {
		return
	}
	for n := range s.chains {
		w.by[s.chains[n].at] = int32(n + 1)
	}
	rest := s.chains // in order of the module
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		for len(rest) > 0 && rest[0].at < f.Index {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0].at >= f.End {
			continue // a descriptor does not leave the function of its chain
		}
		for i := rest[0].at; i < f.End; i++ {
			if w.by[i] == 0 {
				w.follow(i, c.code.Inst(i))
			}
		}
	}
}

// index reports whether one of the first indices of a chain certainly differs between
// the invocations that execute instruction i, and whether one may.
func (w *descriptorUse) index(chain, arrays, i int) (differs, may bool) {
	b := w.flow.checker.blockNumber(w.flow.checker.blockOf[i])
	for _, id := range chainOf(w.flow.checker.code.Inst(chain)).path[:arrays] {
		p := w.flow.usedIn(id, b)
		differs = differs || p&(apart|parted) != 0
		may = may || p&varies != 0
	}
	differs = differs && w.flow.always(b)
	return differs, differs || may
}

// differing returns the verb of a message about an index.
func differing(certain bool) string {
	if certain {
		return "differs"
	}
	return "may differ"
}

// follow propagates a descriptor through an instruction, or checks the access.
func (w *descriptorUse) follow(i int, in spirv.Inst) {
	at := func(id spirv.ID) int32 {
		if d := w.flow.checker.code.Def(id); d >= 0 && d < i {
			return w.by[d]
		}
		return 0
	}
	op := in.Op()
	switch op {
	case spirv.OpLoad:
		p := inst.Load(in).Pointer()
		if t := w.flow.checker.m.Type(in.Type()); t != nil && w.flow.checker.contains(t, holdsOpaque) {
			w.by[i] = at(p)
			return
		}
	case spirv.OpSampledImage:
		v := inst.SampledImage(in)
		if w.by[i] = at(v.Image()); w.by[i] == 0 {
			w.by[i] = at(v.Sampler())
		}
		return
	case spirv.OpImage:
		w.by[i] = at(inst.Image(in).SampledImage())
		return
	case spirv.OpImageQueryFormat, spirv.OpImageQueryOrder, spirv.OpImageQuerySizeLod, spirv.OpImageQuerySize, spirv.OpImageQueryLod,
		spirv.OpImageQueryLevels, spirv.OpImageQuerySamples, spirv.OpArrayLength, spirv.OpUntypedArrayLengthKHR, spirv.OpFunctionCall, spirv.OpPhi, spirv.OpSelect:
		return // not an access, or the descriptor is not known
	default:
		if base := chainBase(in); base != 0 {
			w.by[i] = at(base)
			return
		}
	}
	for _, n := range w.flow.operandIDs(i, in) {
		if k := at(spirv.ID(in[n])); k != 0 {
			w.access(i, &w.flow.checker.descriptor.chains[k-1], spirv.ID(in[n]))
			return
		}
	}
}

// access checks one access through a descriptor that a chain selected.
func (w *descriptorUse) access(i int, choice *descriptorChoice, operand spirv.ID) {
	k, op := &descriptorKinds[choice.kind], w.flow.checker.code.Inst(i).Op()
	nonUniform := w.flow.checker.capable(k.nonUniform)
	if !choice.told && !nonUniform && !w.flow.checker.capable(k.dynamic) {
		choice.told = true
		f := w.flow.checker.failWith(i, k.dynamicCode, op.String()+" through "+k.what+" of the array "+w.array(choice)+
			" without a constant index; needs the capability "+k.dynamic.String()).also(w.flow.checker, choice.at, "the index")
		if !w.flow.checker.deviceLacks(k.dynamic) { // no compiler declares it, and devices that have it accept that
			f.warn()
		}
	}
	differs, may := w.index(choice.at, choice.arrays, i)
	if !differs {
		if choice.warned || !may && (nonUniform || !w.saidNonUniform(choice.at, operand)) {
			return
		}
	}
	switch {
	case !nonUniform:
		code := k.nonUniformCode
		if w.flow.checker.loneSubgroups(k.lone) {
			code = k.lone
		}
		why := "is NonUniform"
		if may {
			why = differing(differs) + " between invocations"
		}
		f := w.flow.checker.failWith(i, code, op.String()+" through "+k.what+" of the array "+w.array(choice)+
			", with an index that "+why+"; needs the capability "+k.nonUniform.String()).also(w.flow.checker, choice.at, "the index")
		if !differs { // compilers omit the capability, and a NonUniform value may be uniform
			f.warn()
			choice.warned = true
		}
	case !w.flow.checker.m.Has(operand, spirv.DecorationNonUniform) && !w.flow.checker.capable(spirv.CapabilityDescriptorHeapEXT):
		code := vuid.RuntimeSpirv_subgroupSize_10149
		if w.flow.checker.loneSubgroups(vuid.RuntimeSpirv_None_10148) {
			code = vuid.RuntimeSpirv_None_10148
		}
		f := w.flow.checker.fail(i, code, "%s through %s, which %s between invocations, of the array %s; must be NonUniform", op, w.flow.checker.name(operand), differing(differs), w.array(choice)).also(w.flow.checker, choice.at, "the index")
		if !differs {
			f.warn()
			choice.warned = true
		}
	}
}

// array returns the name of the array that a chain selects from.
func (w *descriptorUse) array(choice *descriptorChoice) string {
	return w.flow.checker.name(chainOf(w.flow.checker.code.Inst(choice.at)).base)
}

// deviceLacks reports whether the device is known to have no way to bring a capability.
func (c *checker) deviceLacks(k spirv.Capability) bool {
	ways := capabilityWays[k]
	return c.env.Device != nil && len(ways) > 0 && !slices.ContainsFunc(ways, func(w way) bool {
		has, known := c.hasWay(w)
		return has || !known
	})
}

// saidNonUniform reports whether the module decorates the descriptor, the chain or
// one of its indices NonUniform.
func (w *descriptorUse) saidNonUniform(chain int, operand spirv.ID) bool {
	in := w.flow.checker.code.Inst(chain)
	if w.flow.checker.m.Has(operand, spirv.DecorationNonUniform) || w.flow.checker.m.Has(in.Result(), spirv.DecorationNonUniform) {
		return true
	}
	for _, id := range chainOf(in).path {
		if w.flow.checker.m.Has(id, spirv.DecorationNonUniform) {
			return true
		}
	}
	return false
}
