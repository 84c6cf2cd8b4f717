package driver

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// heard is a call of a callback.
type heard struct {
	severity, types uint32
	id, text        string
	objects         []named
	labels          []string
	user            uintptr
	report          bool
}

// listen makes the host write down the calls of callbacks, without a loader.
func listen(t *testing.T) *[]heard {
	var list []heard
	before := host
	t.Cleanup(func() { host = before })
	host.Interface = func() uint32 { return 0 }
	host.Message = func(_ unsafe.Pointer, severity, types uint32, d *abi.DebugUtilsMessengerCallbackDataEXT, user uintptr) {
		h := heard{severity: severity, types: types, id: abi.String(unsafe.Pointer(d.PMessageIdName)), text: abi.String(unsafe.Pointer(d.PMessage)), user: user}
		for _, o := range abi.Slice(d.PObjects, d.ObjectCount) {
			h.objects = append(h.objects, named{o.ObjectType, o.ObjectHandle, abi.String(unsafe.Pointer(o.PObjectName))})
		}
		for _, l := range abi.Slice(d.PCmdBufLabels, d.CmdBufLabelCount) {
			h.labels = append(h.labels, abi.String(unsafe.Pointer(l.PLabelName)))
		}
		list = append(list, h)
	}
	host.Report = func(_ unsafe.Pointer, r *Report, user uintptr) {
		list = append(list, heard{severity: r.Flags, types: r.Kind, text: abi.String(unsafe.Pointer(r.Message)), user: user, report: true})
	}
	return &list
}

// cText is a string with a 0 at its end, in pinned memory.
func cText(t *testing.T, s string) *byte {
	b := append([]byte(s), 0)
	pin(t, &b[0])
	return &b[0]
}

func pin(t *testing.T, p any) {
	var pins runtime.Pinner
	pins.Pin(p)
	t.Cleanup(pins.Unpin)
}

// newInstance makes an instance with a chain.
func newInstance(t *testing.T, chain unsafe.Pointer) *abi.Dispatch {
	t.Helper()
	var h *abi.Dispatch
	if r := do(abi.CmdCreateInstance, &abi.CreateInstanceArgs{PCreateInfo: &abi.InstanceCreateInfo{PNext: chain}, PInstance: &h}); r != abi.Success {
		t.Fatalf("the instance: %d", r)
	}
	t.Cleanup(func() { do(abi.CmdDestroyInstance, &abi.DestroyInstanceArgs{Instance: h}) })
	return h
}

// newTestDevice makes a device with a queue.
func newTestDevice(t *testing.T, i *abi.Dispatch) (d, q *abi.Dispatch) {
	t.Helper()
	n := uint32(1)
	var p *abi.Dispatch
	do(abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: i, PPhysicalDeviceCount: &n, PPhysicalDevices: &p})
	info := abi.DeviceCreateInfo{QueueCreateInfoCount: 1, PQueueCreateInfos: &abi.DeviceQueueCreateInfo{QueueCount: 1}}
	if r := do(abi.CmdCreateDevice, &abi.CreateDeviceArgs{PhysicalDevice: p, PCreateInfo: &info, PDevice: &d}); r != abi.Success {
		t.Fatalf("the device: %d", r)
	}
	t.Cleanup(func() { do(abi.CmdDestroyDevice, &abi.DestroyDeviceArgs{Device: d}) })
	do(abi.CmdGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: d, PQueue: &q})
	return d, q
}

// callback is the address of a callback; the host of the tests does not call it.
var callback byte

