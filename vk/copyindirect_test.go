package vk

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// indirect is memory with a device address: parameters of copies from byte 0 on, numbered bytes from byte 1024 on.
func indirect(t *testing.T, d *Device) (*Memory, uint64) {
	t.Helper()
	m := must(d.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}))(t)
	b := must(d.NewBuffer(BufferInfo{Size: 4096, Usage: DeviceAddress | IndirectBuffer | TransferSource | TransferTarget}))(t)
	if err := b.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	for i := range 1024 {
		m.Bytes()[1024+i] = byte(i*7 + i/256)
	}
	return m, b.Address()
}

// TestCopyMemoryIndirect copies by parameters that are in memory when the command runs.
func TestCopyMemoryIndirect(t *testing.T) {
	s := newScene(t, 1)
	m, at := indirect(t, s.dev)
	info := CopyMemoryIndirectInfo{SourceFlags: CopyDeviceLocal, Count: 3, Range: AddressRange{at, 96, 32}}
	c := s.record(t, func(c *CommandBuffer) { c.CopyMemoryIndirect(info) })
	for i, x := range [][3]uint64{{at + 1024, at + 2048, 64}, {at + 1124, at + 2148, 4}, {at + 1024, at + 4096, 0}} {
		for k, v := range x {
			binary.LittleEndian.PutUint64(m.Bytes()[32*i+8*k:], v)
		}
	}
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 2048)
	copy(want, m.Bytes()[1024:1088])
	copy(want[100:], m.Bytes()[1124:1128])
	if !bytes.Equal(m.Bytes()[2048:], want) {
		t.Error("the copies have other bytes")
	}
	const rule = "VUID-VkCopyMemoryIndirectInfoKHR-"
	for code, x := range map[string]CopyMemoryIndirectInfo{
		rule + "copyAddressRange-10942": {Range: AddressRange{at + 2, 96, 24}},
		rule + "copyAddressRange-10943": {Range: AddressRange{at, 96, 20}},
		rule + "copyCount-10944":        {Count: 5, Range: AddressRange{at, 119, 24}},
		rule + "srcCopyFlags-10940":     {SourceFlags: CopyProtected, Range: AddressRange{at, 96, 24}},
		rule + "dstCopyFlags-10941":     {TargetFlags: CopyProtected, Range: AddressRange{at, 96, 24}},
	} {
		s.refuses(t, code, func(c *CommandBuffer) { c.CopyMemoryIndirect(x) })
	}
}

// TestCopyMemoryIndirectLoss copies from and to addresses without memory, or that are no multiples of 4.
func TestCopyMemoryIndirectLoss(t *testing.T) {
	const rule = "VUID-VkCopyMemoryIndirectCommandKHR-"
	for name, x := range map[string]struct {
		rule     string
		from, to uint64 // relative to the memory
		size     uint64
		array    uint64
	}{
		"source":   {"", 1 << 40, 0, 4, 0},
		"target":   {"", 0, 4093, 4, 0},
		"size":     {"", 0, 0, 1 << 63, 0},
		"array":    {"VUID-VkCopyMemoryIndirectInfoKHR-copyAddressRange-12210", 0, 0, 0, 4080},
		"from":     {rule + "srcAddress-10958", 1, 0, 4, 0},
		"to":       {rule + "dstAddress-10959", 0, 2, 4, 0},
		"multiple": {rule + "size-10960", 0, 0, 3, 0},
	} {
		s := newScene(t, 1)
		s.dev.checking = All
		m, at := indirect(t, s.dev)
		for k, v := range [...]uint64{at + x.from, at + x.to, x.size} {
			binary.LittleEndian.PutUint64(m.Bytes()[8*k:], v)
		}
		if name == "target" {
			s.dev.checking = None
		}
		c := s.record(t, func(c *CommandBuffer) {
			c.CopyMemoryIndirect(CopyMemoryIndirectInfo{Count: 1, Range: AddressRange{at + x.array, 24, 24}})
		})
		t.Run(name, func(t *testing.T) { wantRule(t, s.submit(t, c), x.rule) })
	}
}

