package amber

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/internal/source"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Options say how scripts run. Engine is required.
type Options struct {
	Engine   host.Engine
	Timeout  time.Duration // for one script; 0 for none but the context's
	Budget   uint64        // steps of one subgroup; 0 for host.DefaultBudget
	Workers  int           // groups of a dispatch that run at once; 0 for 1
	Lowering host.Lowering // of all shaders, as far as the script does not ask for other subgroups
	// Robustness applies to all pipelines, as far as their ROBUSTNESS does not set another.
	// StageRobustness has the stages with a robustness of their own.
	Robustness      vk.Robustness
	StageRobustness map[vk.ShaderStage]*vk.Robustness
	TargetEnv       string // environment of shaders that name none, such as "vulkan1.1" or "spv1.4"; "" for vulkan1.0
	// SpirvDir, if set, has precompiled SPIR-V in <script>/<pipeline>.<shader>.<stage>.spv;
	// <script> is the script's path below ScriptRoot. Shaders that are not there are
	// compiled.
	SpirvDir, ScriptRoot string
	Compiler             source.Options // of shaders that are not SPIR-V, but for their target
	// Modules, if not nil, has the modules of those shaders from the function Modules. No compiler starts then.
	Modules map[string][]byte
	Digest  bool // fill Result.Digests
	Way     Way  // to make pipelines

	Debugger vk.Debugger // of the dispatches; nil for none

	Schedule func(alternatives int) int // see vk.DeviceInfo; nil for the usual order
}

// Status is the outcome of a script.
type Status string

// The statuses.
const (
	Pass         Status = "pass"
	Fail         Status = "fail"        // an expectation does not hold
	NotSupported Status = "unsupported" // something is needed that Chiaro does not have
	Failed       Status = "error"       // the script is invalid
	RanOutOfTime Status = "timeout"     // the time or the budget is spent
)

// Result is the outcome of a script with its data.
type Result struct {
	Status  Status
	Message string // the reason, except for Pass
	Err     error  // the same as an error; nil for Pass
	// Log has the printed output of shaders, a line or more each, in the order of the
	// dispatches and of their invocations.
	Log []string
	// Reports has what the sanitizers of Lowering.Sanitize found, one for each instruction and fault.
	Reports []vk.Report
	// Contents has the bytes of every declared buffer and image as they were
	// when the script ended, well or not: the base level of images, tightly
	// packed.
	Contents map[string][]byte
	// Digests has the SHA-256 of each of Contents in hexadecimal, on request.
	Digests map[string]string
	// Profiles has the counters of all shaders, if Lowering.Profile is set and the script has run to an end or to an
	// expectation that does not hold.
	Profiles []vk.StageProfile
}

// Run runs a script until it ends, an expectation fails or ctx is done. It
// recovers from no panic.
func Run(ctx context.Context, s *Script, o Options) Result {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	r := &runner{script: s, options: o, entryPoints: map[entryKey]string{}, states: map[*Pipeline]map[string][]string{}, clears: map[*Pipeline]*clears{}}
	err := r.ready()
	if err == nil {
		err = r.start(ctx)
	}
	if err == nil {
		err = r.commands(ctx, s.Commands)
	}
	if r.memory == nil {
		r.memory = newMemory(s)
	}
	res := r.result(err)
	if r.machine != nil {
		if res.Status == Pass || res.Status == Fail {
			res.Profiles = r.machine.device.Profiles()
		}
		r.machine.close()
	}
	return res
}

// start makes the device with the memory of the script.
func (r *runner) start(ctx context.Context) (err error) {
	r.memory = memory{}
	if r.machine, err = newMachine(ctx, r); err != nil {
		r.memory = nil
	}
	return err
}

// runner is a script that is running.
type runner struct {
	script      *Script
	options     Options
	machine     *machine                          // nil before start
	memory      memory                            // nil before start
	entryPoints map[entryKey]string               // that were set on the way
	states      map[*Pipeline]map[string][]string // of VkScript, that were set on the way
	clears      map[*Pipeline]*clears
	log         []string
	logged      int // bytes
	reports     vk.Reported
	assembled   []assembledText
}

type entryKey struct {
	pipeline *Pipeline
	stage    Stage
}

// result sorts an error into a status.
func (r *runner) result(err error) Result {
	reports := r.reports.List()
	if err == nil && len(reports) > 0 {
		err = &SanitizerError{reports}
	}
	res := Result{Status: Pass, Err: err, Contents: r.contents(), Log: r.log, Reports: reports}
	if err != nil {
		res.Status, res.Message = statusOf(err), err.Error()
	}
	if len(reports) > 0 { // they may have caused the error
		res.Status = Fail
	}
	if r.options.Digest {
		res.Digests = map[string]string{}
		for name, data := range res.Contents {
			sum := sha256.Sum256(data)
			res.Digests[name] = hex.EncodeToString(sum[:])
		}
	}
	return res
}

