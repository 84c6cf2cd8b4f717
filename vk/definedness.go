package vk

import (
	"cmp"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/transfer"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// With the sanitizer uninit a device knows which bytes of buffers and which levels and layers of images something has written. It
// follows a resource if only commands that name it write it: memory that the host maps, imports or exports, that has
// device addresses, or to which two objects or a sparse one are bound counts as written.

// definedness is the state of a device.
type definedness struct {
	mu      sync.Mutex
	buffers []definedBuffer // ascending, without overlaps
	bound   map[*Memory][]boundRange
	views   map[*texture.View]freshView
	left    uint64 // bytes that further shadows may have
	tile    tileDefined
}

// definedBuffer is a buffer with a shadow; see ir.StorageShadow.
type definedBuffer struct {
	start, end uintptr // addresses of its bytes
	shadow     []byte
	pages      *texture.Pages // of a sparse buffer: bytes without memory are undefined; nil for another buffer
}

// boundRange is a part of memory to which an object is or was bound.
type boundRange struct {
	start, end uint64
	image      *Image // nil for a buffer
}

// followedBuffers and followedImages are the usages with which all writes can be followed.
const (
	followedBuffers = TransferSource | TransferTarget | UniformBuffer | StorageBuffer | IndexBuffer | vertexBufferBit | IndirectBuffer
	followedImages  = ImageTransferSource | ImageTransferTarget | ImageSampled | ImageStorage | ImageColorAttachment | ImageDepthStencilAttachment | ImageTransientAttachment | ImageInputAttachment
)

// maxDefinedBytes is the size of the greatest buffer that is followed, maxShadowBytes of all together.
const maxDefinedBytes, maxShadowBytes = 256 << 20, 1 << 30

func newDefinedness() *definedness {
	return &definedness{bound: map[*Memory][]boundRange{}, views: map[*texture.View]freshView{}, left: maxShadowBytes}
}

// bind notes the range of an object in its memory, and reports whether its content is undefined. Ranges that overlap become one, of
// which nothing is followed.
func (d *definedness) bind(m *Memory, offset, n uint64, image *Image) bool {
	all, alone := boundRange{offset, offset + n, image}, true
	list := slices.DeleteFunc(d.bound[m], func(r boundRange) bool {
		if all.start >= r.end || r.start >= all.end {
			return false
		}
		d.forget(m.bytes[r.start:r.end])
		d.defineImage(r.image)
		all, alone = boundRange{min(all.start, r.start), max(all.end, r.end), nil}, false
		return true
	})
	d.bound[m] = append(list, all)
	return alone && !m.shared
}

// bindOther notes an object in memory that is not followed.
func (d *definedness) bindOther(m *Memory, offset, n uint64) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bind(m, offset, n, nil)
}

// bindBuffer begins to follow a buffer that was bound.
func (d *definedness) bindBuffer(b *Buffer) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.memory.isTile() {
		d.tileBuffer(b)
		return
	}
	if d.bind(b.memory, b.offset, b.size, nil) {
		d.follow(b, nil)
	}
}

// bindPages begins to follow the pages of a sparse buffer that may have memory in part. The content of its memory counts as written.
func (d *definedness) bindPages(b *Buffer) {
	if d == nil || b.sparse.pages == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.follow(b, b.sparse.pages)
}

// follow adds a buffer of which nothing is written.
func (d *definedness) follow(b *Buffer, pages *texture.Pages) {
	if b.usage&^followedBuffers != 0 || b.size > min(maxDefinedBytes, d.left) {
		return
	}
	d.left -= b.size
	shadow := bytesOfWords(make([]uint64, (b.size+7)/8))[:b.size]
	for i := range shadow {
		shadow[i] = 0xff
	}
	at := address(b.bytes())
	i, _ := slices.BinarySearchFunc(d.buffers, at, func(x definedBuffer, a uintptr) int { return cmp.Compare(x.start, a) })
	d.buffers = slices.Insert(d.buffers, i, definedBuffer{at, at + uintptr(b.size), shadow, pages})
}

// bindImage begins to follow an image that was bound.
func (d *definedness) bindImage(m *Image, offset, n uint64) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.memory.isTile() {
		d.tileImage(m, n)
		return
	}
	if d.bind(m.memory, offset, n, m) && m.info.Usage&^followedImages == 0 && m.info.Flags&ImageAlias == 0 {
		m.written = make([]bool, m.layout.Levels*m.layout.Layers)
	}
}

