package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// sparseSystem skips the test where the operating system cannot map one memory object at two addresses.
func sparseSystem(t testing.TB) {
	t.Helper()
	s, err := exec.NewSpace(SparseBlock, nil)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this operating system cannot map one memory object at two addresses, which sparse binding needs (Linux can)")
	}
	s.Free()
}

// bindSparse binds and waits.
func (r *rig) bindSparse(t testing.TB, info BindSparseInfo) {
	t.Helper()
	fence := must(r.dev.NewFence(false))(t)
	defer fence.Close()
	info.Fence = fence
	if err := r.dev.Queue().BindSparse(info); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := fence.Wait(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestSparseBuffer binds blocks of memory to two buffers: aliases see each other, ranges without memory can be used, and the
// buffers keep working after the memory is freed.
func TestSparseBuffer(t *testing.T) {
	sparseSystem(t)
	r := newRig(t, DeviceInfo{}, storage)
	buffer := func(n uint64) *Buffer {
		return must(r.dev.NewBuffer(BufferInfo{Size: n, Usage: TransferSource | TransferTarget | StorageBuffer | DeviceAddress, Flags: bufferSparse}))(t)
	}
	a, b := buffer(4*SparseBlock), buffer(2*SparseBlock-100)
	if q := b.Requirements(); q != (MemoryRequirements{Size: 2 * SparseBlock, Alignment: SparseBlock, Types: 1 << SparseMemory}) {
		t.Errorf("the requirements are %+v", q)
	}
	if a.Address() == 0 || a.Address() == b.Address() {
		t.Errorf("the device addresses are %#x and %#x", a.Address(), b.Address())
	}
	memory := must(r.dev.Allocate(MemoryInfo{Size: 2 * SparseBlock, Type: SparseMemory}))(t)
	r.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{
		{a, []SparseBind{{Offset: SparseBlock, Size: SparseBlock, Memory: memory, MemoryOffset: SparseBlock}, {Offset: 3 * SparseBlock, Size: SparseBlock, Memory: memory}}},
		{b, []SparseBind{{Size: SparseBlock, Memory: memory, MemoryOffset: SparseBlock}}},
	}})
	runOn(t, r.dev, func(c *CommandBuffer) {
		c.FillBuffer(a, 0, WholeSize, 7) // ranges without memory too
		c.FillBuffer(b, 8, 4, 9)
		c.CopyBuffer(a, r.y, []BufferCopy{{Source: SparseBlock, Size: 16}, {Source: 0, Target: 16, Size: 4}})
	})
	for i, want := range []uint32{7, 7, 9, 7, 0} {
		if got := getWord(r.memory.Bytes()[64+4*i:]); got != want {
			t.Errorf("word %d is %d; must be %d", i, got, want)
		}
	}
	if got := getWord(memory.Bytes()[SparseBlock+8:]); got != 9 {
		t.Errorf("the host reads %d; must be 9", got)
	}
	// After an unbind the memory keeps its content for the next bind.
	r.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{
		{a, []SparseBind{{Size: 4 * SparseBlock}}}, {b, []SparseBind{{Size: SparseBlock}}}, {a, []SparseBind{{Size: SparseBlock, Memory: memory, MemoryOffset: SparseBlock}}},
	}})
	if err := memory.Close(); err != nil {
		t.Error(err)
	}
	runOn(t, r.dev, func(c *CommandBuffer) {
		c.CopyBuffer(a, r.y, []BufferCopy{{Source: 4, Size: 8}, {Source: SparseBlock, Target: 8, Size: 4}, {Source: 3 * SparseBlock, Target: 12, Size: 4}})
		c.FillBuffer(a, 0, WholeSize, 1)
		c.FillBuffer(b, 0, WholeSize, 1)
	})
	for i, want := range []uint32{7, 9, 0, 0} {
		if got := getWord(r.memory.Bytes()[64+4*i:]); got != want {
			t.Errorf("word %d is %d after another bind; must be %d", i, got, want)
		}
	}
	// A fill of a range without memory takes none.
	huge, err := r.dev.NewBuffer(BufferInfo{Size: MaxSparse - 16*SparseBlock, Usage: TransferSource | TransferTarget, Flags: bufferSparse})
	if err != nil {
		t.Logf("no range of nearly %d bytes: %v", uint64(MaxSparse), err)
		huge = buffer(1 << 24)
	}
	size := huge.Size()
	runOn(t, r.dev, func(c *CommandBuffer) {
		c.FillBuffer(huge, 0, WholeSize, 1)
		c.CopyBuffer(huge, a, []BufferCopy{{Source: size - 4*SparseBlock, Size: 4 * SparseBlock}})
	})
	for _, b := range []*Buffer{a, b, huge} {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSparseRules tests the rules of sparse binds.
func TestSparseRules(t *testing.T) {
	sparseSystem(t)
	r := newRig(t, DeviceInfo{}, storage)
	b := must(r.dev.NewBuffer(BufferInfo{Size: 2 * SparseBlock, Usage: TransferSource, Flags: BufferSparseBinding}))(t)
	memory := must(r.dev.Allocate(MemoryInfo{Size: SparseBlock, Type: SparseMemory}))(t)
	visible := must(r.dev.Allocate(MemoryInfo{Size: SparseBlock}))(t)
	const rule = "VUID-VkSparseMemoryBind-"
	for _, test := range []struct {
		rule string
		bind SparseBind
	}{
		{"size-01098", SparseBind{}},
		{"resourceOffset-01099", SparseBind{Offset: 2 * SparseBlock, Size: SparseBlock}},
		{"size-01100", SparseBind{Offset: SparseBlock, Size: 2 * SparseBlock}},
		{"resourceOffset-09491", SparseBind{Offset: 1, Size: SparseBlock}},
		{"memory-01096", SparseBind{Size: SparseBlock, Memory: visible}},
		{"memory-01096", SparseBind{Size: SparseBlock, Memory: memory, MemoryOffset: 1}},
		{"memoryOffset-01101", SparseBind{Size: SparseBlock, Memory: memory, MemoryOffset: SparseBlock}},
		{"size-01102", SparseBind{Size: 2 * SparseBlock, Memory: memory}},
	} {
		wantRule(t, r.dev.Queue().BindSparse(BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{test.bind}}}}), rule+test.rule)
	}
	wantRule(t, r.dev.Queue().BindSparse(BindSparseInfo{Buffers: []SparseBufferBind{{Buffer: r.x}}}), "VUID-VkSparseBufferMemoryBindInfo-buffer-parameter")
	wantRule(t, b.Bind(memory, 0), "VUID-vkBindBufferMemory-buffer-01030")
	_, err := r.dev.NewBuffer(BufferInfo{Size: 1, Usage: TransferSource, Flags: BufferSparseResidency})
	wantRule(t, err, "VUID-VkBufferCreateInfo-flags-00918")
	planes := ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "G8_B8R8_2PLANE_420_UNORM"), Extent: [3]int{8, 8, 1}, Usage: ImageSampled, Flags: ImageDisjoint}
	m := must(r.dev.NewImage(planes))(t)
	owner := must(r.dev.NewBuffer(BufferInfo{Size: 4096, Usage: TransferSource}))(t)
	wantRule(t, m.BindPlane(Plane0, must(r.dev.Allocate(MemoryInfo{Size: owner.Requirements().Size, Buffer: owner}))(t), 0), "VUID-VkBindImageMemoryInfo-memory-02628")
	planes.Flags |= ImageSparseBinding
	m = must(r.dev.NewImage(planes))(t)
	wantRule(t, m.BindPlane(Plane0, memory, 0), "VUID-VkBindImageMemoryInfo-image-01045")
	if r.dev.Queue().BindSparse(BindSparseInfo{Opaque: []SparseOpaqueBind{{}}}) == nil || (*Queue)(nil).BindSparse(BindSparseInfo{}) == nil {
		t.Error("nil objects are bound")
	}
}