// statusOf returns the status of an error.
func statusOf(err error) Status {
	var failure *Failure
	var missing *Unsupported
	var limit *vk.LimitError
	var budget *vk.BudgetError
	var reported *SanitizerError
	switch {
	case errors.As(err, &failure), errors.As(err, &reported):
		return Fail
	case errors.As(err, &missing), host.EngineLacks(err), errors.As(err, &limit):
		return NotSupported
	case errors.As(err, &budget), errors.Is(err, context.DeadlineExceeded):
		return RanOutOfTime
	}
	return Failed
}

// ready checks before the first command that Chiaro supports the needs of the script.
func (r *runner) ready() error {
	if r.options.Engine == nil {
		return errors.New("options without an engine")
	}
	for _, q := range r.script.Requirements {
		if !has(q) {
			return r.unsupported(q.At, q.Kind.String()+" "+q.Name)
		}
	}
	return r.readyCommands(r.script.Commands)
}

func (r *runner) readyCommands(cs []Command) error {
	for _, c := range cs {
		var err error
		switch c := c.(type) {
		case *Dispatch:
			err = r.readyPipeline(c.Pipeline)
		case *Repeat:
			err = r.readyCommands(c.Commands)
		case *RenderPass:
			err = r.readyCommands(c.Commands)
		case *Draw:
			err = r.readyPipeline(c.Pipeline)
		case *Trace:
			err = r.readyPipeline(c.Pipeline)
		case *Shade:
			err = r.readyPipeline(c.Pipeline)
		case *DispatchGraph:
			err = r.readyPipeline(c.Pipeline)
			for _, n := range c.Pipeline.MeshNodes {
				err = errors.Join(err, r.readyPipeline(n.Pipeline))
			}
		case *Debugger:
			err = r.unsupported(c.Position(), "DEBUG blocks")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readyPipeline checks the bindings of a pipeline.
func (r *runner) readyPipeline(p *Pipeline) error {
	if len(p.KernelArgs) > 0 {
		return r.unsupported(p.At, "arguments of OpenCL C kernels")
	}
	for _, b := range p.Bindings {
		if b.Kind == Untyped {
			return r.unsupported(b.At, "descriptors of kind "+b.Kind.String())
		}
	}
	return nil
}

// commands runs commands in order.
func (r *runner) commands(ctx context.Context, cs []Command) error {
	for _, c := range cs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.command(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// command runs one command of those that ready lets pass.
func (r *runner) command(ctx context.Context, c Command) error {
	switch c := c.(type) {
	case *Dispatch:
		return r.machine.dispatch(ctx, c)
	case *Trace:
		return r.machine.trace(ctx, c)
	case *Shade:
		return r.machine.shade(ctx, c)
	case *DispatchGraph:
		return r.machine.dispatchGraph(ctx, c)
	case *Copy:
		return r.copyBuffer(c)
	case *Repeat:
		for range c.Count {
			if err := errors.Join(ctx.Err(), r.commands(ctx, c.Commands)); err != nil {
				return err
			}
		}
	case *Write:
		r.memory.write(c)
	case *WriteReference:
		return r.machine.writeReference(c)
	case *Draw:
		return r.machine.drawAlone(ctx, c)
	case *RenderPass:
		return r.machine.renderPass(ctx, c)
	case *Clear:
		return r.machine.clear(c)
	case *SetClear:
		r.setClear(c)
	case *SetState:
		r.setState(c)
	case *SetEntryPoint:
		r.entryPoints[entryKey{c.Pipeline, c.Stage}] = c.Name
	case *ExpectValues:
		return r.check(c.At, checkValues(c, r.memory[c.Buffer]))
	case *ExpectTexels:
		return r.check(c.At, checkTexels(c, r.memory[c.Buffer]))
	case *ExpectBuffers:
		return r.check(c.At, checkBuffers(c, r.memory[c.Buffer], r.memory[c.Other]))
	}
	return nil
}

func (r *runner) copyBuffer(c *Copy) error {
	from, to := r.memory[c.From], r.memory[c.To]
	if len(from) != len(to) {
		return r.fault(CodeSize, c.At, "buffer %s has %d bytes, buffer %s %d; a copy needs the same size", c.From.Name, len(from), c.To.Name, len(to))
	}
	copy(to, from)
	return nil
}
