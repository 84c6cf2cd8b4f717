package link

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// runtimeRules are the rules on modules that the flags, the states and the other
// stages of a pipeline decide (Vulkan, Runtime SPIR-V Validation).
var runtimeRules = []Rule{
	{vuid.RuntimeSpirv_OpTraceRayKHR_06553, "no ray of OpTraceRayKHR skips triangles in a pipeline that skips AABBs"},
	{vuid.RuntimeSpirv_OpTraceRayKHR_06554, "no ray of OpTraceRayKHR skips AABBs in a pipeline that skips triangles"},
	{vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07715, "no ray of a hit object of NV skips triangles in a pipeline that skips AABBs"},
	{vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07716, "no ray of a hit object of NV skips AABBs in a pipeline that skips triangles"},
	{vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11886, "no ray of a hit object skips triangles in a pipeline that skips AABBs"},
	{vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11887, "no ray of a hit object skips AABBs in a pipeline that skips triangles"},
	{vuid.RuntimeSpirv_OpTraceRayMotionNV_06367, "OpTraceRayMotionNV is in a pipeline that allows motion"},
	{vuid.RuntimeSpirv_OpHitObjectTraceRayMotionNV_07711, "OpHitObjectTraceRayMotionNV is in a pipeline that allows motion"},
	{vuid.RuntimeSpirv_OpHitObjectTraceRayMotionEXT_11877, "hit objects are traced with motion in a pipeline that allows motion"},
	{vuid.RuntimeSpirv_OpArrayLength_11807, "the length of an array has 32 bits, unless the pipeline or the entry point is of 64-bit indexing"},
	{vuid.RuntimeSpirv_OpConstantSizeOfEXT_11475, "the size of a descriptor has no 64 bits, unless the pipeline or the entry point is of 64-bit indexing"},
	{vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulAddNV_11808, "offsets of matrices and biases have 32 bits, unless the pipeline or the entry point is of 64-bit indexing"},
	{vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_11809, "offsets of cooperative vectors have 32 bits, unless the pipeline or the entry point is of 64-bit indexing"},
	{vuid.RuntimeSpirv_OpTypeCooperativeMatrixKHR_10770, "a stage with cooperative matrices before SPIR-V 1.6 requires full subgroups"},
	{vuid.RuntimeSpirv_OpTypeCooperativeMatrixKHR_10771, "a shader object with cooperative matrices before SPIR-V 1.6 requires full subgroups"},
	{vuid.RuntimeSpirv_GraphARM_09922, "no module of a stage has the capability GraphARM"},
	{vuid.RuntimeSpirv_SampleRateShading_06378, "a fragment stage in a subpass for regions of fragments has no capability SampleRateShading"},
	{vuid.RuntimeSpirv_minSampleShading_08731, "with sample shading of every sample, the tile image is read at the sample of the invocation"},
	{vuid.RuntimeSpirv_minSampleShading_08732, "with sample shading and reads of the tile image, every sample is shaded"},
	{vuid.RuntimeSpirv_MeshEXT_12380, "a mesh stage that reads the payload of a task stage has a task stage that sends it"},
	{vuid.PrimitiveId_Fragment_04331, "a PrimitiveId that a fragment stage reads is stored by the geometry stage"},
	{vuid.PrimitiveId_Fragment_04332, "a PrimitiveId that a fragment stage reads is stored by the mesh stage"},
	{vuid.RuntimeSpirv_micromap_11630, "a stage that enables opacity micromaps is in a pipeline that does not disallow them"},
	{vuid.ViewportMaskPerViewNV_04416, "ViewportMaskPerViewNV has an element for each view of the subpass"},
}

