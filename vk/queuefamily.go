package vk

import "github.com/chiaro-gpu/chiaro/vuid"

// QueueFlags are the kinds of commands that the queues of a family run (VkQueueFlagBits).
type QueueFlags uint32

// The kinds.
const (
	QueueGraphics QueueFlags = 1
	QueueCompute  QueueFlags = 2
	QueueTransfer QueueFlags = 4
	QueueSparse   QueueFlags = 8 // BindSparse
)

// QueueFamily describes queues that run the same kinds of commands (VkQueueFamilyProperties).
type QueueFamily struct {
	Flags         QueueFlags
	Count         int // the most queues of a device
	TimestampBits int
}

// queueFamilies are the families of all devices. Some programs require a family that only computes or copies.
var queueFamilies = [...]QueueFamily{
	{QueueGraphics | QueueCompute | QueueTransfer | QueueSparse, 1, 64},
	{QueueCompute | QueueTransfer, 4, 64},
	{QueueTransfer, 2, 64},
}

// QueueFamilies returns the families of queues. The first one runs all commands.
func (p *PhysicalDevice) QueueFamilies() []QueueFamily {
	return append([]QueueFamily(nil), queueFamilies[:]...)
}

// QueueInfo asks for queues of a family, by its index in QueueFamilies.
type QueueInfo struct {
	Family, Count int
}

// makeQueues makes the queues of a device; none given is one queue of the first family.
func (d *Device) makeQueues(list []QueueInfo) error {
	if len(list) == 0 {
		list = []QueueInfo{{0, 1}}
	}
	for i, q := range list {
		if q.Family < 0 || q.Family >= len(queueFamilies) {
			return usage("VUID-VkDeviceQueueCreateInfo-queueFamilyIndex-00381", "queues of family %d; must be less than %d", q.Family, len(queueFamilies))
		}
		if most := queueFamilies[q.Family].Count; q.Count < 1 || q.Count > most {
			return usage("VUID-VkDeviceQueueCreateInfo-queueCount-00382", "%d queues of family %d; must be 1 to %d", q.Count, q.Family, most)
		}
		for _, other := range list[:i] {
			if other.Family == q.Family {
				return usage("VUID-VkDeviceCreateInfo-queueFamilyIndex-02802", "family %d is in the list twice; must be once", q.Family)
			}
		}
	}
	for _, q := range list {
		for i := range q.Count {
			d.queues = append(d.queues, newQueue(d, q.Family, i))
		}
	}
	return nil
}

// Queue returns the first queue of the device; nil if the device is nil.
func (d *Device) Queue() *Queue {
	if d == nil || len(d.queues) == 0 {
		return nil
	}
	return d.queues[0]
}

// FamilyQueue returns a queue of a family (vkGetDeviceQueue); nil if the device was made without it.
func (d *Device) FamilyQueue(family, index int) *Queue {
	if d == nil {
		return nil
	}
	for _, q := range d.queues {
		if q.family == family && q.index == index {
			return q
		}
	}
	return nil
}

// Family returns the index of the family of the queue.
func (q *Queue) Family() int {
	if q == nil {
		return 0
	}
	return q.family
}

// commandFlags are the families that run commands: one of the flags must be in the family. All other commands are of
// QueueGraphics.
var commandFlags = [...]QueueFlags{
	copyBuffer: anyQueue, updateBuffer: anyQueue, fillBuffer: anyQueue, copyBufferToImage: anyQueue, copyImageToBuffer: anyQueue,
	copyImage: anyQueue, writeTimestamp: anyQueue, executeCommands: anyQueue, barrier: anyQueue,

	bindPipeline: QueueCompute, dispatch: QueueCompute, dispatchIndirect: QueueCompute,

	bindSets: shaderQueue, pushConstants: shaderQueue, bindShader: shaderQueue, setEvent: shaderQueue, resetEvent: shaderQueue,
	waitEvents: shaderQueue, resetQueries: shaderQueue, copyQueries: shaderQueue, beginQuery: shaderQueue, endQuery: shaderQueue,
	clearImage: shaderQueue,

	runWork: 0,
}

const (
	anyQueue    = QueueGraphics | QueueCompute | QueueTransfer
	shaderQueue = QueueGraphics | QueueCompute
)

// flags returns the kinds of queues that run a command.
func (k *command) flags() QueueFlags {
	if w, ok := k.a.(interface{ flags() QueueFlags }); ok {
		return w.flags()
	}
	if f := commandFlags[k.kind]; f != 0 {
		return f
	}
	return QueueGraphics
}

func (beginCondition) flags() QueueFlags { return shaderQueue }
func (endCondition) flags() QueueFlags   { return shaderQueue }
func (*matrixWork) flags() QueueFlags    { return shaderQueue }

func (*bindDescriptorBuffers) flags() QueueFlags { return shaderQueue }
func (*bindHeap) flags() QueueFlags              { return shaderQueue }
func (*pushData) flags() QueueFlags              { return shaderQueue }
func (*countedAction) flags() QueueFlags         { return shaderQueue }
func (*setDescriptorOffsets) flags() QueueFlags  { return shaderQueue }

// checkFamily returns an error if the queues of the command buffer do not run one of its commands.
func (c *CommandBuffer) checkFamily() error {
	if c.family == 0 {
		return nil
	}
	has := queueFamilies[c.family].Flags
	for i := range c.commands {
		k := &c.commands[i]
		if k.kind == bindShader {
			switch stage := ShaderStage(k.x[0]); {
			case stage == StageCompute && has&QueueCompute == 0:
				return usage(vuid.VkCmdBindShadersEXT_pShaders_08476, "%v of queue family %d binds the stage %v; must be of a family that computes", &c.object, c.family, stage)
			case (stage == StageTask || stage == StageMesh) && has&shaderQueue == QueueCompute:
				return usage(vuid.VkCmdBindShadersEXT_pShaders_08478, "%v of queue family %d binds the stage %v; must be of a family that draws", &c.object, c.family, stage)
			case stage != StageCompute && has&shaderQueue == QueueCompute:
				return usage(vuid.VkCmdBindShadersEXT_pShaders_08477, "%v of queue family %d binds the stage %v; must be of a family that draws", &c.object, c.family, stage)
			}
		}
		if k.flags()&has == 0 {
			rule := ""
			if name := k.api(); name != "" {
				rule = "VUID-" + name + "-commandBuffer-cmdpool"
			}
			return usage(rule, "%v of queue family %d has the command %q; must be of a family that runs it", &c.object, c.family, k.name())
		}
		if k.kind == executeCommands && k.a.(*CommandBuffer).family != c.family {
			return usage("VUID-vkCmdExecuteCommands-pCommandBuffers-00094", "%v of queue family %d executes a buffer of another; must be of the same", &c.object, c.family)
		}
	}
	return nil
}
