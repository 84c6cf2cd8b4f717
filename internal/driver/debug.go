package driver

import (
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Severities and types of messages, as VK_EXT_debug_utils has them.
const (
	severeInfo    = abi.DebugUtilsMessageSeverityInfoBitEXT
	severeWarning = abi.DebugUtilsMessageSeverityWarningBitEXT
	severeError   = abi.DebugUtilsMessageSeverityErrorBitEXT

	ofGeneral    = abi.DebugUtilsMessageTypeGeneralBitEXT
	ofValidation = abi.DebugUtilsMessageTypeValidationBitEXT
)

// message is a finding of the driver.
type message struct {
	severity, types uint32
	rule            string // a VUID or a code of Chiaro; "" if there is none
	text            string
	objects         []named
	labels          []string // open labels of the command, the outermost first
}

// named is an object of a message.
type named struct {
	kind   uint32 // VkObjectType
	handle uint64
	name   string
}

// reporter is an object that a message can name.
type reporter interface{ named() named }

func (d *device) named() named {
	return named{abi.ObjectTypeDevice, handleNumber(d.handle), load(&d.name)}
}

func (q *queue) named() named {
	return named{abi.ObjectTypeQueue, handleNumber(q.handle), load(&q.name)}
}

func (c *commandBuffer) named() named {
	return named{abi.ObjectTypeCommandBuffer, handleNumber(c.handle), load(&c.name)}
}

// handleNumber is the value of a dispatchable handle.
func handleNumber(d *abi.Dispatch) uint64 { return uint64(uintptr(unsafe.Pointer(d))) }

// load returns the name of an object; "" if it has none.
func load(p *atomic.Pointer[string]) string {
	if s := p.Load(); s != nil {
		return *s
	}
	return ""
}

// messenger is a VkDebugUtilsMessengerEXT or, with flags, a VkDebugReportCallbackEXT.
type messenger struct {
	owner           *messengers
	severity, types uint32 // of the messages that it receives
	flags           uint32 // of the reports that it receives
	call            unsafe.Pointer
	user            uintptr        // the application's: it may be a small number, which must not be in a pointer of Go
	running         sync.WaitGroup // calls
}

// messengers are the debug messengers of an instance. Its creation and its end have further ones, which are in the chain of
// the creation.
type messengers struct {
	mu      sync.Mutex
	list    []*messenger
	chained []*messenger
}

// begin starts the creation of an instance with the messengers in its chain.
func (m *messengers) begin(chain unsafe.Pointer) {
	abi.Chain(chain, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeDebugUtilsMessengerCreateInfoEXT:
			m.chained = append(m.chained, newMessenger(m, (*abi.DebugUtilsMessengerCreateInfoEXT)(s)))
		case abi.StructureTypeDebugReportCallbackCreateInfoEXT:
			m.chained = append(m.chained, newReporter(m, (*abi.DebugReportCallbackCreateInfoEXT)(s)))
		}
	})
	m.list = slices.Clone(m.chained)
}

// begun ends the creation of the instance.
func (m *messengers) begun() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = nil
}

// ending starts the end of the instance.
func (m *messengers) ending() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, m.chained...)
}

func newMessenger(m *messengers, i *abi.DebugUtilsMessengerCreateInfoEXT) *messenger {
	return &messenger{owner: m, severity: i.MessageSeverity, types: i.MessageType, call: i.PfnUserCallback, user: *(*uintptr)(unsafe.Pointer(&i.PUserData))}
}

func newReporter(m *messengers, i *abi.DebugReportCallbackCreateInfoEXT) *messenger {
	return &messenger{owner: m, flags: i.Flags, call: i.PfnCallback, user: *(*uintptr)(unsafe.Pointer(&i.PUserData))}
}

// add registers a messenger.
func (m *messengers) add(x *messenger) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, x)
	listened.Store(true)
}

// Close ends the messenger: it has no call afterwards. A callback may not call Vulkan, so it does not wait for itself.
func (x *messenger) Close() error {
	m := x.owner
	m.mu.Lock()
	m.list = slices.DeleteFunc(m.list, func(y *messenger) bool { return y == x })
	m.mu.Unlock()
	x.running.Wait()
	return nil
}

// each calls f with each messenger that a message is for. It holds no lock: a callback may submit messages.
func (m *messengers) each(is func(*messenger) bool, f func(*messenger)) {
	m.mu.Lock()
	var list []*messenger
	for _, x := range m.list {
		if x.call != nil && is(x) {
			x.running.Add(1)
			list = append(list, x)
		}
	}
	m.mu.Unlock()
	for _, x := range list {
		f(x)
		x.running.Done()
	}
}