// shareBound is share for the memory that a sparse bind shows.
func (d *definedness) shareBound(info *BindSparseInfo) {
	if d == nil {
		return
	}
	for _, b := range info.Buffers {
		for _, x := range b.Binds {
			d.share(x.Memory)
		}
	}
	for _, b := range info.Opaque {
		for _, x := range b.Binds {
			d.share(x.Memory)
		}
	}
	for _, b := range info.Images {
		for _, x := range b.Binds {
			d.share(x.Memory)
		}
	}
}

// share ends the following of all that is bound to memory: others can write it from now on. m may be nil.
func (d *definedness) share(m *Memory) {
	if d == nil || m == nil || m.isTile() { // the host has other bytes
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.shared {
		return
	}
	m.shared = true
	d.forget(m.bytes)
	for _, r := range d.bound[m] {
		d.defineImage(r.image)
	}
}

// drop forgets memory that is freed.
func (d *definedness) drop(m *Memory) {
	if d == nil || m.isTile() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(m.bytes)
	delete(d.bound, m)
}

// forget ends the following of the buffers that overlap bytes.
func (d *definedness) forget(bytes []byte) {
	if len(bytes) == 0 {
		return
	}
	start := address(bytes)
	end := start + uintptr(len(bytes))
	d.buffers = slices.DeleteFunc(d.buffers, func(b definedBuffer) bool {
		is := b.start < end && start < b.end
		if is {
			d.left += uint64(len(b.shadow))
		}
		return is
	})
}

// shadow returns the shadow of bytes of one buffer; nil if it is not followed.
func (d *definedness) shadow(bytes []byte) []byte {
	if d == nil || len(bytes) == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	at := address(bytes)
	i, _ := slices.BinarySearchFunc(d.buffers, at+1, func(x definedBuffer, a uintptr) int { return cmp.Compare(x.start, a) })
	if i == 0 {
		return nil
	}
	b := &d.buffers[i-1]
	if at+uintptr(len(bytes)) > b.end {
		return nil
	}
	first := at - b.start
	if b.pages != nil {
		b.refresh(first, first+uintptr(len(bytes)))
	}
	return b.shadow[first:][:len(bytes):len(bytes)]
}

// refresh sets the shadow of a range of a sparse buffer as its pages are bound: stores to a page without memory leave it undefined.
// Bytes that are right stay unwritten, because shaders of other queues may read them.
func (b *definedBuffer) refresh(first, end uintptr) {
	for at := first; at < end; {
		next := min(at/SparseBlock*SparseBlock+SparseBlock, end)
		want := byte(0xff)
		if b.pages.Has(int(at / SparseBlock)) {
			want = 0
		}
		part := b.shadow[at:next]
		for i := range part {
			if part[i] != want {
				part[i] = want
			}
		}
		at = next
	}
}

// define marks bytes of a buffer as written.
func (d *definedness) define(bytes []byte) { clear(d.shadow(bytes)) }

// copied marks bytes of a buffer as a copy of others.
func (d *definedness) copied(to, from []byte) {
	if t := d.shadow(to); t != nil {
		clear(t[copy(t, d.shadow(from)):])
	}
}

// begin marks what the stages of a command may write as written: storage images, and the buffers of programs that do not note what
// they store. It returns the function that gives programs the shadows of buffers; nil without the sanitizer.
func (d *definedness) begin(args *compute.Args, stages ...*shader.Stage) func([]byte) []byte {
	if d == nil {
		return nil
	}
	for _, s := range stages {
		p, of := s.Program, args.Of(s.Program.Stage)
		notes := slices.ContainsFunc(p.Res, func(r ir.Resource) bool { return r.Kind == ir.StorageShadow })
		for _, r := range p.Res {
			if r.NonWritable || r.Heap && r.Kind != ir.Texels || r.Set >= ir.PayloadSet {
				continue
			}
			switch {
			case r.Kind == ir.Texels:
				plain := *of
				plain.Robustness.Images = exec.Strict
				for _, v := range plain.ViewsAt(r) {
					d.storesTo(v)
				}
			case r.Kind == ir.StorageBuffer && !notes:
				list, _, _ := of.Bound(r, new([]exec.Buffer))
				for _, b := range list {
					d.define(b.Bytes)
				}
			}
		}
	}
	return d.shadow
}

// transferred marks the target of a transfer of images as written.
func (d *definedness) transferred(w *imageWork) {
	if d == nil {
		return
	}
	if w.buffer != nil && !w.toImage {
		d.define(w.buffer.bytes())
		return
	}
	if w.target == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	part := func(s transfer.Subresource) { d.wrote(w.target, layers{s.Level, 1, s.BaseLayer, max(s.Layers, 1)}) }
	for i := range w.copies {
		part(w.copies[i].Image)
	}
	for i := range w.images { // layers of one image may be slices of the other
		d.wrote(w.target, layers{w.images[i].To.Level, 1, 0, w.target.layout.Layers})
	}
	for i := range w.blits {
		part(w.blits[i].To)
	}
	for _, r := range w.ranges {
		x := layers{r.BaseLevel, r.Levels, r.BaseLayer, r.Layers}
		if x.levels <= 0 {
			x.levels = w.target.layout.Levels
		}
		if x.count <= 0 {
			x.count = w.target.layout.Layers
		}
		d.wrote(w.target, x)
	}
}

// attach marks the attachments of a rendering as written.
func (d *definedness) attach(r *RenderingInfo) {
	if d == nil {
		return
	}
	for _, list := range [][]AttachmentInfo{r.Colors, {orZero(r.Depth), orZero(r.Stencil)}} {
		for i := range list {
			d.wroteView(list[i].View)
			d.wroteView(list[i].Resolve)
		}
	}
}

// storesTo marks what a view shows as written if it is of a storage image.
func (d *definedness) storesTo(v *texture.View) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if of, ok := d.views[v]; ok && of.image.info.Usage&ImageStorage != 0 {
		d.wrote(of.image, of.layers)
	}
}

