package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/debug"
	"github.com/chiaro-gpu/chiaro/internal/debug/adapter"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/profile"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
)

func newDebug(c console) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "debug [FILE] [-- FLAG...]",
		Short: "Debug the shaders of dispatches, draws and launches of rays with a client of the Debug Adapter Protocol",
		Long: `Speak the Debug Adapter Protocol on standard input and output, or with --listen to one client after the other on TCP. The client's
launch request names a compute shader, a script or a launch of a CUDA kernel (program), and the flags with which chiaro run would run it (args); FILE and the
flags after -- are their defaults. Further arguments of launch: stopOnEntry, workgroup and invocation (the thread in focus at first),
dispatch, draw and launch (how many of them run before the debugger stops), and stage, pixel, primitive, sample, vertex, instance and
launchId (which invocations of draws and launches of rays stop).

A kernel stops at lines of its PTX, or of the sources that its .loc directives name.

Threads are the invocations of the subgroup that runs. The shader stops at lines and instructions, when data change, and with
--sanitize at instructions with an undefined result; it goes on forward and backward. docs/debugging.md has configurations of editors.`,
		Example: "  chiaro debug saxpy.comp -- --groups 16 --buffer x=float:1,2,3,4 --buffer 0.1='float*4'\n  chiaro debug --listen 127.0.0.1:4711",
		RunE: func(cmd *cobra.Command, args []string) error {
			return limited(0, func(ctx context.Context) error {
				d := debugger{console: c}
				if n := cmd.ArgsLenAtDash(); n >= 0 {
					args, d.flags = args[:n], args[n:]
				}
				switch len(args) {
				case 0:
				case 1:
					d.file = args[0]
				default:
					return unreadable("%d files; want one shader or script; flags of its run are after --", len(args))
				}
				if listen != "" {
					return d.listen(ctx, listen)
				}
				return d.serve(ctx, c.in, c.out)
			})
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address of TCP to wait for clients, such as 127.0.0.1:4711; port 0 is any free one")
	return cmd
}

// debugger starts debugged runs.
type debugger struct {
	console
	file  string   // of the command line
	flags []string // likewise
}

func (d *debugger) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	err := adapter.Serve(ctx, in, out, d.start)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &coded{exitInterrupt, "interrupted"}
	}
	return unreadable("the client: %v", err)
}

// listen serves clients on TCP until ctx ends. A client that sends nonsense ends its own session alone.
func (d *debugger) listen(ctx context.Context, address string) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return unreadable("--listen: %v", err)
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	plain.Fprintf(d.err, "chiaro: waiting for a debug client on %s\n", l.Addr().String())
	for {
		client, err := l.Accept()
		if err != nil {
			return &coded{exitInterrupt, "interrupted"}
		}
		closing := context.AfterFunc(ctx, func() { client.Close() })
		if err := d.serve(ctx, client, client); err != nil && ctx.Err() == nil {
			plain.Fprintf(d.err, "chiaro: %s\n", plain.Block(err.Error(), ""))
		}
		closing()
		client.Close()
	}
}

// start reads the file of a launch request.
func (d *debugger) start(ctx context.Context, l adapter.Launch, output func(string)) (*adapter.Target, error) {
	file, args := orElse(l.Program, d.file), l.Args
	if file == "" {
		return nil, errors.New("no shader; want program in the launch request, or a file in the command line")
	}
	if args == nil {
		args = d.flags
	}
	var f runFlags
	cmd := &cobra.Command{}
	f.add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return nil, err
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		return nil, fmt.Errorf("%q in args; want flags", rest[0])
	}
	f.through = throughNames[amber.Whole]
	c := d.console
	c.in, c.out = strings.NewReader(""), writerFunc(output)
	if err := f.checkHooked(c); err != nil {
		return nil, err
	}
	f.opts.Workers, f.jobs = 1, 1
	x := &profiled{file: file, sources: map[profile.Place]string{}}
	switch {
	case isPTX(file):
		return nil, onlyPTX(file)
	case isShader(file):
		return x.debugShader(ctx, c, f)
	case isLaunch(file):
		if err := cmp.Or(f.refuse(shaderOnly, "a launch", "a compute shader"), f.refuse(scriptOnly, "a launch", "a script")); err != nil {
			return nil, err
		}
		return debugLaunch(c, f, file)
	}
	if err := f.refuse(observedOnly, "a script", "a compute shader"); err != nil {
		return nil, err
	}
	return x.debugScript(c, f)
}

// observedOnly is the flags of debug and profile that have a meaning only for a compute shader.
var observedOnly = append([]string{"buffer"}, shaderOnly...)

