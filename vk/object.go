package vk

import (
	"reflect"
	"sync/atomic"
)

// object is the part that all objects of a device share: owner, name, lifetime.
type object struct {
	dev     *Device
	kind    string
	name    atomic.Pointer[string]
	private atomic.Bool // a private data slot has a number of the object
	free    func()      // frees the memory of the object, once

	// state counts the unfinished submissions that use the object, plus closing or closed.
	state atomic.Int64

	// seen is the number of the recording that referred to the object last, so that a command buffer lists it once.
	seen atomic.Uint64
}

const (
	closing int64 = 1 << 62 // Close was called; the last release frees
	closed  int64 = 1 << 61 // freed
	counted       = closed - 1
)

// String returns the kind of the object and its name.
func (o *object) String() string {
	if n := o.name.Load(); n != nil && *n != "" {
		return o.kind + " " + *n
	}
	return o.kind
}

// alive reports whether the object may be used in a call.
func (o *object) alive() bool { return o.state.Load()&(closing|closed) == 0 }

// acquire begins a use by a submission. It reports false if the object is closed.
func (o *object) acquire() bool {
	for {
		n := o.state.Load()
		if n&(closing|closed) != 0 {
			return false
		}
		if o.state.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release ends a use.
func (o *object) release() {
	for {
		n := o.state.Load()
		next := n - 1
		last := n == closing|1
		if last {
			next = closed
		}
		if o.state.CompareAndSwap(n, next) {
			if last {
				o.destroy()
			}
			return
		}
	}
}

// close frees the object; see the package comment.
func (o *object) close() error {
	if o.dev == nil { // a zero value
		return nil
	}
	for {
		n := o.state.Load()
		next := n | closing
		switch {
		case n&(closing|closed) != 0:
			return nil
		case n == 0:
			next = closed
		case !o.dev.deferFree:
			return &InUseError{o.String(), useRules[o.kind]}
		}
		if o.state.CompareAndSwap(n, next) {
			if n == 0 {
				o.destroy()
			}
			return nil
		}
	}
}

func (o *object) destroy() {
	if o.private.Load() {
		o.dev.slots.forget(o)
	}
	if o.free != nil {
		o.free()
	}
	o.dev.objects.Add(-1)
}

// adopt makes o an object of the device.
func (d *Device) adopt(o *object, kind string, free func()) {
	o.dev, o.kind, o.free = d, kind, free
	d.objects.Add(1)
}

// Owns reports whether an object is the device's and not closed, and its name; "" if it has none.
func (d *Device) Owns(x Object) (name string, ok bool) {
	if d == nil || x == nil || reflect.ValueOf(x).IsNil() {
		return "", false
	}
	o := x.base()
	if n := o.name.Load(); n != nil {
		name = *n
	}
	return name, o.dev == d && o.alive()
}

// pointer is a pointer to an object of a device.
type pointer[T any] interface {
	*T
	base() *object
}

func (o *object) base() *object { return o }

// check returns an error if a call may not use an object: nil, closed, or of another device than d. A nil d is any.
func check[T any, P pointer[T]](d *Device, argument string, p P) error {
	if p == nil {
		return usage("", "%s is nil; must be an object", argument)
	}
	switch o := p.base(); {
	case o.dev == nil:
		return usage("", "%s is a zero value; must be made by a device", argument)
	case d != nil && o.dev != d:
		return usage("", "%s is %v of another device; must be of the same", argument, o)
	case !o.alive():
		return usage("", "%s is %v, which is closed; must be alive", argument, o)
	}
	return nil
}
