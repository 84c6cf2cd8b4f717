package vk

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/transfer"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Layers names layers of a level of an image (VkImageSubresourceLayers). An Aspect of 0 is the image's first, Count 0 is 1.
type Layers struct {
	Aspect      Aspect
	Level       int
	Base, Count int // a Count of 0 is 1; AllLayers is all from Base on
}

// AllLayers is a Count of Layers: all from Base on (VK_REMAINING_ARRAY_LAYERS).
const AllLayers = -1

// of returns the layers with their number in an image.
func (l Layers) of(m *Image) Layers {
	switch {
	case l.Count == AllLayers && m != nil && m.layout != nil:
		l.Count = m.layout.Layers - l.Base
	case l.Count == 0:
		l.Count = 1
	}
	return l
}

func (l Layers) inside() transfer.Subresource {
	return transfer.Subresource{Aspect: l.Aspect.inside(), Level: l.Level, BaseLayer: l.Base, Layers: l.Count}
}

// BufferImageCopy is a region of a copy between a buffer and an image (VkBufferImageCopy).
type BufferImageCopy struct {
	BufferOffset           uint64 // bytes
	RowLength, ImageHeight int    // texels; 0 is the extent
	Image                  Layers
	Offset, Extent         [3]int   // texels
	Rotation               Rotation // of the region of the image, around Offset
}

// Rotation is a number of clockwise quarter turns, 0 to 3 (VkCopyCommandTransformInfoQCOM), of 2D images of one plane that
// are not compressed.
type Rotation uint8

// The rotations.
const (
	RotateIdentity Rotation = iota
	Rotate90
	Rotate180
	Rotate270
)

// ImageCopy is a region of a copy between images (VkImageCopy).
type ImageCopy struct {
	Source, Target             Layers
	SourceOffset, TargetOffset [3]int
	Extent                     [3]int // texels of the source
}

// ImageBlit is a region of a scaled copy (VkImageBlit): the boxes have two corners each.
type ImageBlit struct {
	Source, Target       Layers
	SourceBox, TargetBox [2][3]int
	Rotation             Rotation // of the coordinates of the source
}

// ImageRange is levels and layers of aspects of an image (VkImageSubresourceRange); counts and aspects of 0 are all.
type ImageRange struct {
	Aspects           Aspect
	BaseLevel, Levels int
	BaseLayer, Layers int
}

// imageWork is a recorded transfer of images. Its regions are copies of the arguments.
type imageWork struct {
	source, target *Image
	buffer         *Buffer
	toImage        bool
	copies         []transfer.BufferImage
	images         []transfer.ImageCopy
	blits          []transfer.Blit
	blitter        transfer.Blitter
	filter         transfer.Filter
	resolves       bool
	modes          [2]ResolveMode // of color or depth, of stencil
	ranges         []transfer.Range
	color, depth   [4]uint64
}

// imageWork returns a work for images; one of them may be nil.
func (c *CommandBuffer) imageWork(source, target *Image) *imageWork {
	w := take[imageWork](c)
	w.source, w.target = source, target
	return w
}

func (w *imageWork) forget() {
	*w = imageWork{copies: w.copies[:0], images: w.images[:0], blits: w.blits[:0], ranges: w.ranges[:0], blitter: w.blitter}
}

// run executes the work.
func (w *imageWork) run() error {
	for i := range w.copies {
		var err error
		if w.toImage {
			err = transfer.BufferToImage(w.target.image, w.buffer.bytes(), &w.copies[i])
		} else {
			err = transfer.ImageToBuffer(w.buffer.bytes(), w.source.image, &w.copies[i])
		}
		if err != nil {
			return err
		}
	}
	for i := range w.images {
		if w.resolves {
			w.resolve(&w.images[i])
		} else if err := transfer.Image(w.target.image, w.source.image, &w.images[i]); err != nil {
			return err
		}
	}
	for i := range w.blits {
		if err := w.blitter.Blit(w.target.image, w.source.image, &w.blits[i], w.filter); err != nil {
			return err
		}
	}
	for _, r := range w.ranges {
		if err := transfer.Clear(w.target.image, r, w.color, w.depth); err != nil {
			return err
		}
	}
	w.scrub()
	return nil
}