// TestTolerantSparse binds memory of the other type, and a part of the last block of a buffer: a tolerant device binds the memory, with the
// content that it has, and the whole block. Each has a message.
func TestTolerantSparse(t *testing.T) {
	sparseSystem(t)
	var list []string
	r := newRig(t, DeviceInfo{Tolerant: true, Messages: func(m Message) { list = append(list, m.Finding.Rule) }}, storage)
	b := must(r.dev.NewBuffer(BufferInfo{Size: 2*SparseBlock - 100, Usage: TransferSource | TransferTarget, Flags: BufferSparseBinding}))(t)
	memory := must(r.dev.Allocate(MemoryInfo{Size: 2 * SparseBlock}))(t)
	words := memory.Bytes()
	binary.LittleEndian.PutUint32(words[SparseBlock+32:], 77)
	r.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{{Offset: SparseBlock, Size: SparseBlock - 100, Memory: memory, MemoryOffset: SparseBlock}}}}})
	runOn(t, r.dev, func(c *CommandBuffer) {
		c.CopyBuffer(b, b, []BufferCopy{{Source: SparseBlock + 32, Target: SparseBlock, Size: 4}})
		c.FillBuffer(b, 2*SparseBlock-104, 4, 5)
	})
	for at, want := range map[int]uint32{SparseBlock: 77, SparseBlock + 32: 77, 2*SparseBlock - 104: 5} {
		if got := binary.LittleEndian.Uint32(words[at:]); got != want {
			t.Errorf("byte %d of the memory: %d; must be %d", at, got, want)
		}
	}
	const rule = "VUID-VkSparseMemoryBind-"
	if want := []string{rule + "resourceOffset-09491", rule + "memory-01096"}; !slices.Equal(list, want) {
		t.Errorf("messages of %q; must be of %q", list, want)
	}
	wantRule(t, r.dev.Queue().BindSparse(BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{{Offset: 1, Size: SparseBlock, Memory: memory}}}}}), rule+"resourceOffset-09491")
}