// TestMessengers submits messages: a messenger hears those of its severities and types until its end.
func TestMessengers(t *testing.T) {
	list := listen(t)
	i := newInstance(t, nil)
	user := new(int)
	info := abi.DebugUtilsMessengerCreateInfoEXT{MessageSeverity: severeError | severeWarning, MessageType: ofValidation, PfnUserCallback: unsafe.Pointer(&callback), PUserData: unsafe.Pointer(user)}
	var m abi.DebugUtilsMessengerEXT
	if r := do(abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: i, PCreateInfo: &info, PMessenger: &m}); r != abi.Success || m == 0 {
		t.Fatalf("the messenger: %d", r)
	}
	data := abi.DebugUtilsMessengerCallbackDataEXT{PMessage: cText(t, "hello")}
	submit := func(severity, types uint32) {
		do(abi.CmdSubmitDebugUtilsMessageEXT, &abi.SubmitDebugUtilsMessageEXTArgs{Instance: i, MessageSeverity: severity, MessageTypes: types, PCallbackData: &data})
	}
	submit(severeInfo, ofValidation)
	submit(severeWarning, ofGeneral)
	submit(severeWarning, ofGeneral|ofValidation)
	if len(*list) != 1 || (*list)[0].text != "hello" || (*list)[0].user != uintptr(unsafe.Pointer(user)) {
		t.Errorf("heard %+v; must be one message", *list)
	}
	for range 2 { // the second handle is stale
		do(abi.CmdDestroyDebugUtilsMessengerEXT, &abi.DestroyDebugUtilsMessengerEXTArgs{Instance: i, Messenger: m})
	}
	submit(severeError, ofValidation)
	if len(*list) != 1 {
		t.Error("a messenger hears messages after its end")
	}
	report := abi.DebugReportCallbackCreateInfoEXT{Flags: abi.DebugReportErrorBitEXT, PfnCallback: unsafe.Pointer(&callback)}
	var c abi.DebugReportCallbackEXT
	do(abi.CmdCreateDebugReportCallbackEXT, &abi.CreateDebugReportCallbackEXTArgs{Instance: i, PCreateInfo: &report, PCallback: &c})
	for _, flags := range []uint32{abi.DebugReportWarningBitEXT, abi.DebugReportErrorBitEXT} {
		do(abi.CmdDebugReportMessageEXT, &abi.DebugReportMessageEXTArgs{Instance: i, Flags: flags, ObjectType: 1, PMessage: data.PMessage})
	}
	do(abi.CmdDestroyDebugReportCallbackEXT, &abi.DestroyDebugReportCallbackEXTArgs{Instance: i, Callback: c})
	do(abi.CmdDebugReportMessageEXT, &abi.DebugReportMessageEXTArgs{Instance: i, Flags: abi.DebugReportErrorBitEXT, PMessage: data.PMessage})
	if l := *list; len(l) != 2 || !l[1].report || l[1].severity != abi.DebugReportErrorBitEXT || l[1].types != 1 {
		t.Errorf("heard %+v; must be one report more", l)
	}
}

// TestChainedMessenger asks for an extension that the driver lacks: the messenger in the chain of the creation hears its name.
func TestChainedMessenger(t *testing.T) {
	list := listen(t)
	info := abi.DebugUtilsMessengerCreateInfoEXT{SType: abi.StructureTypeDebugUtilsMessengerCreateInfoEXT, MessageSeverity: severeError, MessageType: ofGeneral, PfnUserCallback: unsafe.Pointer(&callback)}
	name := cText(t, "VK_EXT_nothing")
	create := abi.InstanceCreateInfo{PNext: unsafe.Pointer(&info), EnabledExtensionCount: 1, PpEnabledExtensionNames: unsafe.Pointer(&name)}
	var h *abi.Dispatch
	if r := do(abi.CmdCreateInstance, &abi.CreateInstanceArgs{PCreateInfo: &create, PInstance: &h}); r != abi.ErrorExtensionNotPresent {
		t.Errorf("result %d; must be VK_ERROR_EXTENSION_NOT_PRESENT", r)
	}
	if l := *list; len(l) != 1 || !strings.Contains(l[0].text, "VK_EXT_nothing") {
		t.Errorf("heard %+v; must name the extension", l)
	}
}