// check returns the error of run, without an effect.
func (w *imageWork) check() error {
	for i := range w.copies {
		image := w.source
		if w.toImage {
			image = w.target
		}
		if err := w.copies[i].Check(image.image, int(w.buffer.size)); err != nil {
			return err
		}
	}
	for i := range w.images {
		r := w.images[i]
		if w.resolves { // the samples are not copied, only their place
			if err := (&transfer.ImageCopy{From: r.To, To: r.To, FromOffset: r.ToOffset, ToOffset: r.ToOffset, Extent: r.Extent}).Check(w.target.image, w.target.image); err != nil {
				return err
			}
			r = transfer.ImageCopy{From: r.From, To: r.From, FromOffset: r.FromOffset, ToOffset: r.FromOffset, Extent: r.Extent}
			if err := r.Check(w.source.image, w.source.image); err != nil {
				return err
			}
		} else if err := r.Check(w.target.image, w.source.image); err != nil {
			return err
		}
	}
	for i := range w.blits {
		if err := w.blits[i].Check(w.target.image, w.source.image, w.filter); err != nil {
			return err
		}
	}
	for _, r := range w.ranges {
		if err := r.Check(w.target.image); err != nil {
			return err
		}
	}
	return nil
}

// resolve resolves the samples of a region.
func (w *imageWork) resolve(r *transfer.ImageCopy) {
	mode := w.modes[0]
	if r.From.Aspect == Stencil.inside() {
		mode = w.modes[1]
	}
	for layer := range max(r.From.Layers, 1) {
		to := texture.Coord{X: r.ToOffset[0], Y: r.ToOffset[1], Z: r.ToOffset[2], Layer: r.To.BaseLayer + layer, Level: r.To.Level, Aspect: r.To.Aspect}
		from := texture.Coord{X: r.FromOffset[0], Y: r.FromOffset[1], Layer: r.From.BaseLayer + layer, Aspect: r.From.Aspect}
		width := min(r.Extent[0], w.source.layout.Width, w.target.layout.Width)
		height := min(r.Extent[1], w.source.layout.Height, w.target.layout.Height)
		draw.Resolve(w.target.image, to, w.source.image, from, width, height, draw.ResolveMode(mode))
	}
}

// images adds a transfer of images if its objects can be used.
func (c *CommandBuffer) images(kind commandKind, w *imageWork) {
	if !c.begin() {
		return
	}
	for _, m := range [...]*Image{w.source, w.target} {
		if m == nil {
			continue
		}
		if err := check(c.dev, "the image", m); err != nil {
			c.fail(err)
			return
		}
		if m.image == nil {
			c.fail(usage("", "%v has no memory; must have some", &m.object))
			return
		}
		if need := w.usage(m); c.dev.checking > None && (m.info.Usage|m.info.StencilUsage)&need == 0 {
			c.fail(usage(usageRules[kind][need&1], "%v lacks the usage of the command; must have it", &m.object))
			return
		}
		m.refer(c.each)
	}
	if w.buffer != nil {
		if err := check(c.dev, "the buffer", w.buffer); err != nil {
			c.fail(err)
			return
		}
		if w.buffer.memory == nil {
			c.fail(usage("", "%v has no memory; must have some", &w.buffer.object))
			return
		}
		w.buffer.refer(c.each)
	}
	if err := w.check(); err != nil {
		c.fail(usage("", "%s: %v", commandNames[kind], err))
		return
	}
	c.commands = append(c.commands, command{kind: kind, a: w})
}

// usage returns the usage that an image of the work needs.
func (w *imageWork) usage(m *Image) ImageUsage {
	if m == w.source {
		return ImageTransferSource
	}
	return ImageTransferTarget
}

// usageRules are the rules on the usage of the target and of the source.
var usageRules = map[commandKind][2]string{
	copyBufferToImage: {"VUID-vkCmdCopyBufferToImage-dstImage-00177", ""},
	copyImageToBuffer: {"", "VUID-vkCmdCopyImageToBuffer-srcImage-00186"},
	copyImage:         {"VUID-vkCmdCopyImage-aspect-06663", "VUID-vkCmdCopyImage-aspect-06662"},
	blitImage:         {"VUID-vkCmdBlitImage-dstImage-00224", "VUID-vkCmdBlitImage-srcImage-00219"},
	resolveImage:      {"VUID-vkCmdResolveImage-dstImage-06764", "VUID-vkCmdResolveImage-srcImage-06762"},
	clearImage:        {"VUID-vkCmdClearColorImage-image-00002", ""},
}

// missing records an error if an image is nil or a zero value.
func (c *CommandBuffer) missing(list ...*Image) bool {
	for _, m := range list {
		if m == nil || m.layout == nil {
			if c.begin() {
				c.fail(usage("", "an image is nil or a zero value; must be an image"))
			}
			return true
		}
	}
	return false
}

