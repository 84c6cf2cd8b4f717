package vk

import (
	"errors"
	"os"
	"testing"
)

// TestExportedMemory exports memory of one device to another: a copy by one is visible to the other, which keeps the memory.
func TestExportedMemory(t *testing.T) {
	first, second := newRig(t, DeviceInfo{}, storage), newRig(t, DeviceInfo{}, storage)
	for _, class := range []MemoryType{PlainMemory, SparseMemory} {
		m, err := first.dev.Allocate(MemoryInfo{Size: 5000, Type: class, Export: true})
		if unsupported := (*UnsupportedError)(nil); errors.As(err, &unsupported) {
			t.Skip("the system has no files of memory: ", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		f := must(m.File())(t)
		o := must(second.dev.Allocate(MemoryInfo{Size: 5000, Type: class, File: f}))(t)
		again := must(o.File())(t)
		b := must(first.dev.NewBuffer(BufferInfo{Size: 64, Usage: TransferTarget}))(t)
		if err := b.Bind(m, 4096); err != nil {
			t.Fatal(err)
		}
		if err := first.submit(t, first.record(t, func(c *CommandBuffer) { c.UpdateBuffer(b, 0, []byte{1, 2, 3, 4}) })); err != nil {
			t.Fatal(err)
		}
		used, _ := first.dev.Used()
		if err := errors.Join(b.Close(), m.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		if left, _ := first.dev.Used(); used-left != 5000 {
			t.Errorf("the heap has %d bytes less, want 5000", used-left)
		}
		to := must(second.dev.NewBuffer(BufferInfo{Size: 64, Usage: TransferSource}))(t)
		if err := to.Bind(o, 4096); err != nil {
			t.Fatal(err)
		}
		if err := second.submit(t, second.record(t, func(c *CommandBuffer) { c.CopyBuffer(to, second.y, []BufferCopy{{Size: 4}}) })); err != nil {
			t.Fatal(err)
		}
		if got := [4]byte(second.memory.Bytes()[64:]); got != [4]byte{1, 2, 3, 4} {
			t.Errorf("type %d: the other device reads %v", class, got)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, info := range []MemoryInfo{{Size: 64, File: null}, {Size: 64, File: &os.File{}}} {
		if _, err := first.dev.Allocate(info); !errors.Is(err, ErrExternalHandle) {
			t.Errorf("the error is %v, want ErrExternalHandle", err)
		}
	}
	_, err = first.memory.File()
	wantRule(t, err, "VUID-VkMemoryGetFdInfoKHR-handleType-00671")
	host := make([]byte, 2*HostAlignment)
	host = host[HostAlignment-address(host)%HostAlignment:][:HostAlignment]
	_, err = must(first.dev.Allocate(MemoryInfo{Host: host}))(t).File()
	wantRule(t, err, "VUID-VkMemoryGetFdInfoKHR-handleType-00671")
	_, err = first.dev.Allocate(MemoryInfo{Host: host, Export: true})
	wantRule(t, err, "")
}
