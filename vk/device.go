package vk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Checking is how much a device checks beyond what safety needs.
type Checking uint8

// The levels.
const (
	// None assumes valid usage, as Vulkan does. Invalid usage has an unspecified result or is an error, but never
	// crashes.
	None Checking = iota

	// Pipelines checks modules and pipelines when they are made: [InvalidModuleError], [LinkError]. A draw that needs a
	// dynamic state that no command has set loses the device.
	Pipelines

	// All also checks commands when they execute: the rules of docs/pipelines.md that need the bound objects and the state which
	// commands have set. A draw or a dispatch that breaks a rule loses the device; [DeviceInfo.Messages] receives all findings.
	All
)

// DeviceInfo describes a device.
type DeviceInfo struct {
	Checking Checking

	// Workers is the number of threads that run shaders; 0 is one for each processor.
	Workers int

	// Memory is the bound of all allocations together, in bytes; 0 is 64 GiB.
	Memory uint64

	// Queues are the queues; none is one that runs all commands.
	Queues []QueueInfo

	// Stall bounds the time for which a command runs shaders without progress: no workgroups and no part of a draw end. After it the
	// device is lost. The time that other processes take does not count. 0 is no bound.
	Stall time.Duration

	// Timeout bounds the run of one command: after it the device is lost. 0 is no bound.
	Timeout time.Duration

	// DeferFree lets Close of an object in use free it after its last use.
	DeferFree bool

	// Print receives the output of debugPrintf, one message a call, one after the other from goroutines of
	// queues. It must not wait
	// for the device or close it.
	Print func(text string)

	// MaxPrinted bounds the bytes of the output of all commands together; the last message counts the messages that
	// exceed it. 0 is a bound for each command: 4 MiB.
	MaxPrinted int

	// Sanitize are the sanitizers of all shaders, and Reports receives what they find in each command, one a call, as Print does.
	Sanitize Sanitizers
	Reports  func(Report)

	// Written says that the host writes all memory before commands read it, and waits for each command: SanitizeUninit does not
	// follow buffers and images, and SanitizeRace does not compare commands.
	Written bool

	// Messages receives the findings on commands, each with its rule: when a command is recorded, or when it runs. A command may have
	// several; the first is also the error of the recording or of the submission. It is called from the goroutines of queues and of
	// recordings, and must not wait for the device.
	Messages func(Message)

	// Tolerant leaves a recorded command of wrong use out of its command buffer: Messages has the finding. Without it, the command
	// buffer is invalid and its End returns the first error.
	Tolerant bool

	// Enabled has the features and the extensions that are enabled, by name; nil enables all of the physical device but commandBufferInheritance,
	// with which a command buffer has the state of the one before it in the queue. Draws need no states and no shader objects of the others.
	Enabled map[string]bool

	// DepthRangeUnrestricted lets depths be outside of 0 to 1 (VK_EXT_depth_range_unrestricted).
	DepthRangeUnrestricted bool

	// Until ends the work of the device, which is then lost with the error of Until as the cause; nil does not.
	Until context.Context

	// Budget bounds the steps of one subgroup: its calls and loop iterations. A command that exceeds it loses the
	// device with a [BudgetError]: an invocation must end (VUID-vkCmdDraw-None-07288). 0 is no bound. The workgroups of an
	// execution graph have the same bound; with 0, payloads that nodes send have at most 2³² workgroups.
	Budget uint64

	// Level is the instruction set of the machine code, for programs of Chiaro's module. Without Engine, the shaders run with the interpreter
	// if the processor lacks it.
	Level target.Level

	// Engine and Lowering are for programs of Chiaro's module: the engine of the shaders, nil for the best of the
	// machine, and the options of their compilation, except for the size of subgroups that a stage requires.
	Engine   exec.Engine
	Lowering lower.Options

	// Schedule, if it is not nil, chooses the order of workgroups, subgroups and invocations, where Vulkan leaves it open; docs/schedules.md
	// describes it. It returns one of so many alternatives, from 0; 0 is the usual order. The same answers have the same results. One goroutine at a
	// time calls it for a queue. The shaders run with the interpreter, one at a time.
	Schedule func(alternatives int) int

	// Debugger runs the commands with shaders, for programs of Chiaro's module. The engine is then to be one that hooks can observe.
	Debugger Debugger
}

