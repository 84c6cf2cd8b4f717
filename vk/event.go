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
	d.adopt(&e.object, "event", nil)
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

// SetEvent sets an event when the commands before it are finished.
func (c *CommandBuffer) SetEvent(e *Event) { c.event(setEvent, e) }

// ResetEvent resets an event.
func (c *CommandBuffer) ResetEvent(e *Event) { c.event(resetEvent, e) }

// WaitEvents waits until all events are set.
func (c *CommandBuffer) WaitEvents(events ...*Event) {
	if c.begin() && !c.outsideTiles("VUID-vkCmdWaitEvents-None-10655") {
		return
	}
	for _, e := range events {
		c.event(waitEvents, e)
	}
}

func (c *CommandBuffer) event(kind commandKind, e *Event) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the event", e); err != nil {
		c.fail(err)
		return
	}
	c.refer(&e.object)
	c.commands = append(c.commands, command{kind: kind, a: e})
}