// TestLostMessage loses a device by a dispatch without a pipeline in labels: one message has the rule, the labels and the objects
// with their names, and the folder of reports has one file.
func TestLostMessage(t *testing.T) {
	list, folder := listen(t), t.TempDir()
	t.Setenv("CHIARO_REPORT", folder)
	i := newInstance(t, nil)
	info := abi.DebugUtilsMessengerCreateInfoEXT{MessageSeverity: severeError, MessageType: ofValidation, PfnUserCallback: unsafe.Pointer(&callback)}
	var m abi.DebugUtilsMessengerEXT
	do(abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: i, PCreateInfo: &info, PMessenger: &m})
	d, q := newTestDevice(t, i)
	name := func(kind uint32, handle uint64, text string) {
		do(abi.CmdSetDebugUtilsObjectNameEXT, &abi.SetDebugUtilsObjectNameEXTArgs{Device: d, PNameInfo: &abi.DebugUtilsObjectNameInfoEXT{SType: abi.StructureTypeDebugUtilsObjectNameInfoEXT, ObjectType: kind, ObjectHandle: handle, PObjectName: cText(t, text)}})
	}
	name(abi.ObjectTypeDevice, handleNumber(d), "gpu")
	name(abi.ObjectTypeQueue, handleNumber(q), "main")
	name(abi.ObjectTypeFence, 1<<40, "stale")
	var pool abi.CommandPool
	do(abi.CmdCreateCommandPool, &abi.CreateCommandPoolArgs{Device: d, PCreateInfo: &abi.CommandPoolCreateInfo{}, PCommandPool: &pool})
	var c *abi.Dispatch
	do(abi.CmdAllocateCommandBuffers, &abi.AllocateCommandBuffersArgs{Device: d, PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, CommandBufferCount: 1}, PCommandBuffers: &c})
	name(abi.ObjectTypeCommandBuffer, handleNumber(c), "frame")
	do(abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
	for _, label := range []string{"outer", "inner"} {
		do(abi.CmdCmdBeginDebugUtilsLabelEXT, &abi.CmdBeginDebugUtilsLabelEXTArgs{CommandBuffer: c, PLabelInfo: &abi.DebugUtilsLabelEXT{PLabelName: cText(t, label)}})
	}
	do(abi.CmdCmdDispatch, &abi.CmdDispatchArgs{CommandBuffer: c, GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
	if r := do(abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c}); r != abi.Success {
		t.Fatalf("the command buffer: %d", r)
	}
	do(abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: q, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &c}})
	for range 2 {
		if r := do(abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: q}); r != abi.ErrorDeviceLost {
			t.Errorf("the wait returned %d; must be VK_ERROR_DEVICE_LOST", r)
		}
	}
	if r := do(abi.CmdDeviceWaitIdle, &abi.DeviceWaitIdleArgs{Device: d}); r != abi.ErrorDeviceLost {
		t.Errorf("the wait of the device returned %d; must be VK_ERROR_DEVICE_LOST", r)
	}
	if len(*list) != 1 {
		t.Fatalf("heard %+v; must be one message", *list)
	}
	h := (*list)[0]
	if h.id != "VUID-vkCmdDispatch-None-08606" || !slices.Equal(h.labels, []string{"inner", "outer"}) {
		t.Errorf("rule %s, labels %q; must be VUID-vkCmdDispatch-None-08606 and inner, outer", h.id, h.labels)
	}
	if want := []named{{abi.ObjectTypeQueue, handleNumber(q), "main"}, {abi.ObjectTypeDevice, handleNumber(d), "gpu"}}; !slices.Equal(h.objects, want) {
		t.Errorf("objects %+v; must be %+v", h.objects, want)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.txt"))
	if len(files) != 1 {
		t.Fatalf("%d reports; must be one", len(files))
	}
	if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), h.id) {
		t.Errorf("the report is %q, %v; must have the rule", text, err)
	}
}

