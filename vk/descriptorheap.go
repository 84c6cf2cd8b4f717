package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// MaxHeapBytes bounds a descriptor heap, in bytes (maxResourceHeapSize, maxSamplerHeapSize). MaxPushBanks is the number of
// banks of push data.
const (
	MaxHeapBytes = compute.MaxHeapBytes
	MaxPushBanks = 16
)

// HeapRange is the memory of a descriptor heap (VkBindHeapInfoEXT). Chiaro reserves none of it.
type HeapRange struct {
	Address, Size uint64 // bytes
}

// bindHeap and pushData are recorded commands.
type (
	bindHeap struct {
		samplers bool
		HeapRange
	}
	pushData struct {
		bank   uint32
		offset int
		data   []byte
	}
)

// BindResourceHeap binds the heap of the descriptors of buffers and images.
func (c *CommandBuffer) BindResourceHeap(r HeapRange) { c.bindHeap(false, r) }

// BindSamplerHeap binds the heap of the descriptors of samplers.
func (c *CommandBuffer) BindSamplerHeap(r HeapRange) { c.bindHeap(true, r) }

func (c *CommandBuffer) bindHeap(samplers bool, r HeapRange) {
	if !c.begin() {
		return
	}
	size, alignment, inherited := "VUID-vkCmdBindResourceHeapEXT-pBindInfo-11234", "VUID-vkCmdBindResourceHeapEXT-pBindInfo-11235", "VUID-vkCmdBindResourceHeapEXT-commandBuffer-11238"
	has := orZero(c.inherited).Heaps.Resources
	if samplers {
		size, alignment, inherited = "VUID-vkCmdBindSamplerHeapEXT-pBindInfo-11226", "VUID-vkCmdBindSamplerHeapEXT-pBindInfo-11227", "VUID-vkCmdBindSamplerHeapEXT-commandBuffer-11231"
		has = orZero(c.inherited).Heaps.Samplers
	}
	if has != nil {
		c.fail(usage(inherited, "%v inherits the heap, and the command binds one; must not inherit it", &c.object))
		return
	}
	if err := r.check(size, alignment); err != nil {
		c.fail(err)
		return
	}
	w := take[bindHeap](c)
	*w = bindHeap{samplers, r}
	c.deferred("bind descriptor heap", w)
}

// check returns an error, with one of two rules, unless the range may be a heap.
func (r HeapRange) check(size, alignment string) error {
	switch {
	case r.Address%DescriptorAlignment != 0:
		return usage(alignment, "the address of a descriptor heap is %#x; must be a multiple of %d", r.Address, DescriptorAlignment)
	case r.Size > MaxHeapBytes:
		return usage(size, "a descriptor heap has %d bytes; must have at most %d", r.Size, MaxHeapBytes)
	}
	return nil
}

func (b *bindHeap) run(x *executor) error {
	heaps := x.heaps
	heaps[flag(b.samplers)] = b.HeapRange
	x.setHeaps(heaps)
	return nil
}

// setHeaps replaces the bound heaps.
func (x *executor) setHeaps(heaps [2]HeapRange) {
	if x.heaps != heaps {
		x.heaps, x.memory.lists = heaps, nil
	}
}

// InheritedHeaps are the descriptor heaps that a secondary command buffer inherits
// (VkCommandBufferInheritanceDescriptorHeapInfoEXT); nil if it inherits none.
type InheritedHeaps struct {
	Resources, Samplers *HeapRange
}

// own copies the ranges and checks them.
func (h *InheritedHeaps) own() error {
	for _, p := range [...]**HeapRange{&h.Resources, &h.Samplers} {
		if *p == nil {
			continue
		}
		r := **p
		if err := r.check("", ""); err != nil {
			return err
		}
		*p = &r
	}
	return nil
}

// ranges returns the ranges of executor.heaps; they are empty without inheritance.
func (h InheritedHeaps) ranges() [2]HeapRange {
	return [2]HeapRange{orZero(h.Resources), orZero(h.Samplers)}
}

