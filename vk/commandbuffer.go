package vk

import (
	"context"
	"time"
)

// bufferState is the state of a command buffer (Vulkan, Command Buffer Lifecycle). A pending command buffer is
// executable and in use.
type bufferState uint8

const (
	initial bufferState = iota
	recording
	executable
	invalid // a submission of a one-time buffer is done, or its recording failed
)

// CommandBuffer is a list of commands. Recording copies the arguments. A buffer that is recorded again uses its memory again:
// its commands allocate nothing, apart from vertex input states, remaps and clears of attachments, and blits and resolves of images.
type CommandBuffer struct {
	object
	secondary bool
	family    int  // of queues
	once      bool // as BeginInfo has it, and simultaneous
	state     bufferState
	err       error // of the recording
	scope     scope // of the recording

	simultaneous bool

	dropped bool  // the current command is of wrong use: drop removes it
	mark    int   // the number of commands before the current one
	before  scope // of the recording, before the dropped command

	misplaced *UsageError // the next command is of wrong use: it has a range of addresses without memory

	inherited *InheritanceInfo // of the recording; nil if nothing is
	nesting   int              // the levels of secondary buffers below a secondary one (command buffer nesting level)

	instrumentation *ShaderInstrumentation // that is active
	suspended       bool                   // the last rendering of the recording was suspended
	tile            *Memory                // that BindTileMemory has bound, or that a continued rendering has

	stamp    uint64 // number of the recording
	ended    uint64 // number of its end
	commands []command
	refs     []*object     // that the commands use, each once
	each     func(*object) // refer, made once: a method value allocates
	data     []byte        // payloads of commands
	sets     []*Set        // of bindSets
	epochs   []uint64      // of sets, as they were bound
	offsets  []uint32      // dynamic, of bindSets
	regions  []BufferCopy
	pushed   pushedSets

	subpass passScratch
	taken   map[any]taken // by type: values of commands, and idle ones of earlier recordings

	renderings     []*rendering    // of beginRendering, and idle ones of earlier recordings
	implicit       []implicitImage // of all renderings
	renderingsUsed int
}

// command is one recorded command. Its operands depend on its kind.
type command struct {
	kind commandKind
	x    [4]uint64
	a, b any // objects
}

// CommandBufferInfo describes a command buffer.
type CommandBufferInfo struct {
	Secondary bool
	Family    int // of the queues that run it
}

// NewCommandBuffer makes a command buffer.
func (d *Device) NewCommandBuffer(info CommandBufferInfo) (*CommandBuffer, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if info.Family < 0 || info.Family >= len(queueFamilies) {
		return nil, usage("VUID-vkCreateCommandPool-queueFamilyIndex-01937", "the queue family is %d; must be less than %d", info.Family, len(queueFamilies))
	}
	c := &CommandBuffer{secondary: info.Secondary, family: info.Family}
	c.each = c.refer
	d.adopt(&c.object, "command buffer", func() {
		c.dropImplicit()
		c.commands, c.refs, c.sets, c.data, c.offsets, c.regions, c.epochs, c.pushed = nil, nil, nil, nil, nil, nil, nil, pushedSets{}
		c.renderings, c.renderingsUsed, c.taken = nil, 0, nil
	})
	return c, nil
}

// BeginInfo describes a recording.
type BeginInfo struct {
	OneTime      bool // the buffer is submitted once
	Simultaneous bool // it may be submitted while it is pending, which tile shading does not permit

	Inheritance *InheritanceInfo // of a secondary command buffer; nil inherits nothing
}

// Begin starts a recording and drops an earlier one.
func (c *CommandBuffer) Begin(info BeginInfo) error {
	if err := check(nil, "the command buffer", c); err != nil {
		return err
	}
	if err := c.retire("VUID-vkBeginCommandBuffer-commandBuffer-00049"); err != nil {
		return err
	}
	if c.state == recording {
		return usage("VUID-vkBeginCommandBuffer-commandBuffer-00049", "%v is in the recording state; must not be", &c.object)
	}
	inherited, err := c.inherit(info.Inheritance)
	if err != nil {
		return err
	}
	c.clear()
	if c.inherited = inherited; inherited != nil && inherited.Continue {
		c.scope.inherited, c.tile = inherited, inherited.TileMemory
	}
	c.state, c.once, c.simultaneous, c.stamp = recording, info.OneTime, info.Simultaneous, c.dev.stamps.Add(1)
	if inherited != nil {
		inherited.refer(c.refer)
	}
	return nil
}

// clear drops the commands and keeps their memory.
func (c *CommandBuffer) clear() {
	clear(c.commands)
	clear(c.refs)
	clear(c.sets)
	c.commands, c.refs, c.sets = c.commands[:0], c.refs[:0], c.sets[:0]
	c.data, c.offsets, c.regions, c.epochs = c.data[:0], c.offsets[:0], c.regions[:0], c.epochs[:0]
	c.pushed.reset()
	c.dropImplicit()
	for _, r := range c.renderings[:c.renderingsUsed] {
		r.forget()
	}
	for _, v := range c.taken {
		v.giveBack()
	}
	c.renderingsUsed, c.instrumentation, c.suspended, c.tile = 0, nil, false, nil
	c.err, c.scope, c.nesting = nil, scope{}, 0
	c.dropped, c.before, c.misplaced = false, scope{}, nil
}