// Debugger controls commands that run shaders; see DeviceInfo.
type Debugger interface {
	// Run calls run any number of times: each call runs the whole command, observed by a hook if it is not nil. Its error is that of
	// the command. One goroutine at a time calls it for a queue.
	Run(ctx context.Context, c DebugCommand, run func(exec.Hook) error) error
}

// DebugCommand is a command that a debugger runs.
type DebugCommand struct {
	Kind   DebugKind
	Stages []*shader.Stage
	Memory [][]byte // what the command may write besides the resources of its shaders: attachments, buffers of transform feedback

	Attachments []DebugAttachment // of a draw
	Instanced   bool              // a draw that may have an instance other than 0

	Parts []trace.Part // of a launch: the origins of the functions of its program in Stages
}

// DebugAttachment is an attachment of a draw that a debugger runs.
type DebugAttachment struct {
	Name string // color 0, …, depth, stencil
	View *texture.View
}

// DebugKind is a kind of commands.
type DebugKind uint8

// The kinds of commands that a debugger runs.
const (
	DebugDispatch DebugKind = iota
	DebugDraw
	DebugLaunch
	DebugNode // workgroups of one node of an execution graph
)

// codeCache bounds the machine code that a device keeps for equal programs, in bytes.
const codeCache = 64 << 20

// Device is a logical device.
type Device struct {
	physical  *PhysicalDevice
	env       *valid.Env
	checking  Checking
	workers   int
	timeout   time.Duration
	stall     time.Duration
	deferFree bool
	tolerant  bool
	printer   printer
	profiler  profiler
	messages  func(Message)
	budget    uint64
	lowering  lower.Options
	debugger  Debugger
	schedule  func(alternatives int) int // of dispatches; nil for the usual order

	graphs       preparedList // scratch memory of execution graphs
	indirect     indirectPipelines
	enabled      map[string]bool // features and extensions; nil for all
	libraries    atomic.Uint32   // the serial of the last ray tracing library
	replays      replayOrder     // of ray tracing pipelines
	unrestricted bool            // depths
	inherits     bool            // command buffers have the state of the one before: commandBufferInheritance
	needed       uint64          // see neededStates

	engine exec.Engine
	cache  *jit.Cache // nil if the engine is not the device's own
	queues []*Queue

	objects atomic.Int64  // that are alive
	stamps  atomic.Uint64 // numbers of recordings, of their ends and of registrations, in order

	heap         heap
	aliases      aliases
	combinations combinations
	slots        slots
	borders      borderColors
	recent       recentPieces
	cudaLocks    cudaLocks

	views    table[ImageView]
	samplers table[Sampler]

	lost      chan struct{} // closed when the device is lost
	lostOnce  sync.Once
	lostCause error       // set before lost is closed
	forget    func() bool // ends the watch of Until
	closeOnce sync.Once
}

