package driver

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/vk"
)

// device is a VkDevice.
type device struct {
	handle     *abi.Dispatch
	physical   *physicalDevice
	version    uint32 // that the application uses
	extensions map[string]bool
	vk         *vk.Device
	queues     []*queue
	presents   *vk.Queue // the driver's own: it signals that images are acquired

	heapSamplers     heapSamplers
	reports          vk.Reported    // of sanitizers
	replays          bool           // groups of ray tracing pipelines may have handles of an earlier run
	comparesCommands bool           // the sanitizer race reads the scopes of barriers
	allocations      *memoryReports // nil if there is no callback
	maps             *memoryMaps    // nil if memory is not mapped at addresses of the application

	name atomic.Pointer[string]
	lost atomic.Bool            // and the messengers have the cause
	told atomic.Pointer[string] // the last finding of full checking: the call that returns it as its error sends no second message
}

// queue is a VkQueue.
type queue struct {
	handle        *abi.Dispatch
	device        *device
	vk            *vk.Queue
	family, index uint32 // index among the queues of the family with the flags
	flags         uint32 // VkDeviceQueueCreateFlags
	name          atomic.Pointer[string]
}

var deviceCalls = map[int]call{
	abi.CmdCreateDevice:   on(createDevice),
	abi.CmdDestroyDevice:  run(destroyDevice),
	abi.CmdDeviceWaitIdle: on(deviceWaitIdle),
	abi.CmdGetDeviceQueue: run(func(a *abi.GetDeviceQueueArgs) {
		abi.PutAddress(unsafe.Pointer(a.PQueue), unsafe.Pointer(deviceOf(a.Device).queue(a.QueueFamilyIndex, a.QueueIndex, 0)))
	}),
	abi.CmdGetDeviceQueue2: run(getDeviceQueue2),
	abi.CmdGetDeviceGroupPeerMemoryFeatures: run(func(a *abi.GetDeviceGroupPeerMemoryFeaturesArgs) {
		*a.PPeerMemoryFeatures = abi.PeerMemoryFeatureCopySrcBit | abi.PeerMemoryFeatureCopyDstBit | abi.PeerMemoryFeatureGenericSrcBit | abi.PeerMemoryFeatureGenericDstBit
	}),
}

// checking is the level of checks that the variable CHIARO_CHECK selects: "none", "pipelines" or "all".
func checking() vk.Checking {
	switch os.Getenv("CHIARO_CHECK") {
	case "pipelines":
		return vk.Pipelines
	case "all":
		return vk.All
	}
	return vk.None
}

// sanitizers returns the value of CHIARO_SANITIZE: 1, for all faults, or a list. A name that does not exist is a message.
func sanitizers(i *instance) vk.Sanitizers {
	switch list := os.Getenv("CHIARO_SANITIZE"); list {
	case "", "0":
		return 0
	case "1":
		return vk.SanitizeFaults
	default:
		s, bad, ok := ir.ParseSanitizers(list)
		if !ok {
			i.lacks(fmt.Sprintf("CHIARO_SANITIZE has the sanitizer %q; want a list of %s, faults, all", bad, strings.Join(ir.SanitizerNames(), ", ")))
		}
		return s
	}
}

// level returns the value of CHIARO_LEVEL: the instruction set of machine code. A name of none, or one that the processor lacks, is a message.
func level(i *instance) target.Level {
	name := os.Getenv("CHIARO_LEVEL")
	if name == "" {
		return target.Best
	}
	l, ok := target.LevelOf(name)
	if !ok {
		i.lacks(fmt.Sprintf("CHIARO_LEVEL is %q; want one of %s", name, strings.Join(target.LevelNames(), ", ")))
		return target.Best
	}
	if _, err := jit.Choose(l); err != nil && l != target.Best {
		i.lacks(fmt.Sprintf("CHIARO_LEVEL is %s: %v; the shaders run with the interpreter", name, err))
	}
	return l
}

// defaultStall is the time after which a command without progress is a shader that does not end.
const defaultStall = 10 * time.Second

// stall returns the value of CHIARO_TIMEOUT: a time, or 0 for none. A value that is no time is a message.
func stall(i *instance) time.Duration {
	text := os.Getenv("CHIARO_TIMEOUT")
	if text == "" {
		return defaultStall
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		i.lacks(fmt.Sprintf("CHIARO_TIMEOUT is %q; want a time such as 30s, or 0 for none", text))
		return defaultStall
	}
	return d
}

