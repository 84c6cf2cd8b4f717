package vk

import (
	"reflect"
	"sync"
)

// Object is an object of a device: a pointer to a type of this package that has Close and SetName.
type Object interface {
	Close() error
	SetName(name string)
	String() string
	base() *object
}

// PrivateDataSlot holds a number of the program for each object of the device (VkPrivateDataSlot).
type PrivateDataSlot struct {
	object
	mu   sync.Mutex
	data map[*object]uint64 // not 0
}

// slots are the private data slots of a device that are not closed.
type slots struct {
	mu  sync.Mutex
	all map[*PrivateDataSlot]struct{}
}

// NewPrivateDataSlot makes a slot with 0 for all objects.
func (d *Device) NewPrivateDataSlot() (*PrivateDataSlot, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	p := &PrivateDataSlot{data: map[*object]uint64{}}
	d.adopt(&p.object, "private data slot", func() {
		d.slots.mu.Lock()
		defer d.slots.mu.Unlock()
		delete(d.slots.all, p)
	})
	d.slots.mu.Lock()
	defer d.slots.mu.Unlock()
	if d.slots.all == nil {
		d.slots.all = map[*PrivateDataSlot]struct{}{}
	}
	d.slots.all[p] = struct{}{}
	return p, nil
}

// part returns the object of x, or an error if the slot cannot have a number for it.
func (p *PrivateDataSlot) part(x Object) (*object, error) {
	if err := check(nil, "the private data slot", p); err != nil {
		return nil, err
	}
	if x == nil || reflect.ValueOf(x).IsNil() {
		return nil, usage("", "the object is nil; must be an object")
	}
	switch o := x.base(); {
	case o.dev != p.dev:
		return nil, usage("VUID-vkSetPrivateData-objectHandle-04016", "the object is of another device than %v; must be of the same", &p.object)
	case !o.alive():
		return nil, usage("VUID-vkSetPrivateData-objectHandle-04017", "the object is %v, which is closed; must be alive", o)
	default:
		return o, nil
	}
}

// Set sets the number of an object.
func (p *PrivateDataSlot) Set(x Object, value uint64) error {
	o, err := p.part(x)
	if err != nil {
		return err
	}
	o.private.Store(true) // first: an object that is freed meanwhile is forgotten
	p.mu.Lock()
	defer p.mu.Unlock()
	if delete(p.data, o); value != 0 && o.state.Load()&closed == 0 {
		p.data[o] = value
	}
	return nil
}

// Get returns the number of an object; 0 if Set has not set one.
func (p *PrivateDataSlot) Get(x Object) uint64 {
	o, err := p.part(x)
	if err != nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data[o]
}

// forget drops the numbers of an object that is freed.
func (s *slots) forget(o *object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.all {
		p.mu.Lock()
		delete(p.data, o)
		p.mu.Unlock()
	}
}