// TestSparseImage binds an image as a whole, in two parts.
func TestSparseImage(t *testing.T) {
	sparseSystem(t)
	r := newRig(t, DeviceInfo{}, storage)
	m := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{200, 160, 1}, Usage: ImageTransferSource | ImageTransferTarget, Flags: ImageSparseBinding}))(t)
	size, alignment := m.Requirements()
	if size != 2*SparseBlock || alignment != SparseBlock {
		t.Fatalf("the image needs %d bytes at multiples of %d", size, alignment)
	}
	memory := must(r.dev.Allocate(MemoryInfo{Size: size, Type: SparseMemory}))(t)
	half := func(n uint64) SparseBind {
		return SparseBind{Offset: n * SparseBlock, Size: SparseBlock, Memory: memory, MemoryOffset: (1 - n) * SparseBlock}
	}
	r.bindSparse(t, BindSparseInfo{Opaque: []SparseOpaqueBind{{m, []SparseBind{half(0), half(1), {Metadata: true}}}}})
	runOn(t, r.dev, func(c *CommandBuffer) {
		c.ClearColorImage(m, [4]uint32{5}, []ImageRange{{}})
		c.CopyImageToBuffer(m, r.y, []BufferImageCopy{{Offset: [3]int{199, 159, 0}, Extent: [3]int{1, 1, 1}}})
	})
	if got := getWord(r.memory.Bytes()[64:]); got != 5 {
		t.Errorf("the last texel is %d; must be 5", got)
	}
	wantRule(t, m.Bind(memory, 0), "VUID-vkBindImageMemory-image-01045")
	m.Close()
}

// TestAllocations tests imported memory, dedicated memory and opaque addresses.
func TestAllocations(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	d := r.dev
	memory, err := exec.Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Free()
	host := memory.Bytes()
	imported := must(d.Allocate(MemoryInfo{Host: host}))(t)
	b := must(d.NewBuffer(BufferInfo{Size: 64, Usage: TransferTarget}))(t)
	if err := b.Bind(imported, 64); err != nil {
		t.Fatal(err)
	}
	runOn(t, d, func(c *CommandBuffer) { c.FillBuffer(b, 0, WholeSize, 3) })
	if host[63] != 0 || host[64] != 3 || host[124] != 3 || host[128] != 0 {
		t.Error("the memory of the host is not used in place")
	}
	dedicated := must(d.NewBuffer(BufferInfo{Size: 100, Usage: TransferTarget}))(t)
	own := must(d.Allocate(MemoryInfo{Size: dedicated.Requirements().Size, Buffer: dedicated}))(t)
	wantRule(t, must(d.NewBuffer(BufferInfo{Size: 16, Usage: TransferTarget}))(t).Bind(own, 0), "VUID-vkBindBufferMemory-memory-01508")
	if err := dedicated.Bind(own, 0); err != nil {
		t.Error(err)
	}
	larger := must(d.NewBuffer(BufferInfo{Size: 100, Usage: TransferTarget}))(t)
	if err := larger.Bind(must(d.Allocate(MemoryInfo{Size: 3 * larger.Requirements().Size, Buffer: larger}))(t), 0); err != nil {
		t.Errorf("dedicated memory that is larger than the buffer: %v", err)
	}
	for rule, info := range map[string]MemoryInfo{
		"VUID-VkMemoryAllocateInfo-allocationSize-07897":           {},
		"VUID-vkAllocateMemory-pAllocateInfo-01714":                {Size: 1, Type: 3},
		"VUID-VkMemoryAllocateInfo-allocationSize-01745":           {Host: host[:65]},
		"VUID-VkImportMemoryHostPointerInfoEXT-pHostPointer-01749": {Host: host[1:65]},
		"VUID-VkMemoryAllocateInfo-memoryTypeIndex-01744":          {Host: host, Type: SparseMemory},
		"VUID-VkMemoryAllocateInfo-opaqueCaptureAddress-03333":     {Size: 1, OpaqueAddress: 1 << 40},
		"VUID-VkMemoryDedicatedAllocateInfo-buffer-02965":          {Size: 1, Buffer: dedicated},
	} {
		_, err := d.Allocate(info)
		wantRule(t, err, rule)
	}
	first := must(d.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}))(t)
	second := must(d.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}))(t)
	address := first.OpaqueAddress()
	if _, err := d.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true, OpaqueAddress: address}); !errors.Is(err, ErrOpaqueAddress) {
		t.Errorf("an address that is taken: %v", err)
	}
	first.Close()
	if _, err := d.Allocate(MemoryInfo{Size: second.OpaqueAddress(), DeviceAddress: true, OpaqueAddress: address}); err == nil {
		t.Error("an allocation overlaps another")
	}
	again := must(d.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true, OpaqueAddress: address}))(t)
	x := must(d.NewBuffer(BufferInfo{Size: 64, Usage: DeviceAddress, Flags: BufferCaptureReplay, OpaqueAddress: address + 64}))(t)
	if err := x.Bind(again, 0); !errors.Is(err, ErrOpaqueAddress) {
		t.Errorf("another address than the opaque one: %v", err)
	}
	if err := x.Bind(again, 64); err != nil || x.OpaqueAddress() != address+64 {
		t.Errorf("the opaque address is %#x, %v; must be %#x", x.OpaqueAddress(), err, address+64)
	}
	// Requirements without objects are those of objects.
	info := ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "G8_B8R8_2PLANE_420_UNORM"), Extent: [3]int{8, 8, 1}, Usage: ImageSampled, Flags: ImageDisjoint}
	m := must(d.NewImage(info))(t)
	for _, p := range []Aspect{Plane0, Plane1, Plane2} {
		if got := must(d.ImageRequirements(info, p))(t); got != m.MemoryRequirements(p) || (got.Size == 0) != (p == Plane2) {
			t.Errorf("plane %#x needs %+v", p, got)
		}
		s, ok := d.ImageSubresource(info, p, 0, 0)
		if want, has := m.Subresource(p, 0, 0); s != want || ok != has {
			t.Errorf("plane %#x is at %+v", p, s)
		}
	}
	if got := must(d.BufferRequirements(BufferInfo{Size: 100}))(t); got != dedicated.Requirements() {
		t.Errorf("the buffer needs %+v", got)
	}
}