// CopyBufferToImage copies regions of a buffer to an image. A region outside of either is an error of the recording.
func (c *CommandBuffer) CopyBufferToImage(source *Buffer, target *Image, regions []BufferImageCopy) {
	if c.missing(target) || !c.transfer(source, 0, 0, TransferSource, "VUID-vkCmdCopyBufferToImage-srcBuffer-00174") {
		return
	}
	w := c.imageWork(nil, target)
	w.buffer, w.toImage = source, true
	w.copyBuffer(regions)
	c.images(copyBufferToImage, w)
}

// CopyImageToBuffer copies regions of an image to a buffer; see CopyBufferToImage.
func (c *CommandBuffer) CopyImageToBuffer(source *Image, target *Buffer, regions []BufferImageCopy) {
	if c.missing(source) || !c.transfer(target, 0, 0, TransferTarget, "VUID-vkCmdCopyImageToBuffer-dstBuffer-00191") {
		return
	}
	w := c.imageWork(source, nil)
	w.buffer = target
	w.copyBuffer(regions)
	c.images(copyImageToBuffer, w)
}

// copyBuffer adds regions of a copy with a buffer.
func (w *imageWork) copyBuffer(regions []BufferImageCopy) {
	m := w.target
	if !w.toImage {
		m = w.source
	}
	for _, r := range regions {
		w.copies = append(w.copies, transfer.BufferImage{BufferOffset: int(min(r.BufferOffset, math.MaxInt)), RowLength: r.RowLength, ImageHeight: r.ImageHeight, Image: r.Image.of(m).inside(), Offset: r.Offset, Extent: r.Extent, Rotation: transfer.Rotation(r.Rotation)})
	}
}

// CopyImage copies regions between images without conversion.
func (c *CommandBuffer) CopyImage(source, target *Image, regions []ImageCopy) {
	if c.missing(source, target) {
		return
	}
	w := c.imageWork(source, target)
	w.copyImages(regions)
	c.images(copyImage, w)
}

// copyImages adds regions of a copy or a resolve.
func (w *imageWork) copyImages(regions []ImageCopy) {
	for _, r := range regions {
		list, n := inTurn(r.Source.of(w.source), r.Target.of(w.target))
		for _, a := range list[:n] {
			w.images = append(w.images, transfer.ImageCopy{From: a[0], To: a[1], FromOffset: r.SourceOffset, ToOffset: r.TargetOffset, Extent: r.Extent})
		}
	}
}

// inTurn returns the n parts of two images that a region copies: if it has depth and stencil of both, they are copied in turn.
func inTurn(source, target Layers) (list [2][2]transfer.Subresource, n int) {
	list[0] = [2]transfer.Subresource{source.inside(), target.inside()}
	if source.Aspect != Depth|Stencil || target.Aspect != Depth|Stencil {
		return list, 1
	}
	list[1] = list[0]
	for i, a := range [2]Aspect{Depth, Stencil} {
		list[i][0].Aspect, list[i][1].Aspect = a.inside(), a.inside()
	}
	return list, 2
}

// BlitImage copies regions with scaling, conversion and, if filter is not Nearest, filtering. Cubic has the weights of
// Catmull and Rom.
func (c *CommandBuffer) BlitImage(source, target *Image, regions []ImageBlit, filter enum.Filter) {
	c.BlitImage2(BlitImageInfo{Source: source, Target: target, Regions: regions, Filter: filter})
}

// BlitImageInfo describes a blit (VkBlitImageInfo2).
type BlitImageInfo struct {
	Source, Target *Image
	Regions        []ImageBlit
	Filter         enum.Filter
	Weights        enum.CubicWeights // of the filter Cubic (VkBlitImageCubicWeightsInfoQCOM)
}

// BlitImage2 is BlitImage with all that VkBlitImageInfo2 has.
func (c *CommandBuffer) BlitImage2(i BlitImageInfo) {
	if c.missing(i.Source, i.Target) {
		return
	}
	w := c.imageWork(i.Source, i.Target)
	w.filter = transfer.Filter{Kind: i.Filter, Weights: i.Weights}
	for _, r := range i.Regions {
		list, n := inTurn(r.Source.of(w.source), r.Target.of(w.target))
		for _, a := range list[:n] {
			w.blits = append(w.blits, transfer.Blit{From: a[0], To: a[1], FromBox: r.SourceBox, ToBox: r.TargetBox, Rotation: transfer.Rotation(r.Rotation)})
		}
	}
	c.images(blitImage, w)
}

