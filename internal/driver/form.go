package driver

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// listened tells that a messenger hears of broken rules: one was made, or the variable CHIARO_CHECK is set. Without, the memory
// of calls is not checked.
var listened atomic.Bool

// formsByName are the forms by name.
var formsByName = sync.OnceValue(func() map[string]*abi.Form {
	out := make(map[string]*abi.Form, len(abi.Forms))
	for i := range abi.Forms {
		out[abi.Forms[i].Name] = &abi.Forms[i]
	}
	return out
})

// commandForms are the forms of the arguments of commands, by number; nil for a command without one.
var commandForms = sync.OnceValue(func() *[abi.CommandCount]*abi.Form {
	var out [abi.CommandCount]*abi.Form
	for _, n := range abi.Names {
		if f := formsByName()[n.Name]; f != nil {
			out[n.Number] = f
		}
	}
	return &out
})

// structForms are the forms of structs by sType.
var structForms = sync.OnceValue(func() map[uint32]*abi.Form {
	out := map[uint32]*abi.Form{}
	for i := range abi.Forms {
		if f := &abi.Forms[i]; f.SType != 0 {
			out[f.SType] = f
		}
	}
	return out
})

// isRule reports whether package vuid has a rule; its list is sorted.
func isRule(code string) bool {
	_, ok := slices.BinarySearch(vuid.All[:], code)
	return ok
}

// formCheck checks the memory of one call: the rules of implicit valid usage, which are on pointers, handles, chains and values.
type formCheck struct {
	first      *abi.Dispatch           // the first argument of the call
	device     *device                 // of the call; nil of a call without one
	report     func(rule, text string) // reports a broken rule
	broken     bool                    // a rule is broken: explicit checks, which follow pointers, do not run
	unreadable bool                    // a pointer points to nothing
	owners     []*device               // a stack: of the handles of the forms that are being checked
}

// checkForm checks the arguments of a call, and reports whether the driver can read them.
func checkForm(number uint32, args unsafe.Pointer) bool {
	f := commandForms()[number]
	if f == nil && explicitForms[number] == nil {
		return true
	}
	c := newFormCheck(args)
	if f != nil {
		c.fields(f, args)
	}
	if more := explicitForms[number]; more != nil && !c.broken {
		more(c, args)
	}
	return !c.unreadable
}

// checkResults checks the structs that a call has filled in, and keeps whether its objects have allocation callbacks.
func checkResults(number uint32, args unsafe.Pointer) {
	if keep := allocated[number]; keep != nil {
		keep(args)
	}
	f := commandForms()[number]
	if f == nil {
		return
	}
	for i := range f.Fields {
		m := &f.Fields[i]
		to := *(*uintptr)(unsafe.Add(args, m.Offset))
		if m.Kind != abi.FormStruct || !m.Output || !pointable(to, m.Align) {
			continue
		}
		count := uint64(1)
		if m.Count.Size != 0 {
			count = length(args, m.Count)
		}
		c := newFormCheck(args)
		for n := range min(count, maxElements) {
			c.fields(&abi.Forms[m.Of], unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(args, m.Offset)), uintptr(n)*m.Size))
		}
	}
}

// newFormCheck prepares the check of a call, whose first argument is a dispatchable handle.
func newFormCheck(args unsafe.Pointer) *formCheck {
	c := &formCheck{first: *(**abi.Dispatch)(args)}
	if c.device = deviceOf(c.first); c.device == nil {
		if b := commandBufferOf(c.first); b != nil {
			c.device = b.device
		}
	}
	c.report = c.send
	return c
}

// tell reports a broken rule.
func (c *formCheck) tell(rule, text string) {
	c.broken = true
	c.report(rule, text)
}

// send passes a broken rule to the messengers of the instance of the call, or of all instances if its handle has no object.
func (c *formCheck) send(rule, text string) {
	x := &message{severity: severeError, types: ofValidation, rule: rule, text: text}
	if c.device != nil {
		x.objects = []named{c.device.named()}
		c.device.physical.instance.messengers.send(x)
	} else if p := physicalOf(c.first); p != nil {
		p.instance.messengers.send(x)
	} else {
		instances.each(func(_ uint64, i *instance) { i.messengers.send(x) })
	}
}

// fail reports that a member breaks a rule.
func (c *formCheck) fail(f *abi.Form, member, end, format string, args ...any) {
	rule := "VUID-" + f.Name + "-" + member + "-" + end
	c.tell(rule, fmt.Sprintf("%s of %s %s", member, f.Name, fmt.Sprintf(format, args...)))
}

