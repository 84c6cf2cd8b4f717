package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// transferStages are the stages of the transfers of images (Vulkan, "Pipeline Stages").
var transferStages = map[commandKind]uint64{
	copyBufferToImage: stageCopy, copyImageToBuffer: stageCopy, copyImage: stageCopy, blitImage: stageBlit, resolveImage: stageResolve, clearImage: stageClear,
}

// images adds the accesses of a transfer of images: the texels of its regions, and the bytes of its buffer. Sparse images and buffers
// are not compared: several pages may show the same memory.
func (o *commandOrder) images(p *printer, k *command, w *imageWork) {
	if o == nil {
		return
	}
	for _, m := range [...]*Image{w.source, w.target} {
		if m != nil && (m.sparse != nil || m.image == nil) {
			return
		}
	}
	if w.buffer != nil && w.buffer.sparse != nil {
		return
	}
	var spans [2][]exec.Span // read and written
	read := func(row []byte) { spans[0] = append(spans[0], spanOf(row)...) }
	write := func(row []byte) { spans[1] = append(spans[1], spanOf(row)...) }
	for i := range w.copies {
		if w.toImage {
			w.copies[i].Rows(w.target.image, w.buffer.bytes(), read, write)
		} else {
			w.copies[i].Rows(w.source.image, w.buffer.bytes(), write, read)
		}
	}
	for i := range w.images {
		r := &w.images[i]
		if !w.resolves {
			r.Rows(w.target.image, w.source.image, read, write)
			continue
		}
		r.From.Box(w.source.image, cornersOf(r.FromOffset, r.Extent), read)
		r.To.Box(w.target.image, cornersOf(r.ToOffset, r.Extent), write)
	}
	for i := range w.blits {
		r := &w.blits[i]
		r.From.Box(w.source.image, r.FromBox, read)
		r.To.Box(w.target.image, r.ToBox, write)
	}
	for i := range w.ranges {
		w.ranges[i].Rows(w.target.image, write)
	}
	var list []*commandAccess
	for i, s := range spans {
		if s = joined(s); len(s) > 0 {
			a := &commandAccess{Access: exec.Access{Write: i == 1, Spans: s}, name: k.name(), stage: transferStages[k.kind], access: accessTransferRead}
			if i == 1 {
				a.access = accessTransferWrite
			}
			list = append(list, a)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.add(p, list, o.now())
}

// cornersOf returns the corners of a box.
func cornersOf(offset, extent [3]int) (out [2][3]int) {
	for i := range 3 {
		out[0][i], out[1][i] = offset[i], offset[i]+extent[i]
	}
	return out
}

// stored ends the comparison of what shaders did with the attachments of a tile: the store operation is after it, and orders it for
// later commands. Store operations are not compared.
func (o *commandOrder) stored(r *RenderingInfo) {
	if o == nil || !r.Tiles.Enable {
		return
	}
	var spans []exec.Span
	for _, list := range [...][]AttachmentInfo{r.Colors, {orZero(r.Depth), orZero(r.Stencil)}} {
		for _, a := range list {
			if a.View == nil {
				continue
			}
			for _, plane := range a.View.image.bytes {
				spans = append(spans, spanOf(plane)...)
			}
		}
	}
	spans = joined(spans)
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	o.remove(func(a *commandAccess) bool { return commonBytes(a.Spans, spans) })
}
