package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

var (
	debugMessengers table[messenger]
	debugReporters  table[messenger]
)

var debugCalls = map[int]call{
	abi.CmdCreateDebugUtilsMessengerEXT:  on(createMessenger),
	abi.CmdDestroyDebugUtilsMessengerEXT: run(func(a *abi.DestroyDebugUtilsMessengerEXTArgs) { destroy(&debugMessengers, uint64(a.Messenger)) }),
	abi.CmdSubmitDebugUtilsMessageEXT:    run(submitMessage),
	abi.CmdCreateDebugReportCallbackEXT:  on(createReporter),
	abi.CmdDestroyDebugReportCallbackEXT: run(func(a *abi.DestroyDebugReportCallbackEXTArgs) { destroy(&debugReporters, uint64(a.Callback)) }),
	abi.CmdDebugReportMessageEXT:         run(submitReport),
	abi.CmdSetDebugUtilsObjectNameEXT:    on(setName),
	abi.CmdSetDebugUtilsObjectTagEXT: on(func(*abi.SetDebugUtilsObjectTagEXTArgs) abi.Result {
		return abi.Success // tags are for layers
	}),
	abi.CmdQueueBeginDebugUtilsLabelEXT: run(func(a *abi.QueueBeginDebugUtilsLabelEXTArgs) {
		if q := queueOf(a.Queue); q != nil {
			q.vk.BeginLabel(labelName(a.PLabelInfo))
		}
	}),
	abi.CmdQueueEndDebugUtilsLabelEXT: run(func(a *abi.QueueEndDebugUtilsLabelEXTArgs) {
		if q := queueOf(a.Queue); q != nil {
			q.vk.EndLabel()
		}
	}),
	abi.CmdQueueInsertDebugUtilsLabelEXT: run(func(a *abi.QueueInsertDebugUtilsLabelEXTArgs) {
		if q := queueOf(a.Queue); q != nil {
			q.vk.InsertLabel(labelName(a.PLabelInfo))
		}
	}),
}

var labelCommands = map[int]recorder{
	abi.CmdCmdBeginDebugUtilsLabelEXT: rec(func(c *commandBuffer, a *abi.CmdBeginDebugUtilsLabelEXTArgs) {
		c.vk.BeginLabel(labelName(a.PLabelInfo))
	}),
	abi.CmdCmdEndDebugUtilsLabelEXT: rec(func(c *commandBuffer, _ *abi.CmdEndDebugUtilsLabelEXTArgs) { c.vk.EndLabel() }),
	abi.CmdCmdInsertDebugUtilsLabelEXT: rec(func(c *commandBuffer, a *abi.CmdInsertDebugUtilsLabelEXTArgs) {
		c.vk.InsertLabel(labelName(a.PLabelInfo))
	}),
}

func labelName(l *abi.DebugUtilsLabelEXT) string {
	if l == nil {
		return ""
	}
	return abi.String(unsafe.Pointer(l.PLabelName))
}

func createMessenger(a *abi.CreateDebugUtilsMessengerEXTArgs) abi.Result {
	x := instanceOf(a.Instance)
	if x == nil {
		return abi.ErrorInitializationFailed
	}
	m := newMessenger(&x.messengers, a.PCreateInfo)
	r := created(nil, &debugMessengers, m, nil, unsafe.Pointer(a.PMessenger))
	if r == abi.Success {
		x.messengers.add(m)
	}
	return r
}

func createReporter(a *abi.CreateDebugReportCallbackEXTArgs) abi.Result {
	x := instanceOf(a.Instance)
	if x == nil {
		return abi.ErrorInitializationFailed
	}
	m := newReporter(&x.messengers, a.PCreateInfo)
	r := created(nil, &debugReporters, m, nil, unsafe.Pointer(a.PCallback))
	if r == abi.Success {
		x.messengers.add(m)
	}
	return r
}

// submitMessage passes a message of the application to its messengers. A loader does so itself, after it has called the drivers.
func submitMessage(a *abi.SubmitDebugUtilsMessageEXTArgs) {
	x := instanceOf(a.Instance)
	if x == nil || host.Interface() != 0 || host.Message == nil {
		return
	}
	x.messengers.each(func(y *messenger) bool { return y.severity&a.MessageSeverity != 0 && y.types&a.MessageTypes != 0 }, func(y *messenger) {
		host.Message(y.call, a.MessageSeverity, a.MessageTypes, a.PCallbackData, y.user)
	})
}