// ResolveImage writes the average of the samples of regions; of integers, sample 0.
func (c *CommandBuffer) ResolveImage(source, target *Image, regions []ImageCopy) {
	c.ResolveImage2(ResolveImageInfo{Source: source, Target: target, Regions: regions})
}

// ResolveImageInfo describes a resolve (VkResolveImageInfo2, VkResolveImageModeInfoKHR).
type ResolveImageInfo struct {
	Source, Target *Image
	Regions        []ImageCopy

	// Mode is of color or depth, and StencilMode of stencil; ResolveNone is the average of color, and sample 0 of the others.
	Mode, StencilMode ResolveMode
}

// ResolveImage2 is ResolveImage with the modes of resolves, also of depth and stencil.
func (c *CommandBuffer) ResolveImage2(i ResolveImageInfo) {
	if c.missing(i.Source, i.Target) {
		return
	}
	from, to := i.Source.layout, i.Target.layout
	color := from.Info().Aspects == format.Color
	w := c.imageWork(i.Source, i.Target)
	w.copyImages(i.Regions)
	w.resolves, w.modes = true, [2]ResolveMode{i.Mode, i.StencilMode}
	for n, m := range w.modes {
		if m == ResolveNone {
			if w.modes[n] = ResolveSampleZero; n == 0 && color {
				w.modes[n] = ResolveAverage
			}
		}
	}
	var err error
	switch {
	case from.Samples < 2 || to.Samples != 1 || from.Format != to.Format:
		err = usage("VUID-vkCmdResolveImage-srcImage-00257", "an image of %s with %d samples is resolved to one of %s with %d; must have several, to one of the same format with 1", from.Format, from.Samples, to.Format, to.Samples)
	case w.modes[0] > ResolveMax || w.modes[0]&(w.modes[0]-1) != 0:
		err = usage("VUID-VkResolveImageModeInfoKHR-resolveMode-parameter", "the mode is %#x; must be one of Vulkan's", i.Mode)
	case w.modes[1] > ResolveMax || w.modes[1]&(w.modes[1]-1) != 0 || w.modes[1] == ResolveAverage:
		err = usage("VUID-VkResolveImageModeInfoKHR-stencilResolveMode-parameter", "the mode of stencil is %#x; must be one of Vulkan's, and no average", i.StencilMode)
	case from.Info().Planes > 0:
		err = usage("VUID-vkCmdResolveImage-srcImage-06763", "an image of %s is resolved; must have one plane", from.Format)
	}
	for n := range w.images {
		if r := &w.images[n]; err == nil && max(r.From.Layers, 1) != max(r.To.Layers, 1) {
			err = usage("VUID-VkImageResolve2-layerCount-08803", "%d layers are resolved to %d; must be as many", max(r.From.Layers, 1), max(r.To.Layers, 1))
		}
	}
	if err != nil {
		if c.begin() {
			c.fail(err)
		}
		return
	}
	c.images(resolveImage, w)
}

// ClearColorImage sets ranges of an image to a color: bits of 32-bit floats or integers, by the format. Of 64-bit components
// the color has red and green, two words each, the low one first (Vulkan, VkClearColorValue).
func (c *CommandBuffer) ClearColorImage(m *Image, color [4]uint32, ranges []ImageRange) {
	value := [4]uint64{uint64(color[0]), uint64(color[1]), uint64(color[2]), uint64(color[3])}
	if m != nil && m.layout != nil && m.layout.Info().Wide {
		value = [4]uint64{value[0] | value[1]<<32, value[2] | value[3]<<32}
	}
	c.clearImage(m, value, [4]uint64{}, ranges)
}

// ClearDepthStencilImage sets ranges of an image to a depth and a stencil value.
func (c *CommandBuffer) ClearDepthStencilImage(m *Image, depth float32, stencil uint32, ranges []ImageRange) {
	c.clearImage(m, [4]uint64{uint64(stencil)}, [4]uint64{uint64(math.Float32bits(depth))}, ranges)
}

func (c *CommandBuffer) clearImage(m *Image, color, depth [4]uint64, ranges []ImageRange) {
	if c.missing(m) {
		return
	}
	w := c.imageWork(nil, m)
	w.color, w.depth = color, depth
	for _, r := range ranges {
		w.ranges = append(w.ranges, transfer.Range{Aspects: r.Aspects.inside(), BaseLevel: r.BaseLevel, Levels: r.Levels, BaseLayer: r.BaseLayer, Layers: r.Layers})
	}
	c.images(clearImage, w)
}
