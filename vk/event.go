package vk

import "context"

// Event is a flag that commands and the host set, reset and wait for. It is a timeline of two states: odd values are
// set.
type Event struct {
	timeline
}

// NewEvent makes an event that is not set.
func (d *Device) NewEvent() (*Event, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	e := &Event{}
	d.adopt(&e.object, "event", func() { d.printer.queues.destroyed(e) })
	return e, nil
}

// IsSet reports whether the event is set.
func (e *Event) IsSet() bool { return e != nil && e.now()&1 == 1 }

// Set sets the event from the host.
func (e *Event) Set() error {
	if err := check(nil, "the event", e); err != nil {
		return err
	}
	e.change(1)
	return nil
}

// Reset resets the event from the host.
func (e *Event) Reset() error {
	if err := check(nil, "the event", e); err != nil {
		return err
	}
	e.change(0)
	return nil
}

// change makes the event set (1) or not set (0).
func (e *Event) change(state uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.value&1 != state {
		e.set(e.value + 1)
	}
}

// await waits until the event is set.
func (e *Event) await(ctx context.Context) error {
	for {
		v := e.now()
		if v&1 == 1 {
			return nil
		}
		if err := e.wait(ctx, v+1); err != nil {
			return err
		}
	}
}

// SetEvent sets an event when the commands before it are finished. The dependencies are those of a wait for it, or have its stages
// alone: only the sanitizer race reads them, and without one the event is set after all stages.
func (c *CommandBuffer) SetEvent(e *Event, dependencies ...MemoryDependency) {
	c.event(setEvent, e, dependencies)
}

// ResetEvent resets an event.
func (c *CommandBuffer) ResetEvent(e *Event) { c.event(resetEvent, e, nil) }

// WaitEvents waits until all events are set.
func (c *CommandBuffer) WaitEvents(events ...*Event) {
	if !c.mayWait() {
		return
	}
	for _, e := range events {
		c.event(waitEvents, e, nil)
	}
}

// WaitEvent waits until an event is set. The sanitizer race orders the commands before its signal and the commands after the wait by the
// dependencies; without one the wait is of all stages and accesses.
func (c *CommandBuffer) WaitEvent(e *Event, dependencies ...MemoryDependency) {
	if c.mayWait() {
		c.event(waitEvents, e, dependencies)
	}
}

// mayWait reports whether a wait for events can be recorded here.
func (c *CommandBuffer) mayWait() bool {
	return c.begin() && c.outsideTiles("VUID-vkCmdWaitEvents-None-10655")
}

// eventDependencies is an event with the dependencies of its signal or of a wait for it.
type eventDependencies struct {
	event *Event
	list  []MemoryDependency
}

// eventOf returns the event of a command, and its dependencies.
func eventOf(a any) (*Event, []MemoryDependency) {
	if d, ok := a.(*eventDependencies); ok {
		return d.event, d.list
	}
	return a.(*Event), nil
}

func (c *CommandBuffer) event(kind commandKind, e *Event, dependencies []MemoryDependency) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the event", e); err != nil {
		c.fail(err)
		return
	}
	c.refer(&e.object)
	k := command{kind: kind, a: e}
	if list := c.compared(dependencies); list != nil {
		k.a = &eventDependencies{e, list}
	}
	c.commands = append(c.commands, k)
}