func createDevice(a *abi.CreateDeviceArgs) abi.Result {
	p, info := physicalOf(a.PhysicalDevice), a.PCreateInfo
	if p == nil {
		return abi.ErrorInitializationFailed
	}
	d := &device{physical: p, version: min(p.instance.version, apiVersion()), extensions: map[string]bool{}}
	for _, name := range abi.Strings(info.PpEnabledExtensionNames, info.EnabledExtensionCount) {
		if !slices.ContainsFunc(announced(false), func(e *abi.Extension) bool { return e.Name == name }) {
			p.instance.lacks("the device lacks the extension " + name)
			return abi.ErrorExtensionNotPresent
		}
		d.extensions[name] = true
	}
	enabled, r := d.enable(info)
	if r != abi.Success {
		return r
	}
	if d.extensions["VK_EXT_device_memory_report"] {
		d.allocations = newMemoryReports(info.PNext)
	}
	d.maps, d.replays = newMemoryMaps(enabled), enabled["rayTracingPipelineShaderGroupHandleCaptureReplay"]
	create := vk.DeviceInfo{Enabled: enabled, Checking: checking(), Memory: heapSize(), DeferFree: true, Tolerant: true, Messages: d.found, Print: d.printed, DepthRangeUnrestricted: d.extensions["VK_EXT_depth_range_unrestricted"]}
	create.Stall, create.Level = stall(p.instance), level(p.instance)
	create.Sanitize, create.Reports = sanitizers(p.instance), d.reported
	d.comparesCommands = create.Sanitize&vk.SanitizeRace != 0
	asked := array(info.PQueueCreateInfos, info.QueueCreateInfoCount)
	var own vk.QueueInfo
	create.Queues, own = withOwnQueue(familyQueues(asked))
	var err error
	if d.vk, err = p.vk.NewDevice(create); err != nil {
		return d.result(err)
	}
	d.presents = d.vk.FamilyQueue(own.Family, own.Count)
	if d.handle = newDispatch(&devices, d); d.handle == nil || !d.makeQueues(asked) {
		d.close()
		return outOfHost
	}
	abi.PutAddress(unsafe.Pointer(a.PDevice), unsafe.Pointer(d.handle))
	return abi.Success
}

// familyQueues counts the queues of each family: those with different flags have one family.
func familyQueues(asked []abi.DeviceQueueCreateInfo) (out []vk.QueueInfo) {
	for _, q := range asked {
		i := slices.IndexFunc(out, func(x vk.QueueInfo) bool { return x.Family == int(q.QueueFamilyIndex) })
		if i < 0 {
			i, out = len(out), append(out, vk.QueueInfo{Family: int(q.QueueFamilyIndex)})
		}
		out[i].Count += int(q.QueueCount)
	}
	return out
}

// ownFamily is the family of the driver's own queue, which applications do not see: it only signals.
const ownFamily = 2

// withOwnQueue adds a queue for the driver to the queues that an application asks for. own is the family and the index of it.
func withOwnQueue(asked []vk.QueueInfo) (all []vk.QueueInfo, own vk.QueueInfo) {
	all = slices.Clone(asked)
	for i := range all {
		if all[i].Family == ownFamily {
			own = all[i]
			all[i].Count++
			return all, own
		}
	}
	return append(all, vk.QueueInfo{Family: ownFamily, Count: 1}), vk.QueueInfo{Family: ownFamily}
}

// enable checks the features that the application enables. enabled has their names, and those of the extensions.
func (d *device) enable(info *abi.DeviceCreateInfo) (enabled map[string]bool, result abi.Result) {
	enabled = maps.Clone(d.extensions)
	check := func(c *abi.Chained, s unsafe.Pointer) {
		for _, m := range c.Members {
			if *at[uint32](s, m.Offset) != abi.False {
				enabled[m.Name] = true
			}
		}
		if name := d.physical.lacking(c, s); name != "" {
			d.physical.instance.lacks("the device lacks the feature " + name)
			result = abi.ErrorFeatureNotPresent
		}
	}
	if f := info.PEnabledFeatures; f != nil {
		check(coreFeatures(), unsafe.Pointer(f))
	}
	abi.Chain(info.PNext, func(sType uint32, s unsafe.Pointer) {
		c, at := featureStructs()[sType], s
		if sType == abi.StructureTypePhysicalDeviceFeatures2 {
			c, at = coreFeatures(), unsafe.Pointer(&(*abi.PhysicalDeviceFeatures2)(s).Features)
		}
		if c != nil {
			check(c, at)
		}
	})
	return enabled, result
}

// makeQueues makes the handles of the queues; it reports whether there was memory for them.
func (d *device) makeQueues(list []abi.DeviceQueueCreateInfo) bool {
	next := map[uint32]int{} // by family
	for _, i := range list {
		for n := range i.QueueCount {
			q := &queue{device: d, vk: d.vk.FamilyQueue(int(i.QueueFamilyIndex), next[i.QueueFamilyIndex]), family: i.QueueFamilyIndex, index: n, flags: i.Flags}
			next[i.QueueFamilyIndex]++
			if q.handle = newDispatch(&queues, q); q.handle == nil {
				return false
			}
			d.queues = append(d.queues, q)
		}
	}
	return true
}

// close ends the device with its queues.
func (d *device) close() {
	_ = d.vk.Close() // it reports no error
	for _, q := range d.queues {
		dropDispatch(&queues, q.handle)
	}
	dropDispatch(&devices, d.handle)
}

func destroyDevice(a *abi.DestroyDeviceArgs) {
	if d := deviceOf(a.Device); d != nil {
		d.dropObjects()
		d.close()
	}
}

func deviceWaitIdle(a *abi.DeviceWaitIdleArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	if err := d.vk.WaitIdle(forever); err != nil {
		return d.result(err)
	}
	return d.result(d.vk.Err())
}

func getDeviceQueue2(a *abi.GetDeviceQueue2Args) {
	i := a.PQueueInfo
	abi.PutAddress(unsafe.Pointer(a.PQueue), unsafe.Pointer(deviceOf(a.Device).queue(i.QueueFamilyIndex, i.QueueIndex, i.Flags)))
}

// queue returns the handle of a queue with flags, or null.
func (d *device) queue(family, index, flags uint32) *abi.Dispatch {
	if d != nil {
		for _, q := range d.queues {
			if q.family == family && q.index == index && q.flags == flags {
				return q.handle
			}
		}
	}
	return nil
}