// End ends the recording. It returns the first error of a recorded command.
func (c *CommandBuffer) End() error {
	if err := check(nil, "the command buffer", c); err != nil {
		return err
	}
	if c.state != recording {
		return usage("VUID-vkEndCommandBuffer-commandBuffer-00059", "%v is not in the recording state; must be", &c.object)
	}
	c.drop()
	c.mark = len(c.commands) // errors of the whole recording are after its last command
	if c.scope.rendering != nil {
		c.invalidate(usage("VUID-vkEndCommandBuffer-commandBuffer-00060", "a rendering is active at the end of %v; must have ended", &c.object))
	}
	if c.scope.perTile { // of a secondary command buffer
		c.invalidate(usage("", "commands run for each tile at the end of %v; must not", &c.object))
	}
	c.state, c.ended = executable, c.dev.stamps.Add(1)
	if c.err == nil {
		if err := c.checkFamily(); err != nil {
			c.invalidate(err)
		}
	}
	if c.err != nil {
		c.state = invalid
	}
	return c.err
}

// Count returns the number of commands that are recorded: the index of the next one. A call may record several, or none.
func (c *CommandBuffer) Count() int {
	if c == nil {
		return 0
	}
	c.drop()
	return len(c.commands)
}

// Err returns the first error of the recording, as End does.
func (c *CommandBuffer) Err() error {
	if err := check(nil, "the command buffer", c); err != nil {
		return err
	}
	return c.err
}

// Reset drops the commands.
func (c *CommandBuffer) Reset() error {
	if err := check(nil, "the command buffer", c); err != nil {
		return err
	}
	if err := c.retire("VUID-vkResetCommandBuffer-commandBuffer-00045"); err != nil {
		return err
	}
	c.clear()
	c.state = initial
	return nil
}

// maxRetire bounds the wait of a reset: a submission may wait for a semaphore that the program signals after the reset.
const maxRetire = time.Second

// retire returns an error if the command buffer is pending. A tolerant device waits for the submissions instead, with a message: other
// drivers reset a pending command buffer, and programs depend on it.
func (c *CommandBuffer) retire(rule string) error {
	pending := func() bool { return c.object.state.Load()&counted != 0 }
	if !pending() {
		return nil
	}
	err := usage(rule, "%v is pending; must not be", &c.object)
	d := c.object.dev
	if !d.tolerant {
		return err
	}
	d.tell(err)
	ctx, cancel := context.WithTimeout(context.Background(), maxRetire)
	defer cancel()
	if d.WaitIdle(ctx); pending() {
		return err
	}
	return nil
}

// begin reports whether a command can be recorded.
func (c *CommandBuffer) begin() bool { return c.starts("") }

// starts is begin of a command with this name in Vulkan, for the rule.
func (c *CommandBuffer) starts(command string) bool {
	if c == nil || c.dev == nil {
		return false
	}
	c.drop()
	c.mark = len(c.commands)
	if c.state != recording {
		rule := ""
		if command != "" {
			rule = "VUID-" + command + "-commandBuffer-recording"
		}
		c.fail(usage(rule, "%v is not in the recording state; must be", &c.object))
	}
	if c.misplaced != nil {
		c.fail(c.misplaced)
		c.misplaced = nil
	}
	return c.err == nil && c.state == recording
}

// fail ends the current command with an error: the command buffer is invalid, or a tolerant device leaves the command out. The
// caller may go on with the command.
func (c *CommandBuffer) fail(err error) {
	if f, ok := err.(*UsageError); ok && c.dev.tolerant && c.state == recording && c.err == nil {
		if !c.dropped {
			c.dropped, c.before = true, c.scope
			c.tell(f)
		}
		return
	}
	c.invalidate(err)
}

// failed reports whether the current command, or one before it that made the command buffer invalid, failed.
func (c *CommandBuffer) failed() bool { return c.err != nil || c.dropped }

// drop removes the current command if it failed.
func (c *CommandBuffer) drop() {
	if c.dropped {
		clear(c.commands[c.mark:])
		c.commands, c.scope, c.dropped = c.commands[:c.mark], c.before, false
	}
}

// invalidate records the first error.
func (c *CommandBuffer) invalidate(err error) {
	if c.err != nil {
		return
	}
	c.err = err
	if f, ok := err.(*UsageError); ok {
		c.tell(f)
	}
}

// tell passes a finding on the current command to the messages of the device.
func (c *CommandBuffer) tell(f *UsageError) {
	if c.dev.messages != nil {
		c.dev.messages(Message{Finding: f, Buffer: c.object.String(), Index: c.mark})
	}
}

// refer lists an object as used, once a recording.
func (c *CommandBuffer) refer(o *object) {
	if o.seen.Load() == c.stamp {
		return
	}
	o.seen.Store(c.stamp)
	c.refs = append(c.refs, o)
}
