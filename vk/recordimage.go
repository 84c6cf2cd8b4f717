package vk

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/transfer"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Layers names layers of a level of an image (VkImageSubresourceLayers). An Aspect of 0 is the image's first, Count 0 is 1.
type Layers struct {
	Aspect      Aspect
	Level       int
	Base, Count int
}

func (l Layers) inside() transfer.Subresource {
	return transfer.Subresource{Aspect: l.Aspect.inside(), Level: l.Level, BaseLayer: l.Base, Layers: l.Count}
}

// BufferImageCopy is a region of a copy between a buffer and an image (VkBufferImageCopy).
type BufferImageCopy struct {
	BufferOffset           uint64 // bytes
	RowLength, ImageHeight int    // texels; 0 is the extent
	Image                  Layers
	Offset, Extent         [3]int // texels
}

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
	linear         bool
	resolves       bool
	ranges         []transfer.Range
	color, depth   [4]uint64
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
		if err := transfer.BlitImage(w.target.image, w.source.image, &w.blits[i], w.linear); err != nil {
			return err
		}
	}
	for _, r := range w.ranges {
		if err := transfer.Clear(w.target.image, r, w.color, w.depth); err != nil {
			return err
		}
	}
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
		if err := w.blits[i].Check(w.target.image, w.source.image, w.linear); err != nil {
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

// resolve averages the samples of a region.
func (w *imageWork) resolve(r *transfer.ImageCopy) {
	for layer := range max(r.From.Layers, 1) {
		to := texture.Coord{X: r.ToOffset[0], Y: r.ToOffset[1], Layer: r.To.BaseLayer + layer, Level: r.To.Level, Aspect: r.To.Aspect}
		from := texture.Coord{X: r.FromOffset[0], Y: r.FromOffset[1], Layer: r.From.BaseLayer + layer, Aspect: r.From.Aspect}
		width := min(r.Extent[0], w.source.layout.Width, w.target.layout.Width)
		height := min(r.Extent[1], w.source.layout.Height, w.target.layout.Height)
		draw.Resolve(w.target.image, to, w.source.image, from, width, height, draw.ResolveAverage)
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
		m.refer(c.refer)
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
		w.buffer.refer(c.refer)
	}
	if err := w.check(); err != nil {
		c.fail(usage("", "%s: %v", commandNames[kind], err))
		return
	}
	c.commands = append(c.commands, command{kind: kind, a: w})
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
	c.images(copyBufferToImage, &imageWork{buffer: source, target: target, toImage: true, copies: insideCopies(regions)})
}

// CopyImageToBuffer copies regions of an image to a buffer; see CopyBufferToImage.
func (c *CommandBuffer) CopyImageToBuffer(source *Image, target *Buffer, regions []BufferImageCopy) {
	if c.missing(source) || !c.transfer(target, 0, 0, TransferTarget, "VUID-vkCmdCopyImageToBuffer-dstBuffer-00191") {
		return
	}
	c.images(copyImageToBuffer, &imageWork{source: source, buffer: target, copies: insideCopies(regions)})
}

func insideCopies(regions []BufferImageCopy) []transfer.BufferImage {
	out := make([]transfer.BufferImage, len(regions))
	for i, r := range regions {
		out[i] = transfer.BufferImage{BufferOffset: int(min(r.BufferOffset, math.MaxInt)), RowLength: r.RowLength, ImageHeight: r.ImageHeight, Image: r.Image.inside(), Offset: r.Offset, Extent: r.Extent}
	}
	return out
}

// CopyImage copies regions between images without conversion.
func (c *CommandBuffer) CopyImage(source, target *Image, regions []ImageCopy) {
	if c.missing(source, target) {
		return
	}
	c.images(copyImage, &imageWork{source: source, target: target, images: insideImages(regions)})
}

func insideImages(regions []ImageCopy) []transfer.ImageCopy {
	out := make([]transfer.ImageCopy, len(regions))
	for i, r := range regions {
		out[i] = transfer.ImageCopy{From: r.Source.inside(), To: r.Target.inside(), FromOffset: r.SourceOffset, ToOffset: r.TargetOffset, Extent: r.Extent}
	}
	return out
}

// BlitImage copies regions with scaling, conversion and, if filter is Linear, filtering.
func (c *CommandBuffer) BlitImage(source, target *Image, regions []ImageBlit, filter Filter) {
	if c.missing(source, target) {
		return
	}
	w := &imageWork{source: source, target: target, linear: filter == Linear}
	if filter > Linear {
		if c.begin() {
			c.fail(&UnsupportedError{Feature: "blits with a cubic filter"})
		}
		return
	}
	for _, r := range regions {
		w.blits = append(w.blits, transfer.Blit{From: r.Source.inside(), To: r.Target.inside(), FromBox: r.SourceBox, ToBox: r.TargetBox})
	}
	c.images(blitImage, w)
}

// ResolveImage writes the average of the samples of regions.
func (c *CommandBuffer) ResolveImage(source, target *Image, regions []ImageCopy) {
	if c.missing(source, target) {
		return
	}
	if source.layout.Samples < 2 || target.layout.Samples != 1 || source.layout.Format != target.layout.Format {
		if c.begin() {
			c.fail(usage("VUID-vkCmdResolveImage-srcImage-00257", "an image of %s with %d samples is resolved to one of %s with %d; must have several, to one of the same format with 1", source.layout.Format, source.layout.Samples, target.layout.Format, target.layout.Samples))
		}
		return
	}
	c.images(resolveImage, &imageWork{source: source, target: target, images: insideImages(regions), resolves: true})
}

// ClearColorImage sets ranges of an image to a color: bits of 32-bit floats or integers, by the format.
func (c *CommandBuffer) ClearColorImage(m *Image, color [4]uint32, ranges []ImageRange) {
	c.clearImage(m, [4]uint64{uint64(color[0]), uint64(color[1]), uint64(color[2]), uint64(color[3])}, [4]uint64{}, ranges)
}

// ClearDepthStencilImage sets ranges of an image to a depth and a stencil value.
func (c *CommandBuffer) ClearDepthStencilImage(m *Image, depth float32, stencil uint32, ranges []ImageRange) {
	c.clearImage(m, [4]uint64{uint64(stencil)}, [4]uint64{uint64(math.Float32bits(depth))}, ranges)
}

func (c *CommandBuffer) clearImage(m *Image, color, depth [4]uint64, ranges []ImageRange) {
	if c.missing(m) {
		return
	}
	w := &imageWork{target: m, color: color, depth: depth}
	for _, r := range ranges {
		w.ranges = append(w.ranges, transfer.Range{Aspects: r.Aspects.inside(), BaseLevel: r.BaseLevel, Levels: r.Levels, BaseLayer: r.BaseLayer, Layers: r.Layers})
	}
	c.images(clearImage, w)
}