// runtime checks the content of a module against the pipeline. Each rule inspects the entry
// point before it reads the module.
func (l *linker) runtime(s *Shader) {
	if s.Entry.Model == spirv.ExecutionModelFragment {
		l.sampleReads(s)
	}
	if slices.Contains(s.Entry.Capabilities, spirv.CapabilityGraphARM) {
		l.fail(vuid.RuntimeSpirv_GraphARM_09922, []Side{entrySide(s)}, "the module of the %s stage has the capability GraphARM; must not have it", entrySide(s).Stage)
	}
	if m, ok := oneOf(s, spirv.ExecutionModeOpacityMicromapIdKHR); ok && l.d.Flags&enum.PipelineFlagsDisallowOpacityMicromap != 0 && len(m.Operands) > 0 && m.Operands[0] != 0 {
		l.fail(vuid.RuntimeSpirv_micromap_11630, []Side{entrySide(s)}, "the %s stage enables opacity micromaps; the pipeline must not have the flag %s", entrySide(s).Stage, enum.PipelineFlagsDisallowOpacityMicromap)
	}
	l.rayFlags(s)
	l.wideIndexing(s)
	l.matrixSubgroups(s)
	if p := l.subpass(); p != nil {
		if n, views := elements(s.Entry, spirv.BuiltInViewportMaskPerViewNV), uint64(bits.Len32(p.ViewMask)); n > 0 && n < views {
			l.fail(vuid.ViewportMaskPerViewNV_04416, []Side{entrySide(s)}, "ViewportMaskPerViewNV has %d elements, and the mask of views is %#x; must have one for each view", n, p.ViewMask)
		}
	}
}

// traced are the instructions that trace rays: the word of their flags, the rules on the
// flags that skip primitives, and the rule on motion, or "" for an instruction without
// motion.
var traced = map[spirv.Op]struct {
	flags                    int
	triangles, aabbs, motion string
}{
	spirv.OpTraceRayKHR:                           {2, vuid.RuntimeSpirv_OpTraceRayKHR_06553, vuid.RuntimeSpirv_OpTraceRayKHR_06554, ""},
	spirv.OpTraceRayMotionNV:                      {0, "", "", vuid.RuntimeSpirv_OpTraceRayMotionNV_06367},
	spirv.OpHitObjectTraceRayNV:                   {3, vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07715, vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07716, ""},
	spirv.OpHitObjectTraceRayMotionNV:             {3, vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07715, vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07716, vuid.RuntimeSpirv_OpHitObjectTraceRayMotionNV_07711},
	spirv.OpHitObjectTraceRayEXT:                  {3, vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11886, vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11887, ""},
	spirv.OpHitObjectTraceRayMotionEXT:            {3, vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11886, vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11887, vuid.RuntimeSpirv_OpHitObjectTraceRayMotionEXT_11877},
	spirv.OpHitObjectTraceReorderExecuteEXT:       {3, vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11886, vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11887, ""},
	spirv.OpHitObjectTraceMotionReorderExecuteEXT: {3, vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11886, vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11887, vuid.RuntimeSpirv_OpHitObjectTraceRayMotionEXT_11877},
}

// The bits of ray flags (SPIR-V, Ray Flags).
const (
	skipTriangles = 0x100
	skipAABBs     = 0x200
)

// rayFlags checks rays against the flags of the pipeline.
func (l *linker) rayFlags(s *Shader) {
	const skips = enum.PipelineFlagsRayTracingSkipAabbs | enum.PipelineFlagsRayTracingSkipTriangles
	motion := l.d.Flags&enum.PipelineFlagsRayTracingAllowMotion == 0 && slices.Contains(s.Entry.Capabilities, spirv.CapabilityRayTracingMotionBlurNV)
	if StageOf(s.Entry.Model) < raygen || l.d.Flags&skips == 0 && !motion {
		return
	}
	m := s.facts()
	if m == nil {
		return
	}
	for i, in := range instructions(m, s.Entry) {
		k, ok := traced[in.Op()]
		if !ok {
			continue
		}
		if motion && k.motion != "" {
			l.fail(k.motion, []Side{s.at(i)}, "a ray is traced with motion; the pipeline must have the flag %s", enum.PipelineFlagsRayTracingAllowMotion)
		}
		if k.flags == 0 || k.flags >= len(in) {
			continue
		}
		c := m.Const(spirv.ID(in[k.flags]))
		if c == nil || !c.Known {
			continue
		}
		if c.Bits&skipTriangles != 0 && l.d.Flags&enum.PipelineFlagsRayTracingSkipAabbs != 0 {
			l.fail(k.triangles, []Side{s.at(i)}, "a ray skips triangles, and the pipeline AABBs; must skip at most one of them")
		}
		if c.Bits&skipAABBs != 0 && l.d.Flags&enum.PipelineFlagsRayTracingSkipTriangles != 0 {
			l.fail(k.aabbs, []Side{s.at(i)}, "a ray skips AABBs, and the pipeline triangles; must skip at most one of them")
		}
	}
}

