package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var sparseCalls = map[int]call{abi.CmdQueueBindSparse: on(queueBindSparse)}

func queueBindSparse(a *abi.QueueBindSparseArgs) abi.Result {
	q := queueOf(a.Queue)
	if q == nil {
		return abi.ErrorDeviceLost
	}
	list, fence := array(a.PBindInfo, a.BindInfoCount), fences.get(uint64(a.Fence))
	for n := range list {
		info := bindSparse(&list[n])
		if n == len(list)-1 {
			info.Fence, fence = fence, nil
		}
		if err := q.vk.BindSparse(info); err != nil {
			return q.device.result(err, q)
		}
	}
	return q.submitFence(fence)
}

// bindSparse reads one batch of binds.
func bindSparse(i *abi.BindSparseInfo) vk.BindSparseInfo {
	var waits, signals []uint64
	if t := abi.Find[abi.TimelineSemaphoreSubmitInfo](i.PNext, abi.StructureTypeTimelineSemaphoreSubmitInfo); t != nil {
		waits, signals = array(t.PWaitSemaphoreValues, t.WaitSemaphoreValueCount), array(t.PSignalSemaphoreValues, t.SignalSemaphoreValueCount)
	}
	return vk.BindSparseInfo{
		Wait:   semaphoreValues(array(i.PWaitSemaphores, i.WaitSemaphoreCount), waits),
		Signal: semaphoreValues(array(i.PSignalSemaphores, i.SignalSemaphoreCount), signals),
		Buffers: each(array(i.PBufferBinds, i.BufferBindCount), func(b *abi.SparseBufferMemoryBindInfo) vk.SparseBufferBind {
			return vk.SparseBufferBind{Buffer: buffers.get(uint64(b.Buffer)), Binds: each(array(b.PBinds, b.BindCount), sparseBind)}
		}),
		Opaque: each(array(i.PImageOpaqueBinds, i.ImageOpaqueBindCount), func(b *abi.SparseImageOpaqueMemoryBindInfo) vk.SparseOpaqueBind {
			return vk.SparseOpaqueBind{Image: images.get(uint64(b.Image)), Binds: each(array(b.PBinds, b.BindCount), sparseBind)}
		}),
		Images: each(array(i.PImageBinds, i.ImageBindCount), func(b *abi.SparseImageMemoryBindInfo) vk.SparseImageBinds {
			return vk.SparseImageBinds{Image: images.get(uint64(b.Image)), Binds: each(array(b.PBinds, b.BindCount), func(x *abi.SparseImageMemoryBind) vk.SparseImageBind {
				return vk.SparseImageBind{
					Aspect: vk.Aspect(x.Subresource.AspectMask), Level: int(x.Subresource.MipLevel), Layer: int(x.Subresource.ArrayLayer),
					Offset: offset(x.Offset), Extent: extent(x.Extent), Memory: memories.get(uint64(x.Memory)), MemoryOffset: x.MemoryOffset,
				}
			})}
		}),
	}
}

func sparseBind(b *abi.SparseMemoryBind) vk.SparseBind {
	return vk.SparseBind{
		Offset: b.ResourceOffset, Size: b.Size, Memory: memories.get(uint64(b.Memory)), MemoryOffset: b.MemoryOffset,
		Metadata: b.Flags&abi.SparseMemoryBindMetadataBit != 0,
	}
}
