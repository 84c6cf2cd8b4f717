package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestUnwrittenSparse checks that a buffer whose memory a sparse buffer shows too counts as written: commands that name the
// other buffer write it (Vulkan, "Memory Aliasing").
func TestUnwrittenSparse(t *testing.T) {
	sparseSystem(t)
	u := newUnwritten(t, nil)
	memory := must(u.dev.Allocate(MemoryInfo{Size: SparseBlock, Type: SparseMemory}))(t)
	plain := must(u.dev.NewBuffer(BufferInfo{Size: 32, Usage: StorageBuffer}))(t)
	if err := plain.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	sparse := must(u.dev.NewBuffer(BufferInfo{Size: SparseBlock, Usage: TransferTarget, Flags: bufferSparse}))(t)
	u.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{{sparse, []SparseBind{{Size: SparseBlock, Memory: memory}}}}})
	err := u.submit(t, u.record(t, func(c *CommandBuffer) {
		c.FillBuffer(sparse, 0, WholeSize, 0)
		c.Barrier()
		u.saxpyOf(t, c, plain, u.y)
	}))
	if err != nil {
		t.Fatal(err)
	}
	u.expect(t, "", "", 0)
}

// TestUnwrittenPlane checks that a plane of a disjoint image ends the following of a buffer at its place.
func TestUnwrittenPlane(t *testing.T) {
	u := newUnwritten(t, nil)
	b := u.buffer(t)
	if u.dev.heap.defined.shadow(b.bytes()) == nil {
		t.Fatal("the buffer is not followed")
	}
	m := must(u.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "G8_B8R8_2PLANE_420_UNORM"), Extent: [3]int{4, 4, 1}, Usage: ImageTransferTarget, Flags: ImageDisjoint}))(t)
	if err := m.BindPlane(Plane0, b.memory, 0); err != nil {
		t.Fatal(err)
	}
	if u.dev.heap.defined.shadow(b.bytes()) != nil {
		t.Error("the buffer is followed; a plane of an image has its bytes")
	}
}

// TestUnwrittenHeap checks that a program that may store to images of a heap writes those that are storage images.
func TestUnwrittenHeap(t *testing.T) {
	for _, usage := range []ImageUsage{ImageSampled, ImageSampled | ImageStorage} {
		u := newUnwritten(t, nil)
		m := u.image(t, ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 4, 1}, Usage: usage})
		v := must(u.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
		args := compute.Args{Heap: make([]byte, ir.HeapDescriptor), HeapView: func([]byte) *texture.View { return v.view }}
		u.dev.heap.defined.begin(&args, &shader.Stage{Program: &ir.Program{Stage: ir.Compute, Res: []ir.Resource{{Kind: ir.Texels, Heap: true}}}})
		if is := m.untouched(v.subresources()); is != (usage&ImageStorage == 0) {
			t.Errorf("usage %#x: the image is without a value: %v", usage, is)
		}
	}
}

// TestShadowLimit checks that the shadows of all buffers stay within their limit, and that a place in memory has one range however
// often it is bound.
func TestShadowLimit(t *testing.T) {
	u := newUnwritten(t, nil)
	d := u.dev.heap.defined
	d.left = 40
	a, b := u.buffer(t), u.buffer(t)
	if d.shadow(a.bytes()) == nil || d.shadow(b.bytes()) != nil || d.left != 8 {
		t.Errorf("%d bytes are left for shadows; must be 8: the second buffer has none", d.left)
	}
	for range 10 {
		x := must(u.dev.NewBuffer(BufferInfo{Size: 32, Usage: StorageBuffer}))(t)
		if err := x.Bind(a.memory, 0); err != nil {
			t.Fatal(err)
		}
		x.Close()
	}
	if n := len(d.bound[a.memory]); n != 1 || d.left != 40 {
		t.Errorf("the memory has %d ranges, and %d bytes are left for shadows; must be 1 and 40", n, d.left)
	}
}