// wideIndexing checks the width of indices if neither the pipeline nor the entry point has
// 64-bit indexing. A module without any of the capabilities has no other indices.
func (l *linker) wideIndexing(s *Shader) {
	_, mode := oneOf(s, spirv.ExecutionModeShader64BitIndexingEXT)
	may := slices.ContainsFunc(s.Entry.Capabilities, func(c spirv.Capability) bool {
		return c == spirv.CapabilityShader64BitIndexingEXT || c == spirv.CapabilityCooperativeVectorNV || c == spirv.CapabilityDescriptorHeapEXT
	})
	if mode || !may || l.d.Flags&enum.PipelineFlags64BitIndexing != 0 || s.Object&enum.ObjectFlags64BitIndexing != 0 {
		return
	}
	m := s.facts()
	if m == nil {
		return
	}
	const words = "%s has %d bits; must have 32 if neither the pipeline nor the entry point has 64-bit indexing"
	for i, in := range m.Code.All() {
		if in.Op() == spirv.OpConstantSizeOfEXT {
			if t := m.Type(inst.ConstantSizeOfEXT(in).Type()); t != nil && t.Width == 64 {
				l.fail(vuid.RuntimeSpirv_OpConstantSizeOfEXT_11475, []Side{s.at(i)}, words, in.Op(), t.Width)
			}
		}
	}
	for i, in := range instructions(m, s.Entry) {
		code, ids := indices(in)
		for _, id := range ids {
			if t := m.TypeOf(id); t != nil && t.Width != 32 {
				l.fail(code, []Side{s.at(i)}, words, in.Op(), t.Width)
			}
		}
	}
}

// indices returns the indices and lengths of an instruction that must have 32 bits, and the
// rule that requires it.
func indices(in spirv.Inst) (code string, ids []spirv.ID) {
	switch in.Op() {
	case spirv.OpArrayLength, spirv.OpUntypedArrayLengthKHR:
		return vuid.RuntimeSpirv_OpArrayLength_11807, []spirv.ID{in.Result()}
	case spirv.OpCooperativeVectorMatrixMulNV:
		return vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulAddNV_11808, []spirv.ID{inst.CooperativeVectorMatrixMulNV(in).MatrixOffset()}
	case spirv.OpCooperativeVectorMatrixMulAddNV:
		v := inst.CooperativeVectorMatrixMulAddNV(in)
		return vuid.RuntimeSpirv_OpCooperativeVectorMatrixMulAddNV_11808, []spirv.ID{v.MatrixOffset(), v.BiasOffset()}
	case spirv.OpCooperativeVectorLoadNV:
		return vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_11809, []spirv.ID{inst.CooperativeVectorLoadNV(in).Offset()}
	case spirv.OpCooperativeVectorStoreNV:
		return vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_11809, []spirv.ID{inst.CooperativeVectorStoreNV(in).Offset()}
	case spirv.OpCooperativeVectorOuterProductAccumulateNV:
		return vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_11809, []spirv.ID{inst.CooperativeVectorOuterProductAccumulateNV(in).Offset()}
	case spirv.OpCooperativeVectorReduceSumAccumulateNV:
		return vuid.RuntimeSpirv_OpCooperativeVectorLoadNV_11809, []spirv.ID{inst.CooperativeVectorReduceSumAccumulateNV(in).Offset()}
	}
	return "", nil
}

// matrixSubgroups checks that subgroups are full if there are cooperative matrices; since
// SPIR-V 1.6 they are always full.
func (l *linker) matrixSubgroups(s *Shader) {
	full := s.Flags&enum.StageFlagsRequireFullSubgroups != 0 || s.Object&enum.ObjectFlagsRequireFullSubgroups != 0
	if full || !slices.Contains(s.Entry.Capabilities, spirv.CapabilityCooperativeMatrixKHR) {
		return
	}
	m := s.facts()
	if m == nil || m.Code.Version >= spirv.Version16 || !hasMatrix(m) {
		return
	}
	code := vuid.RuntimeSpirv_OpTypeCooperativeMatrixKHR_10770
	if l.d.Kind == ShaderObjects {
		code = vuid.RuntimeSpirv_OpTypeCooperativeMatrixKHR_10771
	}
	l.fail(code, []Side{entrySide(s)}, "the stage has cooperative matrices in SPIR-V %s; must require full subgroups before 1.6", m.Code.Version)
}

