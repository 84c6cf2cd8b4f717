package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// The objects of package vk by handle.
var (
	fences          table[vk.Fence]
	semaphores      table[vk.Semaphore]
	events          table[vk.Event]
	bufferViews     table[vk.BufferView]
	imageViews      table[vk.ImageView]
	samplers        table[vk.Sampler]
	conversions     table[vk.YcbcrConversion]
	shaderModules   table[vk.ShaderModule]
	pipelineLayouts table[vk.PipelineLayout]
	pipelineCaches  table[vk.PipelineCache]
	queryPools      table[vk.QueryPool]
	renderPasses    table[vk.RenderPass]
	framebuffers    table[vk.Framebuffer]
)

// closer is a pointer to an object that can be closed.
type closer[T any] interface {
	*T
	Close() error
}

// created writes the handle of a new object of a device, or of none, and returns the result of its creation.
func created[T any, P closer[T]](d *device, t *table[T], x P, err error, handle unsafe.Pointer) abi.Result {
	*(*uint64)(handle) = 0
	if err != nil {
		return d.result(err)
	}
	h := t.add(x)
	if h == 0 {
		_ = x.Close()
		return outOfHost
	}
	t.find(h).device.Store(d)
	*(*uint64)(handle) = h
	return abi.Success
}

// destroy closes the object of a handle, if there is one. Objects in use are freed later: the device defers.
func destroy[T any, P closer[T]](t *table[T], h uint64) { discard(P(t.remove(h))) }

// discard closes an object, if there is one.
func discard[T any, P closer[T]](x P) {
	if x != nil {
		_ = x.Close()
	}
}