// fields checks the members of a struct, or the arguments of a call.
func (c *formCheck) fields(f *abi.Form, p unsafe.Pointer) {
	outer := len(c.owners)
	for i := range f.Fields {
		if m := &f.Fields[i]; len(m.Selects) == 0 || slices.Contains(m.Selects, *(*uint32)(unsafe.Add(p, m.Selector))) {
			c.field(f, m, p)
		}
	}
	owners := c.owners[outer:]
	c.owners = c.owners[:outer]
	if slices.ContainsFunc(owners, func(d *device) bool { return d != owners[0] }) {
		if rule := "VUID-" + f.Name + "-commonparent"; isRule(rule) {
			c.tell(rule, "the handles of "+f.Name+" are of different devices; must be of one")
		}
	}
	if c.device != nil && len(c.device.queues) == 0 {
		if rule := "VUID-" + f.Name + "-device-queuecount"; isRule(rule) {
			c.tell(rule, "the device has no queue; must have at least one")
		}
	}
	if more := explicitStructs[f.Name]; more != nil && !c.broken {
		more(c, p)
	}
}

// field checks a member.
func (c *formCheck) field(f *abi.Form, m *abi.FormField, p unsafe.Pointer) {
	at := unsafe.Add(p, m.Offset)
	if m.Kind == abi.FormLength {
		if word(at, m.Size) == 0 {
			c.fail(f, m.Name, "arraylength", "is 0; must be greater")
		}
		return
	}
	count := uint64(1)
	if m.Pointer {
		if m.Count.Size != 0 {
			count = length(p, m.Count)
		}
		to := *(*uintptr)(at) // a wrong one must not be a pointer of Go
		switch {
		case count == 0 || to == 0 && m.Optional:
			return
		case !pointable(to, m.Align):
			c.unreadable = true
			c.fail(f, m.Name, "parameter", "is %#x; must point to %d elements of %d bytes with an alignment of %d", to, count, m.Size, m.Align)
			return
		}
		at = *(*unsafe.Pointer)(at)
	}
	switch m.Kind {
	case abi.FormString:
		if most := int(m.Size); m.Pointer && !text(at, abi.MaxString) || !m.Pointer && !text(at, most) {
			c.fail(f, m.Name, "parameter", "is no UTF-8 that ends with 0; must be")
		}
		return
	case abi.FormCallbacks:
		if !callable((*abi.AllocationCallbacks)(at)) {
			c.fail(f, m.Name, "parameter", "lacks functions; must have those for allocation, reallocation and release, and both or none of the notifications")
		}
		return
	case abi.FormBytes:
		return
	}
	if m.Output && m.Kind != abi.FormStruct {
		return
	}
	for n := range min(count, maxElements) {
		c.value(f, m, unsafe.Add(at, uintptr(n)*m.Size))
	}
}

// value checks a struct, a handle, or a value of an enumeration.
func (c *formCheck) value(f *abi.Form, m *abi.FormField, at unsafe.Pointer) {
	optional := m.Optional && !m.Pointer || m.Nullable
	switch m.Kind {
	case abi.FormStruct:
		c.structure(&abi.Forms[m.Of], at, m.Output)
	case abi.FormHandle:
		c.handle(f, m, *(*uint64)(at), optional)
	case abi.FormEnum:
		if v := word(at, m.Size); !slices.Contains(abi.FormSets[m.Of].Values, v) {
			c.fail(f, m.Name, "parameter", "is %d; must be a value of %s", v, abi.FormSets[m.Of].Name)
		}
	case abi.FormBit:
		if v := word(at, m.Size); (v != 0 || !optional) && !slices.Contains(abi.FormSets[m.Of].Values, v) {
			c.fail(f, m.Name, "parameter", "is %#x; must be one value of %s", v, abi.FormSets[m.Of].Name)
		}
	case abi.FormMask:
		switch v, set := word(at, m.Size), &abi.FormSets[m.Of]; {
		case v == 0 && !optional:
			c.fail(f, m.Name, "requiredbitmask", "is 0; must have values of %s", set.Name)
		case v != 0 && len(set.Values) == 0:
			c.fail(f, m.Name, "zerobitmask", "is %#x; must be 0", v)
		case !combines(v, set.Values):
			c.fail(f, m.Name, "parameter", "is %#x; must combine values of %s", v, set.Name)
		}
	}
}

// structure checks a struct with its chain. The application writes only the head of one that a command fills in.
func (c *formCheck) structure(f *abi.Form, p unsafe.Pointer, output bool) {
	if f.SType != 0 {
		if t := *(*uint32)(p); t != f.SType {
			c.fail(f, "sType", "sType", "is %d; must be %d", t, f.SType)
			return
		}
		c.chain(f, p, output)
	}
	if !output {
		c.fields(f, p)
	}
}

