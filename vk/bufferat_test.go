package vk

import (
	"bytes"
	"slices"
	"testing"
)

// TestBufferAt checks the buffers at device addresses: their ranges and offsets, and the errors for ranges that are not in memory.
func TestBufferAt(t *testing.T) {
	const rule = "VUID-VkDeviceAddressRangeKHR-"
	r := newRays(t, DeviceInfo{})
	base := r.buffer.Address()
	for _, x := range []struct{ offset, size uint64 }{{0, 16}, {4, 4}, {300, 100}, {1<<20 - 8, 8}} {
		b, at, err := r.dev.BufferAt(base+x.offset, x.size)
		if err != nil || at != (base+x.offset)%addressAlignment || b.Size() != at+x.size || b.Address()+at != base+x.offset {
			t.Errorf("%+v: a buffer of %d bytes with the offset %d at %#x, %v", x, b.Size(), at, b.Address(), err)
		}
	}
	if b, at, err := r.dev.BufferAt(0, 0); b != nil || at != 0 || err != nil {
		t.Errorf("no range: %v, %d, %v; must be no buffer", b, at, err)
	}
	for _, x := range []struct {
		address, size uint64
		rule          string
	}{{0, 4, rule + "size-11411"}, {base + 1<<20 - 8, 12, rule + "address-11365"}, {base, ^uint64(0), rule + "address-11365"}, {8, 4, rule + "address-11365"}, {^uint64(0), 4, rule + "address-11365"}} {
		_, _, err := r.dev.BufferAt(x.address, x.size)
		wantRule(t, err, x.rule)
	}
	r.refused(t, rule+"address-11365", func(c *CommandBuffer) {
		b, at := c.BufferAt(8, 4)
		c.FillBuffer(b, at, 4, 0)
	})
	r.submitted(t, func(c *CommandBuffer) {
		b, at := c.BufferAt(base+rayOutput+4, 4)
		c.FillBuffer(b, at, 4, 9)
	})
	if got := r.memory.Bytes()[rayOutput:][:9]; got[3] != 0 || got[4] != 9 || got[8] != 0 {
		t.Errorf("the memory is %v; must have 9 in bytes 4 to 7", got)
	}
	before := r.dev.objects.Load()
	if b, _, err := r.dev.BufferAt(base, 4); err != nil || b.Close() != nil || r.dev.objects.Load() != before {
		t.Errorf("a buffer at an address was closed: the device has %d objects and had %d, %v", r.dev.objects.Load(), before, err)
	}
	m := must(r.dev.Allocate(MemoryInfo{Size: 256, DeviceAddress: true}))(t)
	held := must(r.dev.NewBuffer(BufferInfo{Size: 256, Usage: DeviceAddress}))(t)
	if err := held.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	address := held.Address()
	held.Close()
	m.Close()
	_, _, err := r.dev.BufferAt(address, 4)
	wantRule(t, err, rule+"address-11365")
}

// TestTolerantBufferAt records commands with ranges of addresses that are not in memory, or partly: a tolerant device leaves the first out,
// and runs the others on the part in memory. Each has a message (VUID-VkDeviceAddressRangeKHR-address-11365).
func TestTolerantBufferAt(t *testing.T) {
	var list []string
	r := newRays(t, DeviceInfo{Tolerant: true, Messages: func(m Message) { list = append(list, m.Finding.Rule) }})
	end := r.buffer.Address() + 1<<20
	r.submitted(t, func(c *CommandBuffer) {
		b, at := c.BufferAt(end-8, 8)
		none, from := c.BufferAt(8, 4)
		c.CopyBuffer(none, b, []BufferCopy{{Source: from, Target: at, Size: 4}})
		c.FillBuffer(b, at, 4, 3)
		b, at = c.BufferAt(end-4, 64)
		c.FillBuffer(b, at, 4, 5)
		if n := c.Count(); n != 2 {
			t.Errorf("%d commands; must be the two that can run", n)
		}
	})
	last := r.memory.Bytes()[1<<20-8:]
	if want := []byte{3, 0, 0, 0, 5, 0, 0, 0}; !bytes.Equal(last, want) {
		t.Errorf("the last bytes of the memory are %v; must be %v", last, want)
	}
	if rule := "VUID-VkDeviceAddressRangeKHR-address-11365"; !slices.Equal(list, []string{rule, rule}) {
		t.Errorf("messages of %q; must be two of %s", list, rule)
	}
}