// NewDevice makes a device.
func (p *PhysicalDevice) NewDevice(info DeviceInfo) (*Device, error) {
	if p == nil {
		return nil, usage("", "the physical device is nil; must be one")
	}
	name := fmt.Sprintf("vulkan%d.%d", p.Version>>8, p.Version&0xff)
	env, ok := valid.ParseEnv(name)
	if !ok {
		return nil, &UnsupportedError{Feature: "a device of " + name}
	}
	if p.Limits != nil {
		e := *env
		e.Device = p.Limits
		env = &e
	}
	sanitize := info.Reports != nil && (info.Sanitize|info.Lowering.Sanitize) != 0
	if info.Lowering.Sanitize |= info.Sanitize; !sanitize {
		info.Lowering.Sanitize = 0
	}
	info.Lowering.SignedRemainder = info.Enabled["maintenance8"]
	d := &Device{
		physical: p, checking: info.Checking, workers: info.Workers, timeout: info.Timeout, stall: info.Stall,
		deferFree: info.DeferFree, tolerant: info.Tolerant, printer: printer{print: info.Print, reports: info.Reports, sanitize: sanitize, interfaces: (info.Sanitize|info.Lowering.Sanitize)&SanitizeInterface != 0, most: info.MaxPrinted}, messages: info.Messages, budget: info.Budget, lowering: info.Lowering, debugger: info.Debugger, schedule: info.Schedule, enabled: maps.Clone(info.Enabled), unrestricted: info.DepthRangeUnrestricted, inherits: info.Enabled["commandBufferInheritance"], lost: make(chan struct{}),
	}
	d.setEnv(env)
	if d.budget == 0 {
		d.budget = math.MaxUint64
	}
	if d.workers <= 0 {
		d.workers = runtime.GOMAXPROCS(0)
	}
	d.heap.limit, d.heap.structures.heap = info.Memory, &d.heap
	if d.heap.limit == 0 {
		d.heap.limit = 64 << 30
	}
	if sanitize && !info.Written {
		d.lowering.FollowMemory = d.lowering.Sanitize&(SanitizeUninit|SanitizeRace) != 0
		if d.lowering.Sanitize&SanitizeRace != 0 {
			d.printer.queues = &queueOrders{}
		}
		if d.lowering.Sanitize&SanitizeUninit != 0 {
			d.heap.defined = newDefinedness()
		}
	}
	if info.Schedule != nil {
		info.Engine, d.workers = interp.Engine{}, 1 // one goroutine calls it
	}
	if d.engine = info.Engine; d.engine == nil {
		d.cache = jit.NewCache(codeCache, nil, "")
		d.engine = engine.Best(info.Level, d.cache)
	}
	if err := d.makeQueues(info.Queues); err != nil {
		if d.cache != nil {
			d.cache.Close()
		}
		return nil, err
	}
	d.forget = func() bool { return true }
	if until := info.Until; until != nil {
		if d.forget = context.AfterFunc(until, func() { d.end(until.Err()) }); until.Err() != nil {
			d.end(until.Err()) // before the first command
		}
	}
	return d, nil
}

// setEnv sets the environment of modules and draws.
func (d *Device) setEnv(e *valid.Env) {
	d.env = e
	d.needed = d.neededStates()
}

// Physical returns the physical device; nil if the device is nil.
func (d *Device) Physical() *PhysicalDevice {
	if d == nil {
		return nil
	}
	return d.physical
}

// Objects returns the number of objects that are not closed.
func (d *Device) Objects() int {
	if d == nil {
		return 0
	}
	return int(d.objects.Load())
}

// Close ends the work of the device, waits until it has ended, and frees all of its memory. Objects of the device must
// not be used afterwards.
func (d *Device) Close() error {
	if d == nil || d.lost == nil { // a zero value
		return nil
	}
	d.closeOnce.Do(func() {
		d.forget()
		d.lose(&LostError{Command: "close", Index: -1, Cause: errors.New("the device is closed")})
		for _, q := range d.queues {
			q.stop()
		}
		d.heap.freeAll()
		if d.cache != nil {
			d.cache.Close()
		}
	})
	return nil
}

// WaitIdle waits until all queues have no work. It returns an error that wraps ErrDeviceLost if the device is lost, and
// the error of ctx.
func (d *Device) WaitIdle(ctx context.Context) error {
	if d == nil || d.lost == nil {
		return d.Err()
	}
	for _, q := range d.queues {
		if err := q.WaitIdle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// end ends the commands that run: the loss then has the place of one of them. Without work the device is lost at once.
func (d *Device) end(cause error) {
	idle := true
	for _, q := range d.queues {
		q.mu.Lock() // Submit appends nothing meanwhile
		defer q.mu.Unlock()
		q.ctx.Cancel(cause)
		idle = idle && q.finished.now() == q.submitted
	}
	if idle {
		d.lose(&LostError{Command: "end of the device", Index: -1, Cause: cause})
	}
}

// lose makes the device lost.
func (d *Device) lose(cause error) {
	d.lostOnce.Do(func() {
		d.lostCause = cause
		close(d.lost)
		for _, q := range d.queues {
			q.ctx.Cancel(cause)
		}
	})
}

// Err returns nil, or the reason for which the device is lost.
func (d *Device) Err() error {
	if d == nil || d.lost == nil {
		return usage("", "the device is nil or a zero value; must be made by a physical device")
	}
	select {
	case <-d.lost:
		return d.lostCause
	default:
		return nil
	}
}

// ready returns an error if the device cannot compile with ctx.
func (d *Device) ready(ctx context.Context) error {
	if ctx == nil {
		return errNoContext
	}
	return d.Err()
}