// chain checks the structs in the chain of a struct.
func (c *formCheck) chain(f *abi.Form, p unsafe.Pointer, output bool) {
	var seen []uint32
	for range abi.MaxChain {
		next := *(*uintptr)(unsafe.Add(p, unsafe.Offsetof(abi.Base{}.PNext)))
		if next == 0 {
			return
		}
		if !pointable(next, unsafe.Alignof(abi.Base{})) {
			c.unreadable = true
			c.chained(f, fmt.Sprintf("has the pointer %#x; must point to a struct", next))
			return
		}
		p = (*abi.Base)(p).PNext
		t := *(*uint32)(p)
		switch {
		case !slices.Contains(f.Chain, t):
			c.chained(f, fmt.Sprintf("has a struct of the type %d; must have only structs that extend %s", t, f.Name))
		case slices.Contains(seen, t) && !slices.Contains(abi.RepeatedTypes, t) && f.SType != abi.StructureTypeShaderModuleCreateInfo: // which has no such rule
			c.fail(f, "sType", "unique", "is %d twice in the chain; must be there once", t)
		case !output:
			if s := structForms()[t]; s != nil {
				c.fields(s, p)
			}
		}
		seen = append(seen, t)
	}
	c.chained(f, "has no end; must be a list")
}

// chained reports a wrong chain.
func (c *formCheck) chained(f *abi.Form, text string) {
	rule := "VUID-" + f.Name + "-pNext-pNext"
	if f.SType == abi.StructureTypeShaderModuleCreateInfo {
		rule = vuid.VkCreateShaderModule_pCreateInfo_06904
	}
	c.tell(rule, "the chain of "+f.Name+" "+text)
}

// handle checks that a handle has an object of the device of the call.
func (c *formCheck) handle(f *abi.Form, m *abi.FormField, h uint64, optional bool) {
	if h == 0 && optional {
		return
	}
	kind := abi.FormHandles[m.Of]
	owner, ok := handleOwners[kind](h)
	if !ok {
		c.fail(f, m.Name, "parameter", "is %#x; must be a %s", h, kind)
		return
	}
	if owner == nil {
		return
	}
	c.owners = append(c.owners, owner)
	if owner != c.device && c.device != nil { // a call without a device breaks its own rule
		if rule := "VUID-" + f.Name + "-" + m.Name + "-parent"; isRule(rule) {
			c.tell(rule, fmt.Sprintf("%s of %s is of another device; must be of the device of the call", m.Name, f.Name))
		}
	}
}

// word reads a value of 4 or 8 bytes.
func word(at unsafe.Pointer, size uintptr) uint64 {
	if size == 8 {
		return *(*uint64)(at)
	}
	return uint64(*(*uint32)(at))
}

// length returns the number of elements of an array.
func length(p unsafe.Pointer, n abi.FormCount) uint64 {
	at := unsafe.Add(p, n.Offset)
	if n.Pointer {
		if !pointable(*(*uintptr)(at), n.Size) {
			return 0 // the rule of the length tells
		}
		at = *(*unsafe.Pointer)(at)
	}
	return word(at, n.Size) / uint64(max(n.Unit, 1))
}

// pointable reports whether an address may be a valid pointer: it is aligned, and no process has memory in the first page.
func pointable(p, align uintptr) bool {
	const page = 1 << 12
	return p >= page && p&(max(align, 1)-1) == 0
}

// text reports whether a string of at most so many bytes is UTF-8 and ends with 0.
func text(p unsafe.Pointer, most int) bool {
	for n := range most {
		if *(*byte)(unsafe.Add(p, n)) == 0 {
			return utf8.Valid(unsafe.Slice((*byte)(p), n))
		}
	}
	return false
}

// callable reports whether allocation callbacks have the functions that they must have.
func callable(a *abi.AllocationCallbacks) bool {
	return a.PfnAllocation != nil && a.PfnReallocation != nil && a.PfnFree != nil && (a.PfnInternalAllocation == nil) == (a.PfnInternalFree == nil)
}

// combines reports whether bits are a combination of values, some of which have several bits.
func combines(v uint64, values []uint64) bool {
	single := uint64(0)
	for _, x := range values {
		if bits.OnesCount64(x) == 1 {
			single |= x
		}
	}
	rest := v &^ single
	for _, x := range values {
		if v&x == x {
			rest &^= x
		}
	}
	return rest == 0
}