// checkBound returns an error if the heaps are not the ones that are bound when a command buffer that inherits them is executed.
func (h InheritedHeaps) checkBound(bound [2]HeapRange, s *CommandBuffer) error {
	for i, x := range [...]struct {
		inherited     *HeapRange
		name          string
		other, absent string // rules
	}{
		{h.Resources, "resources", "VUID-vkCmdExecuteCommands-commandBuffer-11352", "VUID-vkCmdExecuteCommands-commandBuffer-11474"},
		{h.Samplers, "samplers", "VUID-vkCmdExecuteCommands-commandBuffer-11351", "VUID-vkCmdExecuteCommands-commandBuffer-11473"},
	} {
		switch {
		case x.inherited == nil:
		case bound[i].Size == 0:
			return usage(x.absent, "%v inherits the heap of %s, and none is bound; must be bound", &s.object, x.name)
		case *x.inherited != bound[i]:
			return usage(x.other, "%v inherits another heap of %s than the bound one; must inherit the bound one, or none", &s.object, x.name)
		}
	}
	return nil
}

// mayEndHeaps reports whether the command buffer inherits no descriptor heaps, as it must for a command that ends their use. The
// rules are on the heaps of samplers and of resources.
func (c *CommandBuffer) mayEndHeaps(samplers, resources string) bool {
	if c.inherited == nil {
		return true
	}
	switch h := &c.inherited.Heaps; {
	case h.Samplers != nil:
		c.fail(usage(samplers, "%v inherits the heap of samplers, and the command ends its use; must not inherit it", &c.object))
	case h.Resources != nil:
		c.fail(usage(resources, "%v inherits the heap of resources, and the command ends its use; must not inherit it", &c.object))
	default:
		return true
	}
	return false
}

// PushData sets bytes of the push constants of shaders for descriptor heaps (vkCmdPushDataEXT).
func (c *CommandBuffer) PushData(offset int, data []byte) { c.PushDataBank(0, offset, data) }

// PushDataBank is PushData for a bank (VkPushConstantBankInfoNV).
func (c *CommandBuffer) PushDataBank(bank uint32, offset int, data []byte) {
	if !c.starts("vkCmdPushDataEXT") {
		return
	}
	switch {
	case bank >= MaxPushBanks:
		c.fail(usage("VUID-VkPushConstantBankInfoNV-bank-12343", "the bank is %d; must be less than %d", bank, MaxPushBanks))
	case offset < 0 || offset%4 != 0:
		c.fail(usage("VUID-VkPushDataInfoEXT-offset-11418", "the offset is %d; must be a multiple of 4", offset))
	case len(data)%4 != 0:
		c.fail(usage("VUID-VkPushDataInfoEXT-data-11419", "%d bytes are set; must be a multiple of 4", len(data)))
	case offset > MaxPushBytes || len(data) > MaxPushBytes-offset:
		c.fail(usage("VUID-VkPushDataInfoEXT-offset-11243", "%d bytes from offset %d on are set; must end at %d", len(data), offset, MaxPushBytes))
	default:
		w := take[pushData](c)
		w.bank, w.offset, w.data = bank, offset, append(w.data, data...)
		c.deferred("push data", w)
	}
}

func (p *pushData) forget() { p.data = p.data[:0] }

func (p *pushData) run(x *executor) error {
	if p.bank == 0 {
		copy(x.push[p.offset:], p.data)
		return nil
	}
	// Draws that are recorded have the bank from before: a bank does not change.
	bank := make([]byte, MaxPushBytes)
	copy(bank, x.banks[p.bank])
	copy(bank[p.offset:], p.data)
	banks := map[uint32][]byte{}
	for n, b := range x.banks {
		banks[n] = b
	}
	banks[p.bank] = bank
	x.banks = banks
	return nil
}

// held returns the allocations with device addresses, which the submission holds from then on: what descriptors in memory
// name is used until its end.
func (x *executor) held() []exec.Region {
	m := &x.memory
	if m.regions == nil {
		r := x.dev.heap.regions()
		m.regions, m.uses = r.all(), append(m.uses, r)
	}
	return m.regions
}

// bindHeaps adds the bound heaps to arguments, and the banks of push data.
func (x *executor) bindHeaps(a *compute.Args) {
	a.Banks = x.banks
	if x.heaps == [2]HeapRange{} {
		return
	}
	a.Regions = x.held()
	list := [2][]byte{}
	for i, h := range x.heaps {
		all := x.bytesAt(h.Address)
		list[i] = all[:min(h.Size, uint64(len(all)))]
	}
	if x.memory.lists == nil {
		x.memory.lists = compute.NewHeapLists()
	}
	a.Heap, a.SamplerHeap, a.HeapLists = list[0], list[1], x.memory.lists
	a.HeapView, a.HeapSampler = x.readView, x.readSampler
}