// TestSparseScratch stores to all blocks without memory of a buffer, as a shader may: they take at most the bytes that the heap
// counts for the scratch allocation, also after a bind and an unbind. The address ranges of all buffers together are bounded.
func TestSparseScratch(t *testing.T) {
	sparseSystem(t)
	const scratch = 1 << 20
	d := must(Chiaro().NewDevice(DeviceInfo{Memory: 16 << 20}))(t)
	t.Cleanup(func() { d.Close() })
	r := &rig{dev: d}
	buffer := func(n uint64) (*Buffer, error) {
		return d.NewBuffer(BufferInfo{Size: n, Usage: StorageBuffer, Flags: bufferSparse})
	}
	b := must(buffer(64 << 20))(t)
	check := func(bound int) {
		t.Helper()
		bytes := b.sparse.bytes
		for i := uint32(0); int(i) < len(bytes)/SparseBlock; i++ {
			binary.LittleEndian.PutUint32(bytes[i*SparseBlock:], i)
		}
		distinct := map[uint32]bool{}
		for i := 0; i < len(bytes); i += SparseBlock {
			distinct[getWord(bytes[i:])] = true
		}
		if want := scratch/SparseBlock + bound; len(distinct) != want {
			t.Errorf("the blocks have %d values; must have %d", len(distinct), want)
		}
	}
	check(0)
	memory := must(d.Allocate(MemoryInfo{Size: 3 * SparseBlock, Type: SparseMemory}))(t)
	r.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{{Offset: 33 * SparseBlock, Size: 3 * SparseBlock, Memory: memory}}}}})
	check(3)
	r.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{{Size: 64 << 20}}}}})
	check(0)
	if n, _ := d.Used(); n != scratch+3*SparseBlock+pageTables(64<<20) {
		t.Errorf("%d bytes are counted; must be %d", n, scratch+3*SparseBlock+pageTables(64<<20))
	}
	for range 2 { // a failure counts nothing
		if _, err := buffer(scratch * maxRepeats); !errors.As(err, new(*OutOfMemoryError)) {
			t.Errorf("%v: must be out of memory", err)
		}
	}
	other := must(buffer(scratch*maxRepeats - 64<<20))(t)
	for _, o := range []interface{ Close() error }{b, other, memory} {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
	if n, _ := d.Used(); n != 0 {
		t.Errorf("%d bytes are counted after the close", n)
	}
}
