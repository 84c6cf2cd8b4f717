package vk

import (
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// The rules of draws and dispatches on the descriptors that stages use statically. The index of an element of an array is known to a
// run alone, and is not judged.

// null is the object of a descriptor that was written as null, as opposed to one that was never written.
type null struct{}

func (null) refer(func(*object)) {}

// descriptorCheck checks the descriptors of a draw or a dispatch.
type descriptorCheck struct {
	*executor
	point    BindPoint
	layout   *PipelineLayout
	buffers  bool                           // the pipeline has the flag for descriptor buffers
	idle     bool                           // the command has no invocations, or it is not known whether it has
	objects  bool                           // shader objects are used, and no pipeline
	mappings map[ir.Stage][]compute.Mapping // with descriptor heaps

	positions bool // of a trace: all shaders of hits read the positions of vertices
	motion    bool // of a trace: the pipeline allows motion
	unmapped  bool // of a trace: the pipeline lacks the flag for opacity micromaps

	unmixed string // the rule of the pipeline or the shader object with a flag that excludes mixed micromap indices; "" without one
}

// uses adds the findings on the descriptors that stages use.
func (c *descriptorCheck) uses(u *uses) {
	for i := range u.resources {
		c.resource(&u.resources[i])
	}
	for i := range u.images {
		c.access(&u.images[i])
	}
	for i := range u.matches {
		c.match(&u.matches[i])
	}
	for i := range u.matrices {
		c.matrix(&u.matrices[i])
	}
	for i := range u.structures {
		c.structure(&u.structures[i])
	}
	for i := range u.heaps {
		c.direct(&u.heaps[i])
	}
}

// resource checks that a descriptor binding is bound, and its descriptors written.
func (c *descriptorCheck) resource(u *resourceUse) {
	r := u.resource
	switch r.Kind {
	case ir.HeapBytes, ir.HeapBuffer, ir.HeapUniform:
		c.heap(u, r.Kind == ir.HeapBytes && r.Binding == ir.SamplerHeap)
		return
	case ir.StorageBuffer, ir.UniformBuffer, ir.Texels, ir.SamplerState:
	default:
		return
	}
	if r.Heap {
		c.heap(u, r.Kind == ir.SamplerState)
		return
	}
	for _, m := range c.mappings[u.program.Stage] {
		if m.At != (compute.Binding{Set: r.Set, Binding: r.Binding}) || m.Embedded != nil || m.Kinds != nil && !slices.Contains(m.Kinds, r.Kind) {
			continue
		}
		switch m.Source {
		case compute.HeapConstant, compute.HeapPushIndex, compute.HeapIndirectIndex, compute.HeapIndirectArray, compute.HeapData:
			c.heap(u, r.Kind == ir.SamplerState)
		}
		c.mapped(u, &m)
		return
	}
	if int(r.Set) >= len(c.layout.sets) || c.layout.sets[r.Set] == nil {
		return // counters
	}
	b := &c.sets.of[c.point][r.Set]
	switch {
	case b.set == nil && !b.inMemory, !b.layout.compatible(c.layout, int(r.Set)):
		c.find(vuid.VkCmdDraw_None_08600, "the %v stage uses set %d, and no compatible set is bound; must be bound", u.program.Stage, r.Set)
	case b.inMemory && !c.buffers && !c.objects:
		c.find(vuid.VkCmdDraw_None_08117, "set %d is in a descriptor buffer, and the pipeline lacks the flag for it; must have it", r.Set)
	case !b.inMemory && c.buffers && !c.objects:
		c.find(vuid.VkCmdDraw_None_08115, "set %d is bound as an object, and the pipeline is for descriptor buffers; must not be", r.Set)
	case !b.inMemory && !c.buffers:
		c.written(b.set, r)
		c.tileResource(b.set, r)
	}
}

// heap checks that a descriptor heap is bound.
func (c *descriptorCheck) heap(u *resourceUse, samplers bool) {
	if h := c.heaps[flag(samplers)]; h.Size == 0 {
		c.find(vuid.VkCmdDraw_None_11308, "the %v stage uses a descriptor heap, and none is bound; must be bound", u.program.Stage)
	}
}

// written checks that all descriptors of a binding are valid, unless the binding may be partially bound.
func (c *descriptorCheck) written(s *Set, r *ir.Resource) {
	i := s.layout.find(r.Binding)
	if i < 0 || s.layout.slots[i].kind == inlineSlot || s.layout.slots[i].partial {
		return
	}
	nulls, known := c.dev.env.Device.Feature("nullDescriptor")
	s.mu.RLock()
	defer s.mu.RUnlock()
	for n, d := range s.used[i] {
		x := d[0]
		_, isNull := x.(null)
		if r.Kind == ir.SamplerState {
			if _, texels := x.(*BufferView); texels || s.layout.slots[i].kind == texelSlot || isNull && s.layout.slots[i].kind == mutableSlot {
				continue // a texel buffer that the module declares with a sampler has none
			}
			x = d[1]
			_, isNull = x.(null)
		}
		switch {
		case x == nil:
			c.find(vuid.VkCmdDraw_None_08114, "descriptor %d of binding %d of %v is used and was never written; must be valid", n, r.Binding, &s.object)
			return
		case isNull && known && !nulls:
			c.find(vuid.VkCmdDraw_None_08114, "descriptor %d of binding %d of %v is used and null; must be valid without the feature nullDescriptor", n, r.Binding, &s.object)
			return
		}
	}
}

// boundDescriptor is the only descriptor of a binding, in a set or in memory.
type boundDescriptor struct {
	view      *ImageView
	sampler   *Sampler
	texels    link.Format            // of a texel buffer
	structure *AccelerationStructure // in a set
	buffer    *Buffer                // of a texel buffer; nil if it is in memory
	null      bool
	layout    ImageLayout // that the descriptor names; UndefinedLayout if it is not known
}

// bound returns the only descriptor of a binding; zero if it is not known.
func (c *descriptorCheck) bound(p *ir.Program, r *ir.Resource) (out boundDescriptor) {
	if r == nil {
		return out
	}
	for _, m := range c.mappings[p.Stage] {
		if m.At != (compute.Binding{Set: r.Set, Binding: r.Binding}) || m.Kinds != nil && !slices.Contains(m.Kinds, r.Kind) {
			continue
		}
		if m.Embedded != nil && r.Kind == ir.SamplerState {
			return out
		}
		args := compute.Args{Push: c.push[:]}
		c.bindHeaps(&args)
		if d := args.MappedDescriptor(p, *r, m); d != nil {
			out = c.inMemory(d, r.Kind)
		}
		return out
	}
	if int(r.Set) >= len(c.layout.sets) {
		return out
	}
	b := &c.sets.of[c.point][r.Set]
	switch {
	case b.set == nil && !b.inMemory, !b.layout.compatible(c.layout, int(r.Set)):
		return out
	case b.inMemory:
		l := c.layout.sets[r.Set]
		i, memory := l.find(r.Binding), c.bytesAt(b.address)
		if i < 0 || l.slots[i].kind == inlineSlot || uint64(len(memory)) < l.slots[i].offset+l.slots[i].size() || l.slots[i].count == 0 {
			return out
		}
		slot := &l.slots[i]
		d := memory[slot.offset:][:slot.size()]
		if r.Kind != ir.SamplerState {
			return c.inMemory(d, r.Kind)
		}
		if slot.immutable != nil {
			out.sampler = slot.immutable[0]
		} else if d = d[slot.samplerAt(d):]; len(d) >= SamplerDescriptorSize {
			out = c.inMemory(d, r.Kind)
		}
		return out
	}
	return b.set.first(r)
}

// first returns the first descriptor of a binding of a set.
func (s *Set) first(r *ir.Resource) (out boundDescriptor) {
	i := s.layout.find(r.Binding)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i < 0 || len(s.used[i]) == 0 {
		return out
	}
	d := s.used[i][0]
	switch v := d[0].(type) {
	case *ImageView:
		out.view = v
	case *AccelerationStructure:
		out.structure = v
	case *BufferView:
		out.buffer = v.buffer
		out.texels.UnmarshalText([]byte(v.view.Format()))
	}
	out.sampler, _ = d[1].(*Sampler)
	out.null = d[0] == nil || d[0] == null{}
	if !s.layout.slots[i].partial {
		out.layout = s.layoutAt(i, 0)
	}
	return out
}

// inMemory returns the descriptor in memory of a resource.
func (c *descriptorCheck) inMemory(d []byte, kind ir.ResourceKind) (out boundDescriptor) {
	switch {
	case len(d) < BufferDescriptorSize:
		out.null = true
	case kind == ir.SamplerState:
		out.sampler = c.samplerObject(d)
	case kind == ir.Texels:
		out.view, out.texels = c.viewObject(d), texelFormat(d)
	default:
		out.null = c.readBuffer(d).Bytes == nil
	}
	return out
}

// access checks an access to an image or to a texel buffer.
func (c *descriptorCheck) access(u *imageUse) {
	d := c.bound(u.program, u.image)
	switch {
	case d.view != nil:
		c.view(u, d.view)
		c.laidOut(u, &d)
		if s := c.bound(u.program, u.sampler).sampler; s != nil {
			c.sampled(u, d.view, s)
		}
		if o := c.bound(u.program, u.other).view; o != nil {
			c.processed(u, d.view, o)
		} else if u.Processes() && !u.HasOther() {
			c.processed(u, d.view, d.view)
		}
	case d.texels != 0:
		c.texels(u, d.texels.String(), d.buffer)
	}
}

// formatFeatures caches imageFeatures and bufferFeatures, which make images.
var formatFeatures sync.Map

func featuresOf(name string, buffer bool) FormatFeatures {
	i := format.InfoByName(name)
	if i == nil {
		return 0
	}
	type key struct {
		id     uint32
		buffer bool
	}
	k := key{i.ID, buffer}
	if f, ok := formatFeatures.Load(k); ok {
		return f.(FormatFeatures)
	}
	f := imageFeatures(i)
	if buffer {
		f = bufferFeatures(i)
	}
	formatFeatures.Store(k, f)
	return f
}

// lacks adds a finding if a format lacks a feature.
func (c *descriptorCheck) lacks(rule, name string, has, need FormatFeatures, what string) {
	if has&need == 0 {
		c.find(rule, "the format %s is %s; must have the feature for it", name, what)
	}
}

// texel checks the width of the components of a format, and the components that are written.
func (c *descriptorCheck) texel(u *imageUse, name string, wide, narrow, write string) {
	f := format.InfoByName(name)
	if f == nil {
		return
	}
	switch long := u.Type == ir.I64; {
	case f.Wide && !long:
		c.find(wide, "the format %s has components of 64 bits, and the shader reads or writes 32; must be equal", name)
	case !f.Wide && long:
		c.find(narrow, "the format %s has components of less than 64 bits, and the shader reads or writes 64; must be 32", name)
	}
	need := len(f.Components)
	if name == "A8_UNORM" {
		need, write = 4, vuid.VkCmdDraw_OpImageWrite_08796
	}
	if u.Op == ir.TextureWrite && u.written > 0 && u.written < need {
		c.find(write, "a texel of %d components is written to the format %s; must have at least %d", u.written, name, need)
	}
}

// view checks an access to an image.
func (c *descriptorCheck) view(u *imageUse, v *ImageView) {
	name, samples := v.format(), max(v.image.layout.Samples, 1)
	switch {
	case !u.Multisampled && samples > 1:
		c.find(vuid.RuntimeSpirv_samples_08725, "the shader reads an image of one sample and %v has %d; must be equal", &v.object, samples)
	case u.Multisampled && samples == 1:
		c.find(vuid.RuntimeSpirv_samples_08726, "the shader reads a multisampled image and %v has one sample; must have several", &v.object)
	}
	if !u.Subpass {
		c.texel(u, name, vuid.VkCmdDraw_SampledType_04470, vuid.VkCmdDraw_SampledType_04471, vuid.VkCmdDraw_OpImageWrite_08795)
	}
	has := featuresOf(name, false)
	sparse := v.image.info.Flags&ImageSparseResidency != 0
	switch {
	case u.Op == ir.TextureTexel:
		c.lacks(vuid.VkCmdDraw_None_02691, name, has, FormatStorageImageAtomic, "accessed by atomics")
		if sparse && u.Type == ir.I64 && c.dev.without("sparseImageInt64Atomics") {
			c.find(vuid.VkCmdDraw_sparseImageInt64Atomics_04474, "atomics of 64 bits access %v, which is sparse; must not without the feature sparseImageInt64Atomics", &v.image.object)
		}
		if sparse && u.Type == ir.F32 && c.dev.without("sparseImageFloat32Atomics", "sparseImageFloat32AtomicAdd", "sparseImageFloat32AtomicMinMax") {
			c.find(vuid.RuntimeSpirv_None_06287, "atomics of floats access %v, which is sparse; must not without a feature for it", &v.image.object)
		}
	case u.Op == ir.TextureWrite && u.formatless:
		c.lacks(vuid.VkCmdDraw_OpTypeImage_07027, name, has, FormatStorageWrite, "written without a format in the shader")
	case u.Op == ir.TextureRead && u.formatless && !u.Subpass && !u.image.Tile: // a tile attachment may be an input attachment
		c.lacks(vuid.VkCmdDraw_OpTypeImage_07028, name, has, FormatStorageRead, "read without a format in the shader")
	}
}

// without reports whether the device of a profile has none of the features.
func (d *Device) without(names ...string) bool {
	for _, n := range names {
		if on, known := d.env.Device.Feature(n); on || !known {
			return false
		}
	}
	return true
}

// texels checks an access to a texel buffer with a format; b is nil if the buffer is not known.
func (c *descriptorCheck) texels(u *imageUse, name string, b *Buffer) {
	c.texel(u, name, vuid.VkCmdDraw_SampledType_04472, vuid.VkCmdDraw_SampledType_04473, vuid.VkCmdDraw_OpImageWrite_04469)
	if u.Op != ir.TextureTexel {
		return // the formats of all buffer views are read and written without a format in the shader
	}
	c.lacks(vuid.VkCmdDraw_None_07888, name, featuresOf(name, true), FormatStorageTexelAtomic, "accessed by atomics")
	if b != nil && b.sparse != nil && u.Type == ir.I64 && c.dev.without("sparseImageInt64Atomics") {
		c.find(vuid.VkCmdDraw_sparseImageInt64Atomics_04475, "atomics of 64 bits access %v, which is sparse; must not without the feature sparseImageInt64Atomics", &b.object)
	}
}

// sampled checks a sampler together with the view that it samples.
func (c *descriptorCheck) sampled(u *imageUse, v *ImageView, s *Sampler) {
	switch {
	case u.Processes() && !s.info.Processing:
		c.find(vuid.VkCmdDraw_OpImageSampleWeightedQCOM_06977, "an instruction of image processing uses %v, which is not for it; must be", &s.object)
	case !u.Processes() && s.info.Processing:
		c.find(vuid.VkCmdDraw_OpImageSampleWeightedQCOM_06978, "%v is for image processing, and another instruction uses it; must not", &s.object)
	}
	if u.Op != ir.TextureSample && u.Op != ir.TextureGather {
		return
	}
	i, name := &s.info, v.format()
	has := featuresOf(name, false)
	c.border(s)
	if !v.info.Conversion.same(s.conversion) {
		c.find(vuid.RuntimeSpirv_OpTypeSampledImage_12208, "the conversions of %v and %v are not identically defined; must be", &v.object, &s.object)
	}
	minmax := i.Reduction == enum.ReductionMin || i.Reduction == enum.ReductionMax
	filter := func(on bool, linear, extreme string) {
		switch {
		case on && i.Reduction == enum.ReductionWeightedAverage && !i.Compare:
			c.lacks(linear, name, has, FormatFilterLinear, "sampled by a linear filter")
		case on && minmax:
			c.lacks(extreme, name, has, FormatFilterMinmax, "sampled by a filter of least or greatest values")
		}
	}
	filter(i.Mag == enum.FilterLinear || i.Min == enum.FilterLinear, vuid.VkCmdDraw_magFilter_04553, vuid.VkCmdDraw_magFilter_09598)
	filter(i.MipLinear, vuid.VkCmdDraw_mipmapMode_04770, vuid.VkCmdDraw_mipmapMode_09599)
	if u.Has(ir.TextureDref) {
		c.lacks(vuid.VkCmdDraw_None_06479, name, has, FormatDepthComparison, "sampled with a comparison")
	}
	if i.Unnormalized {
		_, _, layers := v.view.Extent()
		if v.levels() != 1 || layers != 1 {
			c.find(vuid.VkCmdDraw_unnormalizedCoordinates_09635, "%v has %d levels and %d layers, and coordinates are not normalized; must have one of both", &v.object, v.levels(), layers)
		}
		if t := v.info.Type; t != enum.ViewType1d && t != enum.ViewType2d {
			c.find(vuid.VkCmdDraw_None_08609, "%v has the type %v, and coordinates are not normalized; must be 1d or 2d", &v.object, t)
		}
	}
	if a := i.Address; v.image.info.Corner && (a[0] != enum.AddressModeClampToEdge || a[1] != enum.AddressModeClampToEdge && v.image.info.Type != enum.ImageType1d) {
		c.find(vuid.VkCmdDraw_flags_02696, "%v has texels at its corners and %v does not clamp to the edge; must", &v.image.object, &s.object)
	}
	if i.Mag == enum.FilterCubic || i.Min == enum.FilterCubic {
		c.cubic(v, s, name, has, minmax)
	}
}

// cubic checks a sampler with a cubic filter.
func (c *descriptorCheck) cubic(v *ImageView, s *Sampler, name string, has FormatFeatures, minmax bool) {
	const how = "sampled by a cubic filter"
	c.lacks(vuid.VkCmdDraw_None_02692, name, has, FormatFilterCubic, how)
	c.lacks(vuid.VkCmdDraw_filterCubic_02694, name, has, FormatFilterCubic, how)
	if minmax {
		c.lacks(vuid.VkCmdDraw_filterCubicMinmax_02695, name, has, FormatFilterCubic, how+" of least or greatest values")
	}
	on, known := c.dev.env.Device.Extension("VK_EXT_filter_cubic")
	if t := v.info.Type; known && !on && (t == enum.ViewType3d || t == enum.ViewTypeCube || t == enum.ViewTypeCubeArray) {
		c.find(vuid.VkCmdDraw_None_02693, "%v has the type %v and a cubic filter; must be 1d or 2d without VK_EXT_filter_cubic", &v.object, t)
	}
	if s.info.Reduction == enum.ReductionWeightedAverageRangeclamp && c.dev.without("cubicRangeClamp") {
		c.find(vuid.VkCmdDraw_cubicRangeClamp_09212, "%v clamps the range of a cubic filter; must not without the feature cubicRangeClamp", &s.object)
	}
	if s.info.Weights != enum.CubicWeightsCatmullRom && c.dev.without("selectableCubicWeights") {
		c.find(vuid.VkCmdDraw_selectableCubicWeights_09214, "%v has the cubic weights %v; must be catmull_rom without the feature selectableCubicWeights", &s.object, s.info.Weights)
	}
}

// processed checks an instruction of image processing: v is the image that it samples, w the weights or the reference.
func (c *descriptorCheck) processed(u *imageUse, v, w *ImageView) {
	name, other := v.format(), w.format()
	has, also := featuresOf(name, false), featuresOf(other, false)
	switch u.Op {
	default: // a box filter has no other image
		c.lacks(vuid.VkCmdDraw_OpImageBoxFilterQCOM_06973, name, has, FormatBoxFilter, "sampled by a box filter")
	case ir.TextureWeighted:
		c.lacks(vuid.VkCmdDraw_OpImageSampleWeightedQCOM_06971, name, has, FormatWeightSampled, "sampled with weights")
		c.lacks(vuid.VkCmdDraw_OpImageSampleWeightedQCOM_06972, other, also, FormatWeightImage, "the format of weights")
	case ir.TextureMatch:
		rule := vuid.VkCmdDraw_OpImageBlockMatchSADQCOM_12420
		if u.Squared {
			rule = vuid.VkCmdDraw_OpImageBlockMatchSSDQCOM_06974
		}
		c.lacks(rule, name, has&also, FormatBlockMatching, "compared by blocks")
	case ir.TextureMatchWindow, ir.TextureMatchGather:
		c.lacks(vuid.VkCmdDraw_OpImageBlockMatchWindow_09215, name, has&also, FormatBlockMatching, "compared by blocks")
		for _, n := range [...]string{name, other} {
			if f := format.InfoByName(n); f != nil && len(f.Components) != 1 {
				c.find(vuid.VkCmdDraw_OpImageBlockMatchWindow_09216, "blocks of the format %s are compared in a window; must have one component", n)
				break
			}
		}
		if sampler := c.bound(u.program, u.sampler).sampler; sampler != nil {
			x, y := sampler.info.Address[0] == enum.AddressModeClampToEdge, sampler.info.Address[1] == enum.AddressModeClampToEdge
			if (x || y) && c.dev.without("blockMatchExtendedClampToEdge") {
				c.find(vuid.VkCmdDraw_OpImageBlockMatchWindow_12421, "%v clamps to the edge; must not without the feature blockMatchExtendedClampToEdge", &sampler.object)
			}
			if x != y {
				c.find(vuid.VkCmdDraw_addressModeU_12422, "%v clamps to the edge along one axis; must along both", &sampler.object)
			}
		}
	}
}

// feedback checks that images which earlier draws of the rendering have written as attachments are not accessed otherwise.
func (c *drawCheck) feedback(u *uses) {
	if c.graphics.wrote == 0 || c.graphics.resolving {
		return
	}
	d := &descriptorCheck{executor: c.executor, point: Graphics, layout: c.d.layout, mappings: c.d.mappings}
	for i := range u.images {
		x := &u.images[i]
		if x.Subpass || x.image.Tile {
			continue
		}
		v := d.bound(x.program, x.image).view
		if v == nil {
			continue
		}
		for n := range c.r.info.Colors {
			if a := &c.r.info.Colors[n]; c.graphics.wrote>>n&1 != 0 && !c.loops(Color) && a.overlaps(v, Color) {
				c.find(vuid.VkCmdDraw_None_10795, "%v is accessed and shows color attachment %d, which was written; must be only an attachment without a feedback loop", &v.object, n)
			}
		}
		if c.graphics.wrote&wroteDepth != 0 && !c.loops(Depth) && c.r.info.Depth.overlaps(v, Depth) {
			c.find(vuid.VkCmdDraw_None_10796, "%v is accessed and shows the depth attachment, which was written; must be only an attachment without a feedback loop", &v.object)
		}
		if c.graphics.wrote&wroteStencil != 0 && !c.loops(Stencil) && c.r.info.Stencil.overlaps(v, Stencil) {
			c.find(vuid.VkCmdDraw_None_10797, "%v is accessed and shows the stencil attachment, which was written; must be only an attachment without a feedback loop", &v.object)
		}
	}
}

// The bits of graphics.wrote after the color attachments.
const (
	wroteDepth   = 1 << 14
	wroteStencil = 1 << 15
)

// loops reports whether the draw has a feedback loop for an aspect.
func (c *drawCheck) loops(a Aspect) bool {
	if c.p == nil || c.p.loops {
		return c.graphics.bound.loops&a != 0
	}
	if a == Color {
		return c.p.flags&enum.PipelineFlagsColorAttachmentFeedbackLoop != 0
	}
	return c.p.flags&enum.PipelineFlagsDepthStencilAttachmentFeedbackLoop != 0
}

// overlaps reports whether a view shows subresources of an attachment.
func (a *AttachmentInfo) overlaps(v *ImageView, of Aspect) bool {
	if a == nil || a.View == nil || a.View.image != v.image || v.aspect(of) == nil {
		return false
	}
	level := a.View.info.BaseLevel
	if level < v.info.BaseLevel || level >= v.info.BaseLevel+v.levels() {
		return false
	}
	if v.info.Type == enum.ViewType3d {
		return true
	}
	x, n := a.View.info.BaseLayer, a.View.layers()
	y, m := v.info.BaseLayer, v.layers()
	return x < y+m && y < x+n
}

// wrotes records the attachments that the draw writes, for the rules on later draws of the rendering.
func (c *drawCheck) wrotes() { c.graphics.wrote |= c.written() }

// written returns the attachments that the draw writes, in the form of graphics.wrote.
func (c *drawCheck) written() (bits uint16) {
	if c.s.Rasterization.Discard || c.graphics.resolving {
		return 0
	}
	for i := range c.r.info.Colors {
		if c.r.info.Colors[i].View != nil && c.writes(i) && c.blend(i).WriteMask != 0 {
			bits |= 1 << i
		}
	}
	d := &c.s.DepthStencil
	if d.Test && d.Write && c.r.info.Depth != nil {
		bits |= wroteDepth
	}
	if d.Stencil && c.r.info.Stencil != nil && (stencilWrites(&d.Front) || stencilWrites(&d.Back)) {
		bits |= wroteStencil
	}
	return bits
}

// stencilWrites reports whether the tests of a face can write stencil values.
func stencilWrites(f *state.StencilFace) bool {
	return f.WriteMask != 0 && (f.Fail != enum.StencilOpKeep || f.Pass != enum.StencilOpKeep || f.DepthFail != enum.StencilOpKeep)
}

// loaded returns the attachments that the load operations of a rendering write.
func (r *rendering) loaded() (bits uint16) {
	for i := range r.info.Colors {
		if a := &r.info.Colors[i]; a.View != nil && a.Load == ClearOnLoad {
			bits |= 1 << i
		}
	}
	if a := r.info.Depth; a != nil && a.View != nil && a.Load == ClearOnLoad {
		bits |= wroteDepth
	}
	if a := r.info.Stencil; a != nil && a.View != nil && a.Load == ClearOnLoad {
		bits |= wroteStencil
	}
	return bits
}