// TestCopyMemoryToImageIndirect copies regions of memory to the layers of an image and to the slices of a volume.
func TestCopyMemoryToImageIndirect(t *testing.T) {
	s := newScene(t, 1)
	m, at := indirect(t, s.dev)
	element := func(i int, from uint64, x [13]uint32) { // the words after the address
		binary.LittleEndian.PutUint64(m.Bytes()[64*i:], from)
		for k, v := range x[:12] {
			binary.LittleEndian.PutUint32(m.Bytes()[64*i+8+4*k:], v)
		}
	}
	for _, volume := range []bool{false, true} {
		info := ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{8, 8, 1}, Layers: 3, Usage: ImageTransferTarget | ImageTransferSource}
		if volume {
			info.Type, info.Extent, info.Layers = enum.ImageType3d, [3]int{8, 8, 3}, 1
		}
		image := s.image(t, info)
		// Rows of 5 texels, slices of 4 rows; 2×3 texels at (4, 1) of layers 1 and 2, although the memory has level 9. The
		// second copy is empty.
		element(0, at+1024, [13]uint32{5, 4, 1, 9, 0, 7, 4, 1, 0, 2, 3, 1})
		element(1, at+1<<50, [13]uint32{0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 3, 1})
		layers := []Layers{{Base: 1, Count: 2}, {}}
		c := s.record(t, func(c *CommandBuffer) {
			c.CopyMemoryToImageIndirect(CopyMemoryToImageIndirectInfo{Count: 2, Range: AddressRange{at, 128, 64}, Target: image, Subresources: layers})
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		for z := range 3 {
			copied := s.record(t, func(c *CommandBuffer) {
				r := BufferImageCopy{Image: Layers{Base: z}, Extent: [3]int{8, 8, 1}}
				if volume {
					r.Image.Base, r.Offset[2] = 0, z
				}
				c.CopyImageToBuffer(image, s.pixels, []BufferImageCopy{r})
			})
			if err := s.submit(t, copied); err != nil {
				t.Fatal(err)
			}
			for i := range 64 {
				x, y := i%8, i/8
				var want [4]byte
				if z > 0 && x >= 4 && x < 6 && y >= 1 && y < 4 {
					want = [4]byte(m.Bytes()[1024+4*(((z-1)*4+y-1)*5+x-4):])
				}
				if got := s.pixel(x, y); got != want {
					t.Fatalf("volume %v, texel %d, %d, %d: %v, want %v", volume, x, y, z, got, want)
				}
			}
		}
		const rule = "VUID-VkCopyMemoryToImageIndirectInfoKHR-"
		for code, x := range map[string]CopyMemoryToImageIndirectInfo{
			rule + "copyAddressRange-10952": {Range: AddressRange{at + 1, 64, 64}},
			rule + "copyAddressRange-10953": {Range: AddressRange{at, 64, 52}},
			rule + "copyCount-10951":        {Count: 2, Range: AddressRange{at, 64, 64}},
			rule + "dstImage-07664":         {Range: AddressRange{at, 64, 64}, Target: s.color},
		} {
			if x.Target == nil {
				x.Target = image
			}
			s.refuses(t, code, func(c *CommandBuffer) { c.CopyMemoryToImageIndirect(x) })
		}
		s.refuses(t, "", func(c *CommandBuffer) {
			c.CopyMemoryToImageIndirect(CopyMemoryToImageIndirectInfo{Count: 1, Range: AddressRange{at, 64, 64}, Target: image, Subresources: []Layers{{Level: 1}}})
		})
	}
	// A region outside of the image, and a source that ends before the region.
	for _, x := range [][13]uint32{{0, 0, 1, 0, 0, 1, 7, 0, 0, 2, 1, 1}, {1 << 20, 0, 1, 0, 0, 1, 0, 0, 0, 8, 8, 1}, {0, 0, 1, 0, 0, 1, 1 << 31, 0, 0, 1 << 31, 1, 1}} {
		s := newScene(t, 1)
		m, at = indirect(t, s.dev)
		element(0, at+1024, x)
		s.dev.checking = None
		c := s.record(t, func(c *CommandBuffer) {
			c.CopyMemoryToImageIndirect(CopyMemoryToImageIndirectInfo{Count: 1, Range: AddressRange{at, 64, 64}, Target: s.color, Subresources: []Layers{{}}})
		})
		wantRule(t, s.submit(t, c), "")
	}
}

// TestRotatedCommands copies and blits by a quarter turn.
func TestRotatedCommands(t *testing.T) {
	s := newScene(t, 1)
	m, to := must(s.dev.NewBuffer(BufferInfo{Size: 256, Usage: TransferSource}))(t), make([]*Image, 2)
	if err := m.Bind(s.memory, 3072); err != nil {
		t.Fatal(err)
	}
	for i := range 256 {
		s.memory.Bytes()[3072+i] = byte(i)
	}
	for i := range to {
		to[i], _ = s.target(t, 1, 1)
		to[i].info.Usage |= ImageTransferTarget
	}
	c := s.record(t, func(c *CommandBuffer) {
		c.CopyBufferToImage(m, to[0], []BufferImageCopy{{Offset: [3]int{8, 0}, Extent: [3]int{8, 8, 1}, Rotation: Rotate90}})
		all := [2][3]int{{}, {8, 8, 1}}
		c.BlitImage(to[0], to[1], []ImageBlit{{SourceBox: all, TargetBox: all, Rotation: Rotate90}}, enum.FilterNearest)
		s.copyOut(c, to[1])
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	// The copy moves texel (x, y) to (7−y, x), and the blit reads (y, 7−x) for (x, y): together they are a half turn.
	for i := range 64 {
		x, y := i%8, i/8
		want := [4]byte(s.memory.Bytes()[3072+4*((7-y)*8+7-x):])
		if got := s.pixel(x, y); got != want {
			t.Fatalf("pixel %d, %d: %v, want %v", x, y, got, want)
		}
	}
	s.refuses(t, "", func(c *CommandBuffer) {
		c.CopyBufferToImage(m, to[0], []BufferImageCopy{{Offset: [3]int{7, 0}, Extent: [3]int{8, 8, 1}, Rotation: Rotate90}})
	})
	s.refuses(t, "", func(c *CommandBuffer) {
		c.CopyBufferToImage(m, to[0], []BufferImageCopy{{Extent: [3]int{8, 8, 1}, Rotation: 9}})
	})
}