// hasMatrix reports whether a module has types of cooperative matrices.
func hasMatrix(m *facts.Module) bool {
	for _, in := range m.Code.All() {
		switch in.Op() {
		case spirv.OpTypeCooperativeMatrixKHR:
			return true
		case spirv.OpFunction:
			return false
		}
	}
	return false
}

// sampleReads checks how a fragment stage shades samples.
func (l *linker) sampleReads(s *Shader) {
	has := func(c spirv.Capability) bool { return slices.Contains(s.Entry.Capabilities, c) }
	if p := l.subpass(); p != nil && p.FragmentRegion && has(spirv.CapabilitySampleRateShading) {
		l.fail(vuid.RuntimeSpirv_SampleRateShading_06378, []Side{entrySide(s)}, "the fragment stage has the capability SampleRateShading in a subpass for regions of fragments; must not have it")
	}
	k := l.d.Multisample
	if k == nil || !k.SampleShading || !slices.ContainsFunc(tileReads, has) {
		return
	}
	m := s.facts()
	if m == nil {
		return
	}
	for i, in := range instructions(m, s.Entry) {
		sample, reads := tileSample(in)
		switch {
		case !reads:
		case k.MinShading != 1:
			l.fail(vuid.RuntimeSpirv_minSampleShading_08732, []Side{s.at(i)}, "the tile image is read and %g of the samples are shaded; must be all, 1", k.MinShading)
		case k.Samples > 1 && sample != 0 && m.Const(sample) != nil && m.Const(sample).Known:
			l.fail(vuid.RuntimeSpirv_minSampleShading_08731, []Side{s.at(i)}, "the tile image is read at sample %d by all invocations; must be read at the sample of each invocation", m.Const(sample).Bits)
		}
	}
}

// tileSample returns the sample operand of an instruction that reads a tile image, or 0 if
// there is none, and whether the instruction is such a read.
func tileSample(in spirv.Inst) (sample spirv.ID, reads bool) {
	switch in.Op() {
	case spirv.OpColorAttachmentReadEXT:
		sample, _ = inst.ColorAttachmentReadEXT(in).Sample()
	case spirv.OpDepthAttachmentReadEXT:
		sample, _ = inst.DepthAttachmentReadEXT(in).Sample()
	case spirv.OpStencilAttachmentReadEXT:
		sample, _ = inst.StencilAttachmentReadEXT(in).Sample()
	default:
		return 0, false
	}
	return sample, true
}

// given checks values that a stage reads from the stage before it and that are not inputs:
// payloads of tasks, and PrimitiveId.
func (l *linker) given() {
	if m, t := l.stage(mesh), l.stage(task); m != nil && m.Entry.Model == spirv.ExecutionModelMeshEXT && !l.d.Library {
		if p := payloadOf(m, spirv.StorageClassTaskPayloadWorkgroupEXT); p != nil && payloadOf(t, spirv.StorageClassTaskPayloadWorkgroupEXT) == nil {
			l.fail(vuid.RuntimeSpirv_MeshEXT_12380, []Side{payloadSide(m, p)}, "the mesh stage reads %s, and no task stage sends a payload; must have one", p.Name)
		}
	}
	f := l.stage(fragment)
	if f == nil || !slices.ContainsFunc(f.Entry.BuiltIns, func(b iface.BuiltIn) bool { return b.BuiltIn == spirv.BuiltInPrimitiveId && b.Used }) {
		return
	}
	for _, k := range [...]struct {
		stage int
		code  string
	}{{geometry, vuid.PrimitiveId_Fragment_04331}, {mesh, vuid.PrimitiveId_Fragment_04332}} {
		s := l.stage(k.stage)
		if s == nil {
			continue
		}
		declares := slices.ContainsFunc(s.Entry.BuiltIns, func(b iface.BuiltIn) bool {
			return b.BuiltIn == spirv.BuiltInPrimitiveId && b.Class == spirv.StorageClassOutput
		})
		if declares && s.facts() != nil && !stores(s, spirv.BuiltInPrimitiveId) {
			l.fail(k.code, []Side{entrySide(s), entrySide(f)}, "the %s stage has PrimitiveId and does not store it, and the fragment stage reads it; must store it", stageOrder[k.stage].name)
		}
	}
}
