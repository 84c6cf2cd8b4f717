package driver

import (
	"sync"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// privateSlot is a VkPrivateDataSlot: numbers of the application by object.
type privateSlot struct {
	mu     sync.Mutex
	values map[privateKey]uint64
}

// privateKey is an object: its type and its handle, of a dispatchable handle the number of the object. Numbers are not used
// again, so that a new object has no value.
type privateKey struct {
	kind   uint32
	handle uint64
}

// Close does nothing: a slot has no object of package vk.
func (*privateSlot) Close() error { return nil }

var privateSlots table[privateSlot]

var privateDataCalls = map[int]call{
	abi.CmdCreatePrivateDataSlot: on(func(a *abi.CreatePrivateDataSlotArgs) abi.Result {
		return created(deviceOf(a.Device), &privateSlots, &privateSlot{values: map[privateKey]uint64{}}, nil, unsafe.Pointer(a.PPrivateDataSlot))
	}),
	abi.CmdDestroyPrivateDataSlot: run(func(a *abi.DestroyPrivateDataSlotArgs) { destroy(&privateSlots, uint64(a.PrivateDataSlot)) }),
	abi.CmdSetPrivateData: on(func(a *abi.SetPrivateDataArgs) abi.Result {
		s := privateSlots.get(uint64(a.PrivateDataSlot))
		if s == nil {
			return abi.ErrorDeviceLost
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.values[keyOf(a.ObjectType, a.ObjectHandle)] = a.Data
		return abi.Success
	}),
	abi.CmdGetPrivateData: run(func(a *abi.GetPrivateDataArgs) {
		if *a.PData = 0; privateSlots.get(uint64(a.PrivateDataSlot)) == nil {
			return
		}
		s := privateSlots.get(uint64(a.PrivateDataSlot))
		s.mu.Lock()
		defer s.mu.Unlock()
		*a.PData = s.values[keyOf(a.ObjectType, a.ObjectHandle)]
	}),
}

// keyOf returns the key of an object.
func keyOf(kind uint32, handle uint64) privateKey {
	switch kind {
	case abi.ObjectTypeInstance, abi.ObjectTypePhysicalDevice, abi.ObjectTypeDevice, abi.ObjectTypeQueue, abi.ObjectTypeCommandBuffer:
		if handle != 0 {
			handle = (*(**abi.Dispatch)(unsafe.Pointer(&handle))).ID
		}
	}
	return privateKey{kind, handle}
}