// TestModuleMessage creates a module that is none: the error is a message.
func TestModuleMessage(t *testing.T) {
	list := listen(t)
	i := newInstance(t, nil)
	var c abi.DebugReportCallbackEXT
	do(abi.CmdCreateDebugReportCallbackEXT, &abi.CreateDebugReportCallbackEXTArgs{Instance: i, PCreateInfo: &abi.DebugReportCallbackCreateInfoEXT{Flags: abi.DebugReportErrorBitEXT, PfnCallback: unsafe.Pointer(&callback)}, PCallback: &c})
	d, _ := newTestDevice(t, i)
	var h abi.ShaderModule
	word := uint32(1)
	r := do(abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: d, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: 4, PCode: &word}, PShaderModule: &h})
	if r >= 0 || h != 0 || len(*list) != 1 || !strings.Contains((*list)[0].text, "0x07230203") {
		t.Errorf("result %d, handle %d, heard %+v; must be an error with its text", r, h, *list)
	}
}

// TestFeatureMessage enables features that the device lacks: messages name them.
func TestFeatureMessage(t *testing.T) {
	list := listen(t)
	i := newInstance(t, nil)
	info := abi.DebugUtilsMessengerCreateInfoEXT{MessageSeverity: severeError, MessageType: ofGeneral, PfnUserCallback: unsafe.Pointer(&callback)}
	var m abi.DebugUtilsMessengerEXT
	do(abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: i, PCreateInfo: &info, PMessenger: &m})
	n := uint32(1)
	var p, d *abi.Dispatch
	do(abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: i, PPhysicalDeviceCount: &n, PPhysicalDevices: &p})
	flow := abi.PhysicalDeviceOpticalFlowFeaturesNV{SType: abi.StructureTypePhysicalDeviceOpticalFlowFeaturesNV, OpticalFlow: abi.True}
	create := abi.DeviceCreateInfo{PNext: unsafe.Pointer(&flow)}
	if r := do(abi.CmdCreateDevice, &abi.CreateDeviceArgs{PhysicalDevice: p, PCreateInfo: &create, PDevice: &d}); r != abi.ErrorFeatureNotPresent {
		t.Errorf("result %d; must be VK_ERROR_FEATURE_NOT_PRESENT", r)
	}
	if l := *list; len(l) != 1 || !strings.Contains(l[0].text, "opticalFlow") {
		t.Errorf("heard %+v; must name opticalFlow", l)
	}
}

// TestPrintMessage runs a kernel with debugPrintf: a messenger for information hears its output. A wrong call is told each time.
func TestPrintMessage(t *testing.T) {
	list := listen(t)
	p := newProgram(t)
	info := abi.DebugUtilsMessengerCreateInfoEXT{MessageSeverity: severeInfo | severeError, MessageType: ofValidation, PfnUserCallback: unsafe.Pointer(&callback)}
	var m abi.DebugUtilsMessengerEXT
	must(p, abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: p.instance, PCreateInfo: &info, PMessenger: &m})
	source := strings.NewReplacer(
		"OpMemoryModel", "OpExtension \"SPV_KHR_non_semantic_info\"\n%print = OpExtInstImport \"NonSemantic.DebugPrintf\"\nOpMemoryModel",
		"OpDecorate %pushes", "%format = OpString \"factor %u\"\nOpDecorate %pushes",
		"OpReturn", "%said = OpExtInst %void %print 1 %format %factor\nOpReturn",
	).Replace(numbers)
	b, _ := p.buffer(4)
	pipe, layout, set := p.kernel(source, b)
	c := p.launch(pipe, layout, set, 7)
	must(p, abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue})
	if l := *list; len(l) == 0 || l[0].severity != severeInfo || l[0].text != "factor 7" {
		t.Errorf("heard %+v; must be factor 7", l)
	}
	*list = nil
	for range 2 {
		if r := do(abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c}); r >= 0 {
			t.Errorf("the second end of a command buffer returns %d", r)
		}
	}
	if len(*list) != 2 {
		t.Errorf("heard %+v; must be a message for each call", *list)
	}
}
