package driver

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// leftover is an object that is alive when its device is destroyed.
type leftover struct {
	named
	word string // its kind
	drop func() // removes the handle
}

// owner finds the objects of a device in a table.
type owner func(d *device, add func(leftover))

// objectsWith returns the owner for a table, with a function that returns the object of package vk.
func objectsWith[T any](kind uint32, word string, t *table[T], object func(*T) vk.Object) owner {
	return func(d *device, add func(leftover)) {
		t.each(func(h uint64, x *T) {
			if name, ok := d.vk.Owns(object(x)); ok {
				add(leftover{named{kind, h, name}, word, func() { t.remove(h) }})
			}
		})
	}
}

// objectsOf returns the owner for a table of objects of package vk.
func objectsOf[T any, P interface {
	*T
	vk.Object
}](kind uint32, word string, t *table[T]) owner {
	return objectsWith(kind, word, t, func(x *T) vk.Object { return P(x) })
}

// owners find the objects that the application destroys. Descriptor sets and command buffers end with their pools.
var owners = []owner{
	objectsOf(abi.ObjectTypeFence, "fence", &fences),
	objectsOf(abi.ObjectTypeSemaphore, "semaphore", &semaphores),
	objectsOf(abi.ObjectTypeEvent, "event", &events),
	objectsOf(abi.ObjectTypeDeviceMemory, "memory", &memories),
	objectsOf(abi.ObjectTypeBuffer, "buffer", &buffers),
	objectsOf(abi.ObjectTypeBufferView, "buffer view", &bufferViews),
	objectsOf(abi.ObjectTypeImageView, "image view", &imageViews),
	objectsOf(abi.ObjectTypeImage, "image", &images),
	objectsOf(abi.ObjectTypeSampler, "sampler", &samplers),
	objectsOf(abi.ObjectTypeSamplerYcbcrConversion, "color conversion", &conversions),
	objectsOf(abi.ObjectTypeShaderModule, "shader module", &shaderModules),
	objectsWith(abi.ObjectTypeShaderEXT, "shader object", &shaders, func(s *shader) vk.Object { return s.vk }),
	objectsWith(abi.ObjectTypePipeline, "pipeline", &pipelines, func(p *pipeline) vk.Object { return p.vk() }),
	objectsOf(abi.ObjectTypePipelineBinaryKHR, "pipeline binary", &pipelineBinaries),
	objectsOf(abi.ObjectTypePipelineCache, "pipeline cache", &pipelineCaches),
	objectsOf(abi.ObjectTypeValidationCacheEXT, "validation cache", &validationCaches),
	objectsOf(abi.ObjectTypeIndirectExecutionSetEXT, "indirect execution set", &executionSets),
	objectsOf(abi.ObjectTypeIndirectCommandsLayoutEXT, "indirect commands layout", &indirectLayouts),
	objectsOf(abi.ObjectTypeShaderInstrumentationARM, "shader instrumentation", &instrumentations),
	objectsOf(abi.ObjectTypeCudaFunctionNV, "CUDA function", &cudaFunctions),
	objectsOf(abi.ObjectTypeCudaModuleNV, "CUDA module", &cudaModules),
	objectsOf(abi.ObjectTypePipelineLayout, "pipeline layout", &pipelineLayouts),
	objectsOf(abi.ObjectTypeDescriptorSetLayout, "descriptor set layout", &setLayouts),
	func(d *device, add func(leftover)) {
		descriptorPools.each(func(h uint64, p *descriptorPool) {
			if name, ok := d.vk.Owns(p.vk); ok {
				add(leftover{named{abi.ObjectTypeDescriptorPool, h, name}, "descriptor pool", func() { destroy(&descriptorPools, h) }})
			}
		})
	},
	objectsOf(abi.ObjectTypeQueryPool, "query pool", &queryPools),
	objectsOf(abi.ObjectTypeAccelerationStructureKHR, "acceleration structure", &structures),
	objectsOf(abi.ObjectTypeMicromapEXT, "micromap", &micromaps),
	objectsOf(abi.ObjectTypeRenderPass, "render pass", &renderPasses),
	objectsOf(abi.ObjectTypeFramebuffer, "framebuffer", &framebuffers),
	func(d *device, add func(leftover)) {
		commandPools.each(func(h uint64, p *commandPool) {
			if p.device == d {
				add(leftover{named{abi.ObjectTypeCommandPool, h, ""}, "command pool", func() { destroy(&commandPools, h) }})
			}
		})
	},
}

// maxLeftovers bounds the messages about objects that a device leaves.
const maxLeftovers = 100

// dropObjects removes the handles of the objects that are alive when the device is destroyed, each with a message. Swapchains
// end first: their images are no objects of the application.
func (d *device) dropObjects() {
	count := 0
	drop := func(x leftover) {
		x.drop()
		if count++; count <= maxLeftovers {
			d.leaves(fmt.Sprintf("the %s %#x is alive when its device is destroyed; must be destroyed before", x.word, x.handle), x.named)
		}
	}
	swapchains.each(func(h uint64, w *swapchain) {
		if w.device == d {
			drop(leftover{named{abi.ObjectTypeSwapchainKHR, h, ""}, "swapchain", func() { destroy(&swapchains, h) }})
		}
	})
	for _, o := range owners {
		o(d, drop)
	}
	if count > maxLeftovers {
		d.leaves(fmt.Sprintf("%d further objects are alive when their device is destroyed; must be destroyed before", count-maxLeftovers))
	}
}

// leaves sends a message about objects that are alive.
func (d *device) leaves(text string, objects ...named) {
	if len(objects) > 0 && objects[0].name != "" {
		text += " (" + objects[0].name + ")"
	}
	d.physical.instance.messengers.send(&message{severity: severeError, types: ofValidation, rule: "VUID-vkDestroyDevice-device-05137", text: text, objects: append(objects, d.named())})
}