// add adds the flags of a run that debug and profile have.
func (f *runFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	f.given = fl.Changed
	fl.StringVar(&f.opts.TargetEnv, "target-env", "", "target environment of shaders without one, such as vulkan1.1")
	addReading(cmd, &f.reading)
	outsideFlag(fl, &f.allowOutside)
	fl.StringArrayVarP(&f.dump.buffers, "buffer", "b", nil, "for a shader: BINDING=CONTENT, a buffer; repeatable")
	f.pipeline.add(cmd)
	f.shader.add(cmd)
}

// writerFunc is a writer that hands texts to a function.
type writerFunc func(text string)

func (f writerFunc) Write(b []byte) (int, error) {
	f(string(b))
	return len(b), nil
}

// debugShader returns the run of a compute shader.
func (x *profiled) debugShader(ctx context.Context, c console, f runFlags) (*adapter.Target, error) {
	job, err := readShader(ctx, c, &f, x.file)
	if err != nil {
		return nil, err
	}
	outs, err := job.outputs(nil)
	if err != nil {
		return nil, err
	}
	t := x.target(job.source)
	t.Resolve = linesOf(t.Locate(&shader.Stage{Facts: facts.Gather(job.module, nil)}), job.module)
	t.Run = func(ctx context.Context, s *debug.Session) error {
		f.opts.Debugger = s
		err := job.run(ctx, c, &f, func(*shaderDevice) error { return job.write(c, "text", x.file, outs) })
		if s.Ended() {
			return nil
		}
		return err
	}
	return t, nil
}

// debugScript returns the run of a script.
func (x *profiled) debugScript(c console, f runFlags) (*adapter.Target, error) {
	script, err := loadScript(c, x.file, f.allowOutside)
	if err != nil {
		return nil, errors.New(located(x.file, err))
	}
	x.from = script
	t := x.target(checked{file: x.file})
	t.Resolve = func(at debug.Location) (debug.Location, bool) { return at, debug.SameFile(at.File, x.file) }
	t.Run = func(ctx context.Context, s *debug.Session) error {
		f.opts.Debugger = s
		r := amber.Run(ctx, script, f.opts)
		for _, l := range r.Log {
			plain.Fprintf(c.out, "log: %s\n", plain.Block(l, "     "))
		}
		plain.Fprintf(c.out, "%s %s\n", string(r.Status), plain.Block(r.Message, "     "))
		if r.Status != amber.Pass && !s.Ended() {
			return errors.New(located(x.file, r.Err))
		}
		return nil
	}
	return t, nil
}

// linesOf returns the function that finds the lines of breakpoints in a module: the first line from the given one on.
func linesOf(locate func(int) debug.Location, m *spirv.Module) func(debug.Location) (debug.Location, bool) {
	var lines []debug.Location
	inside := false
	for i, in := range m.All() {
		switch in.Op() {
		case spirv.OpFunction:
			inside = true
			continue
		case spirv.OpFunctionEnd:
			inside = false
		}
		if l := locate(i); inside && l.Line > 0 && (len(lines) == 0 || lines[len(lines)-1] != l) {
			lines = append(lines, l)
		}
	}
	return func(at debug.Location) (best debug.Location, ok bool) {
		for _, l := range lines {
			if l.Line >= at.Line && debug.SameFile(l.File, at.File) && (!ok || l.Line < best.Line) {
				best, ok = l, true
			}
		}
		return best, ok
	}
}

// target returns a target with the places of the instructions of a module.
func (x *profiled) target(module checked) *adapter.Target {
	places := map[*shader.Stage]*placer{}
	of := func(s *shader.Stage) *placer {
		if places[s] == nil {
			m := module
			m.facts = s.Facts
			if m.text != "" && len(m.starts) < s.Facts.Code.Len() {
				m.text, m.starts = "", nil
			}
			if x.from != nil && len(s.Facts.EntryPoints) > 0 {
				m.file = x.assembly(s.Facts.EntryPoints[0].Model.String())
			}
			places[s] = &placer{profiled: x, module: &m, viewer: newViewer(&m), lines: map[profile.Place]profile.Place{}}
		}
		return places[s]
	}
	return &adapter.Target{
		Locate: func(s *shader.Stage) func(int) debug.Location {
			p := of(s)
			return func(i int) debug.Location {
				at := p.of(i)
				return debug.Location{File: at.File, Line: at.Line}
			}
		},
		Text: func(s *shader.Stage, i int) string { return of(s).viewer.text(instructionPos(i)) },
	}
}