// freshView is the range of a view. Nothing has written a texel of it.
type freshView struct {
	image *Image
	layers
}

// layers are levels and layers of an image.
type layers struct{ level, levels, base, count int }

// eachFresh calls f for each level and layer of x of an image that is followed.
func (m *Image) eachFresh(x layers, f func(written *bool)) {
	n := m.layout.Layers
	if m.layout.Dim == ir.Dim3D { // views have slices as layers
		x.base, x.count = 0, n
	}
	for level := max(x.level, 0); level < min(x.level+x.levels, m.layout.Levels); level++ {
		for layer := max(x.base, 0); layer < min(x.base+x.count, n); layer++ {
			f(&m.written[level*n+layer])
		}
	}
}

// untouched reports whether nothing has written any of x.
func (m *Image) untouched(x layers) bool {
	is := true
	m.eachFresh(x, func(written *bool) { is = is && !*written })
	return is
}

// wrote marks levels and layers of an image as written.
func (d *definedness) wrote(m *Image, x layers) {
	if d == nil || m == nil || m.written == nil {
		return
	}
	if m.memory.isTile() { // one that is written already can share bytes with one that was discarded
		d.wroteTile(m)
	}
	changed := false
	m.eachFresh(x, func(written *bool) { changed, *written = changed || !*written, true })
	if changed {
		d.staleViews(m)
	}
}

// staleViews tells the parts of views that something has written their texels of an image.
func (d *definedness) staleViews(m *Image) {
	for v, of := range d.views {
		if of.image == m && !m.untouched(of.layers) {
			v.SetFresh(false)
			delete(d.views, v)
		}
	}
}

// defineImage marks all of an image as written.
func (d *definedness) defineImage(m *Image) {
	if m != nil {
		d.wrote(m, layers{0, m.layout.Levels, 0, m.layout.Layers})
	}
}

// wroteLayers marks layers of a level of an image as written.
func (d *definedness) wroteLayers(m *Image, level, base, count int) {
	if d != nil && m != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.wrote(m, layers{level, 1, base, max(count, 1)})
	}
}

// wroteImage marks all of an image as written.
func (d *definedness) wroteImage(m *Image) {
	if d != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.defineImage(m)
	}
}

// wroteView marks what a view shows as written; v may be nil.
func (d *definedness) wroteView(v *ImageView) {
	if d != nil && v != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.wrote(v.image, v.subresources())
	}
}

// subresources returns the levels and layers of the view.
func (v *ImageView) subresources() layers {
	return layers{v.info.BaseLevel, v.levels(), v.info.BaseLayer, v.layers()}
}

// addView tells the parts of a view whether something has written the image.
func (d *definedness) addView(v *ImageView) {
	if d == nil || v.image.written == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if v.image.memory.isTile() {
		d.tile.views[v] = struct{}{}
	}
	d.freshen(v)
}

// freshen tells the parts of a view that nothing has written their texels, if that is so.
func (d *definedness) freshen(v *ImageView) {
	of := freshView{v.image, v.subresources()}
	for _, t := range []*texture.View{v.view, v.stencil, v.whole} {
		if t != nil && v.image.untouched(of.layers) {
			d.views[t] = of
			t.SetFresh(true)
		}
	}
}

// dropView forgets the parts of a view.
func (d *definedness) dropView(v *ImageView) {
	if d != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.views, v.view)
		delete(d.views, v.stencil)
		delete(d.views, v.whole)
		delete(d.tile.views, v)
	}
}