// submitReport is submitMessage of VK_EXT_debug_report.
func submitReport(a *abi.DebugReportMessageEXTArgs) {
	x := instanceOf(a.Instance)
	if x == nil || host.Interface() != 0 || host.Report == nil {
		return
	}
	x.messengers.report(&Report{Flags: a.Flags, Kind: a.ObjectType, Object: a.Object, Location: a.Location, Code: a.MessageCode, Prefix: a.PLayerPrefix, Message: a.PMessage})
}

// nameable is an object of package vk with a name for its messages.
type nameable[T any] interface {
	*T
	SetName(string)
}

// setter returns the function that names the objects of a table.
func setter[T any, P nameable[T]](t *table[T]) func(h uint64, name string) {
	return func(h uint64, name string) {
		if x := P(t.get(h)); x != nil {
			x.SetName(name)
		}
	}
}

// setters name the objects of package vk, by type.
var setters = map[uint32]func(h uint64, name string){
	abi.ObjectTypeFence:                     setter(&fences),
	abi.ObjectTypeSemaphore:                 setter(&semaphores),
	abi.ObjectTypeEvent:                     setter(&events),
	abi.ObjectTypeDeviceMemory:              setter(&memories),
	abi.ObjectTypeBuffer:                    setter(&buffers),
	abi.ObjectTypeBufferView:                setter(&bufferViews),
	abi.ObjectTypeImage:                     setter(&images),
	abi.ObjectTypeImageView:                 setter(&imageViews),
	abi.ObjectTypeSampler:                   setter(&samplers),
	abi.ObjectTypeSamplerYcbcrConversion:    setter(&conversions),
	abi.ObjectTypeShaderModule:              setter(&shaderModules),
	abi.ObjectTypePipelineLayout:            setter(&pipelineLayouts),
	abi.ObjectTypePipelineCache:             setter(&pipelineCaches),
	abi.ObjectTypeQueryPool:                 setter(&queryPools),
	abi.ObjectTypeAccelerationStructureKHR:  setter(&structures),
	abi.ObjectTypeMicromapEXT:               setter(&micromaps),
	abi.ObjectTypeRenderPass:                setter(&renderPasses),
	abi.ObjectTypeFramebuffer:               setter(&framebuffers),
	abi.ObjectTypeDescriptorSetLayout:       setter(&setLayouts),
	abi.ObjectTypeDescriptorSet:             setter(&descriptorSets),
	abi.ObjectTypeDescriptorPool:            setter(&descriptorPools),
	abi.ObjectTypePipeline:                  setter(&pipelines),
	abi.ObjectTypeShaderEXT:                 setter(&shaders),
	abi.ObjectTypeIndirectExecutionSetEXT:   setter(&executionSets),
	abi.ObjectTypeIndirectCommandsLayoutEXT: setter(&indirectLayouts),
	abi.ObjectTypePipelineBinaryKHR:         setter(&pipelineBinaries),
	abi.ObjectTypeValidationCacheEXT:        setter(&validationCaches),
}

// SetName names the pool.
func (p *descriptorPool) SetName(name string) { p.vk.SetName(name) }

// SetName names the pipeline.
func (p *pipeline) SetName(name string) { p.vk().SetName(name) }

// setName names an object. Names of objects that have no messages are without effect.
func setName(a *abi.SetDebugUtilsObjectNameEXTArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PNameInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	name := abi.String(unsafe.Pointer(i.PObjectName))
	if set := setters[i.ObjectType]; set != nil {
		set(i.ObjectHandle, name)
		return abi.Success
	}
	switch i.ObjectType {
	case abi.ObjectTypeDevice:
		d.name.Store(&name)
	case abi.ObjectTypeQueue:
		for _, q := range d.queues {
			if handleNumber(q.handle) == i.ObjectHandle {
				q.name.Store(&name)
			}
		}
	case abi.ObjectTypeCommandBuffer:
		if c := commandBufferOf(*(**abi.Dispatch)(unsafe.Pointer(&i.ObjectHandle))); c != nil {
			c.name.Store(&name)
			c.vk.SetName(name)
		}
	}
	return abi.Success
}
