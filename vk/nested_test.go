package vk

import (
	"strings"
	"testing"
)

// TestNestingLevels executes secondary command buffers by secondary ones, up to the bound of their levels.
func TestNestingLevels(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	b := must(d.NewBuffer(BufferInfo{Size: 4, Usage: TransferTarget}))(t)
	m := must(d.Allocate(MemoryInfo{Size: 4}))(t)
	if err := b.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	nest := func(inner *CommandBuffer) (*CommandBuffer, error) {
		c := must(d.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		if inner == nil {
			c.FillBuffer(b, 0, 4, 7)
		} else {
			c.Execute(inner)
		}
		return c, c.End()
	}
	c, err := nest(nil)
	for range MaxNesting {
		if err != nil {
			t.Fatal(err)
		}
		c, err = nest(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	primary := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
	primary.Begin(BeginInfo{})
	primary.Execute(c)
	if err := primary.End(); err != nil {
		t.Fatal(err)
	}
	if err := d.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{primary}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Queue().WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := m.bytes[0]; got != 7 {
		t.Errorf("the innermost command buffer wrote %d; must write 7", got)
	}
	if _, err := nest(c); err == nil || !strings.Contains(err.Error(), "nestedCommandBuffer-09376") {
		t.Errorf("%d levels: %v; must be an error", MaxNesting+1, err)
	}
}