// send passes a message of the driver to the messengers, and to standard error if the variable CHIARO_CHECK is set.
func (m *messengers) send(x *message) {
	if checking() != vk.None {
		plain.Fprintf(os.Stderr, "chiaro: %s: %s\n", severityName(x.severity), x.withRule())
	}
	if host.Message == nil {
		return
	}
	var data pinned
	defer data.pins.Unpin()
	d, objects := data.message(x), x.objects
	m.each(func(y *messenger) bool { return y.severity&x.severity != 0 && y.types&x.types != 0 }, func(y *messenger) {
		host.Message(y.call, x.severity, x.types, d, y.user)
	})
	r := Report{Flags: reportFlags(x.severity, x.types), Code: d.MessageIdNumber, Prefix: data.text("Chiaro"), Message: data.text(x.withRule())}
	if len(objects) > 0 {
		r.Kind, r.Object = reportKind(objects[0].kind), objects[0].handle
	}
	m.report(&r)
}

// report passes a report to the callbacks of VK_EXT_debug_report.
func (m *messengers) report(r *Report) {
	m.each(func(y *messenger) bool { return y.flags&r.Flags != 0 }, func(y *messenger) { host.Report(y.call, r, y.user) })
}

// withRule is the text of a message with its rule. The texts of package vk have it.
func (x *message) withRule() string {
	if end := "[" + x.rule + "]"; x.rule != "" && (len(x.text) < len(end) || x.text[len(x.text)-len(end):] != end) {
		return x.text + " " + end
	}
	return x.text
}

func severityName(severity uint32) string {
	switch severity {
	case severeError:
		return "error"
	case severeWarning:
		return "warning"
	}
	return "information"
}

// reportFlags are the flags of VK_EXT_debug_report for a message.
func reportFlags(severity, types uint32) uint32 {
	switch {
	case severity&severeError != 0:
		return abi.DebugReportErrorBitEXT
	case severity&severeWarning != 0 && types&abi.DebugUtilsMessageTypePerformanceBitEXT != 0:
		return abi.DebugReportPerformanceWarningBitEXT
	case severity&severeWarning != 0:
		return abi.DebugReportWarningBitEXT
	case severity&severeInfo != 0:
		return abi.DebugReportInformationBitEXT
	}
	return abi.DebugReportDebugBitEXT
}

// reportKind is the VkDebugReportObjectTypeEXT of a VkObjectType: the types of Vulkan 1.0 have the same number in both.
func reportKind(kind uint32) uint32 {
	if kind > abi.ObjectTypeCommandPool {
		return abi.DebugReportObjectTypeUnknownEXT
	}
	return kind
}

// pinned is memory of Go that C reads during a call.
type pinned struct{ pins runtime.Pinner }

// text returns a string for C.
func (p *pinned) text(s string) *byte {
	b := append([]byte(s), 0)
	p.pins.Pin(&b[0])
	return &b[0]
}

// message returns a message for C.
func (p *pinned) message(x *message) *abi.DebugUtilsMessengerCallbackDataEXT {
	d := &abi.DebugUtilsMessengerCallbackDataEXT{
		SType: abi.StructureTypeDebugUtilsMessengerCallbackDataEXT, PMessage: p.text(x.withRule()),
		CmdBufLabelCount: uint32(len(x.labels)), ObjectCount: uint32(len(x.objects)),
	}
	if x.rule != "" {
		h := fnv.New32a()
		_, _ = h.Write([]byte(x.rule)) // a hash reports no error
		d.PMessageIdName, d.MessageIdNumber = p.text(x.rule), int32(h.Sum32())
	}
	if n := len(x.labels); n > 0 {
		list := make([]abi.DebugUtilsLabelEXT, n)
		p.pins.Pin(&list[0])
		for i, name := range x.labels { // Vulkan has the innermost first
			list[n-1-i] = abi.DebugUtilsLabelEXT{SType: abi.StructureTypeDebugUtilsLabelEXT, PLabelName: p.text(name)}
		}
		d.PCmdBufLabels = &list[0]
	}
	if n := len(x.objects); n > 0 {
		list := make([]abi.DebugUtilsObjectNameInfoEXT, n)
		p.pins.Pin(&list[0])
		for i, o := range x.objects {
			list[i] = abi.DebugUtilsObjectNameInfoEXT{SType: abi.StructureTypeDebugUtilsObjectNameInfoEXT, ObjectType: o.kind, ObjectHandle: o.handle}
			if o.name != "" {
				list[i].PObjectName = p.text(o.name)
			}
		}
		d.PObjects = &list[0]
	}
	return d
}
