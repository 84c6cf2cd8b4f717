package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// shaderFlags are the flags of run for a compute shader without a script.
type shaderFlags struct {
	groups, base, indirect, entry string
	push, spec, memory            []string
}

func (s *shaderFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&s.groups, "groups", "g", "1", "for a shader: number of workgroups X[,Y[,Z]]")
	fl.StringVar(&s.base, "base", "", "for a shader: first workgroup X[,Y[,Z]]")
	fl.StringVar(&s.indirect, "indirect", "", "for a shader: BINDING[+BYTES], a buffer with the number of workgroups: three words, instead of --groups")
	fl.StringArrayVar(&s.push, "push", nil, "for a shader: bytes of the push constants, as the content of --buffer, or BANK=CONTENT; repeatable, one after the other")
	fl.StringArrayVar(&s.memory, "memory", nil, "for a shader: NAME=CONTENT, a buffer without a binding, for address:NAME; repeatable")
	fl.StringArrayVar(&s.spec, "spec", nil, "for a shader: value of a specialization constant: ID=VALUE or NAME=VALUE; repeatable")
	fl.StringVar(&s.entry, "entry", "", "for a shader: name of the entry point (default: the first compute entry point)")
}

// shaderHelp explains how run runs a shader.
const shaderHelp = `A compute shader (module, assembly or source) runs without a script:

  chiaro run saxpy.comp --groups 16 --buffer x=float:1,2,3,4 --buffer 0.1='float*4' --push float:2.5 --out 0.1=-

--buffer BINDING=CONTENT is a buffer. BINDING is SET.BINDING, a binding of set 0, or the name of the variable or of
its block. CONTENT is TYPE:VALUE,VALUE,…; TYPE*COUNT, zeros; TYPE*COUNT:VALUE,…, repeated; or TYPE@FILE, the bytes of
a file, "-" for standard input. TYPE is float, double, int, uint, or one of int8 to int64 and uint8 to uint64; without
one before @ it is uint8. address:NAME,… or address:NAME+BYTES has the device addresses of buffers.

--out BINDING=FILE writes the bytes of a buffer after the run, and --out BINDING=- writes its values to standard output.
Without --out the command shows the values of all buffers that the shader may write.

NAME.launch.yaml describes a launch of a CUDA kernel: module (a file of PTX), kernel, grid, block, shared, buffers, params and expect.
The contents of buffers and parameters have the form above. --out BUFFER=FILE has the name of a buffer.`

// isShader reports whether run treats a file as a compute shader.
func isShader(file string) bool {
	return strings.HasSuffix(file, ".spv") || strings.HasSuffix(file, ".spvasm") || isSource(file)
}

// shaderJob is a dispatch with the names of its buffers.
type shaderJob struct {
	module *spirv.Module
	source checked // its file, and its text if it is assembly
	spec   facts.Spec
	entry  *iface.Entry

	groups, base [3]uint32
	arguments    *indirectArguments // of --indirect, instead of groups; nil for none

	buffers map[vk.SetBinding]*content
	memory  []namedMemory // of --memory
	pushed  []pushedContent
	push    []byte
	banks   map[uint32][]byte // other than 0, and not empty
	log     []string          // the printed output of the shader

	reports vk.Reported // of --sanitize
}

// runShader runs a compute shader on the data of the flags.
func runShader(ctx context.Context, c console, f runFlags, file string) error {
	if !slices.Contains([]string{"text", "json", "sarif"}, f.format) {
		return unreadable("--format %q with a shader; want text, json or sarif", f.format)
	}
	job, err := readShader(ctx, c, &f, file)
	if err != nil {
		return err
	}
	outs, err := job.outputs(f.out)
	if err != nil {
		return err
	}
	logs := c
	if f.format != "text" {
		logs.out = io.Discard
	}
	if f.allowed {
		p, err := newPermission(job, &f.pipeline)
		if err != nil {
			return err
		}
		return job.run(ctx, logs, &f, func(*shaderDevice) error { return p.report(ctx, c, &f) })
	}
	if f.schedule != "" {
		return runInOrders(ctx, c, &f, job, outs)
	}
	err = job.run(ctx, logs, &f, func(*shaderDevice) error { return job.write(c, f.format, file, outs) })
	if err != nil || len(job.reports.List()) == 0 {
		return err
	}
	return &coded{code: exitFindings}
}

// readShader reads a shader and the flags of its dispatch.
func readShader(ctx context.Context, c console, f *runFlags, file string) (*shaderJob, error) {
	data, err := readModule(ctx, c, file, orElse(f.opts.TargetEnv, "vulkan1.3"), f.allowOutside)
	if err != nil {
		return nil, err
	}
	env, _ := valid.ParseEnv(orElse(f.opts.TargetEnv, "vulkan1.3"))
	job := &shaderJob{buffers: map[vk.SetBinding]*content{}, source: checked{file: file}}
	if job.module, err = decodeModule(data, file, env, &job.source); err != nil {
		return nil, reported(c, file, err)
	}
	if job.spec, job.entry, err = f.shader.find(file, job.module, f.reading); err != nil {
		return nil, err
	}
	if job.groups, err = parseGroups("--groups", f.shader.groups, 1); err != nil {
		return nil, err
	}
	if f.shader.base != "" && f.shader.indirect != "" {
		return nil, unreadable("--base with --indirect; want one of them: Vulkan has no indirect dispatch with a base")
	}
	if f.shader.base != "" {
		if job.base, err = parseGroups("--base", f.shader.base, 0); err != nil {
			return nil, err
		}
	}
	return job, job.bind(c, f)
}

// run runs the shader within --timeout, shows its messages, and calls then while its memory exists.
func (j *shaderJob) run(ctx context.Context, c console, f *runFlags, then func(*shaderDevice) error) error {
	if f.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.opts.Timeout)
		defer cancel()
	}
	device, err := j.open(ctx, f)
	if err != nil {
		return j.failed(ctx, c, f, err)
	}
	defer device.device.Close()
	if err := j.settle(device, f.shader.indirect); err != nil {
		return err
	}
	robustness := &f.opts.Robustness
	if own := f.opts.StageRobustness[vk.StageCompute]; own != nil {
		robustness = own
	}
	cause := device.dispatch(ctx, f.opts.Way, robustness)
	for _, l := range j.log {
		plain.Fprintf(c.out, "log: %s\n", plain.Block(l, "     "))
	}
	if f.format != "sarif" {
		writeReports(c.err, j.reports.List())
	}
	if cause == nil {
		return then(device)
	}
	return j.failed(ctx, c, f, cause)
}

// failed returns the end of a run with an error, which it shows unless the error follows from the end of ctx.
func (j *shaderJob) failed(ctx context.Context, c console, f *runFlags, cause error) error {
	switch {
	case errors.Is(cause, context.DeadlineExceeded), ctx.Err() == context.DeadlineExceeded:
		return &coded{exitFindings, fmt.Sprintf("%s: not done after %v, the limit of --timeout", j.source.file, f.opts.Timeout)}
	case ctx.Err() != nil:
		return &coded{exitInterrupt, "interrupted"}
	}
	var endless *vk.BudgetError
	err := reported(c, j.source.file, cause)
	if errors.As(cause, &endless) {
		return &coded{code: exitFindings}
	}
	return err
}

// find returns the entry point, with the values of specialization constants.
func (s *shaderFlags) find(file string, m *spirv.Module, reading facts.Reading) (facts.Spec, *iface.Entry, error) {
	first := func(m *facts.Module) *iface.Entry {
		for e := range iface.Entries(valid.Assume(m), reading) {
			if e.Model == spirv.ExecutionModelGLCompute && (s.entry == "" || s.entry == e.Name) {
				return e
			}
		}
		return nil
	}
	e := first(facts.Gather(m, nil))
	if e == nil {
		return nil, nil, unreadable("%s: no compute entry point %s", file, s.entry)
	}
	var specs []string
	for _, x := range s.spec {
		name, value, _ := strings.Cut(x, "=")
		_, err := strconv.ParseUint(name, 0, 32)
		known := err == nil // a number that the shader does not have is permitted, as in Vulkan
		for _, k := range e.Constants {
			if k.Name != name && strconv.FormatUint(uint64(k.SpecID), 10) != name {
				continue
			}
			if _, err := strconv.ParseInt(value, 10, 64); err == nil && k.Type.Kind == iface.Float {
				value += ".0" // the value, not its bits
			}
			x, known = fmt.Sprintf("%d=%s", k.SpecID, value), true
		}
		if !known {
			var have []string
			for _, k := range e.Constants {
				have = append(have, strings.TrimSpace(fmt.Sprintf("%d %s", k.SpecID, k.Name)))
			}
			return nil, nil, unreadable("--spec %s: the shader has no such constant; it has %s", x, orElse(strings.Join(have, ", "), "none"))
		}
		specs = append(specs, x)
	}
	values, err := specValues(specs)
	if err != nil {
		return nil, nil, err
	}
	spec, _, err := values.Fit(e)
	if err != nil {
		return nil, nil, unreadable("%s: %v", file, err)
	}
	return spec, first(facts.Gather(m, spec)), nil
}

// parseGroups reads X[,Y[,Z]] of a flag.
func parseGroups(flag, text string, absent uint32) (groups [3]uint32, err error) {
	groups = [3]uint32{absent, absent, absent}
	parts := strings.Split(text, ",")
	for i, p := range parts {
		n, err := parseUint(strings.TrimSpace(p), 32)
		if len(parts) > 3 || err != nil {
			return groups, unreadable("%s %q; want X[,Y[,Z]]", flag, text)
		}
		groups[i] = uint32(n)
	}
	return groups, nil
}

// find returns the resource that a flag names.
func (j *shaderJob) find(flag, name string) (*iface.Resource, error) {
	for i := range j.entry.Resources {
		r := &j.entry.Resources[i]
		slot := fmt.Sprintf("%d.%d", r.Set, r.Binding)
		if name == slot || r.Set == 0 && name == strconv.Itoa(int(r.Binding)) || name == r.Name || r.Block != nil && name == r.Block.Name {
			return r, nil
		}
	}
	return nil, unreadable("%s %s: the shader has no such binding; it has %s", flag, name, orElse(j.names(), "none"))
}

// names lists the resources.
func (j *shaderJob) names() string {
	var list []string
	for _, r := range j.entry.Resources {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%d.%d %s", r.Set, r.Binding, r.Name)))
	}
	return strings.Join(list, ", ")
}

// bind reads --memory, --buffer and --push. A buffer of a fixed size may be missing: it is zero.
func (j *shaderJob) bind(c console, f *runFlags) error {
	if err := j.readMemory(c, f.shader.memory); err != nil {
		return err
	}
	for _, b := range f.dump.buffers {
		name, text, ok := strings.Cut(b, "=")
		if !ok {
			return unreadable("--buffer %q with a shader; want BINDING=CONTENT", b)
		}
		r, err := j.find("--buffer", name)
		if err != nil {
			return err
		}
		x, err := parseContent(c, text)
		if err != nil {
			return err
		}
		j.buffers[vk.SetBinding{Set: r.Set, Binding: r.Binding}] = &x
	}
	if err := j.bindResources(); err != nil {
		return err
	}
	return j.readPush(c, f.shader.push)
}

// settle writes the addresses, reads the push constants, which may have some, and finds the workgroups of --indirect.
func (j *shaderJob) settle(d *shaderDevice, indirect string) error {
	if err := j.resolveAddresses(d); err != nil {
		return err
	}
	if err := j.collectPush(); err != nil {
		return err
	}
	if indirect != "" {
		return j.indirect(indirect)
	}
	return nil
}

// bindResources binds the buffers, and zeros to blocks of a fixed size without one.
func (j *shaderJob) bindResources() error {
	for i := range j.entry.Resources {
		r := &j.entry.Resources[i]
		at := vk.SetBinding{Set: r.Set, Binding: r.Binding}
		_, given := j.buffers[at]
		switch {
		case r.Block == nil && (r.Used || given):
			return unreadable("set %d binding %d %s is a %s; run without a script binds buffers only", r.Set, r.Binding, r.Name, r.Type)
		case r.Block == nil || !given && !r.Used:
			continue
		case !given && (r.Block.Unsized > 0 || r.Block.Size > maxBenchBuffer):
			return unreadable("set %d binding %d %s has no buffer; want --buffer %d.%d=CONTENT", r.Set, r.Binding, r.Name, r.Set, r.Binding)
		case !given:
			j.buffers[at] = &content{kind: scalarKinds["uint"], data: make([]byte, (r.Block.Size+3)&^3)}
		}
	}
	return nil
}

// shaderOutput is a buffer and the file that it is written to, "" for the report.
type shaderOutput struct {
	namedMemory
	file string
}

// nameOf returns the name of a resource in the report.
func nameOf(r *iface.Resource) string {
	return orElse(r.Name, fmt.Sprintf("%d.%d", r.Set, r.Binding))
}

// outputs reads --out.
func (j *shaderJob) outputs(list []string) (outs []shaderOutput, err error) {
	for _, o := range list {
		name, file, ok := strings.Cut(o, "=")
		if !ok {
			return nil, unreadable("--out %q with a shader; want BINDING=FILE", o)
		}
		x, err := j.contentOf("--out", name)
		if err != nil {
			return nil, err
		}
		if j.named(name) == nil {
			if r, err := j.find("--out", name); err == nil {
				name = nameOf(r)
			}
		}
		if file == "-" {
			file = ""
		}
		outs = append(outs, shaderOutput{namedMemory{name, x}, file})
	}
	if len(list) > 0 {
		return outs, nil
	}
	for i := range j.entry.Resources {
		r := &j.entry.Resources[i]
		if x, bound := j.buffers[vk.SetBinding{Set: r.Set, Binding: r.Binding}]; bound && r.Type == iface.StorageBuffer && !r.NonWritable {
			outs = append(outs, shaderOutput{namedMemory{nameOf(r), x}, ""})
		}
	}
	for _, m := range j.memory {
		outs = append(outs, shaderOutput{m, ""})
	}
	return outs, nil
}

// maxValues bounds the values of a buffer that text shows.
const maxValues = 1024

// write writes the buffers.
func (j *shaderJob) write(c console, format, file string, outs []shaderOutput) error {
	shown := map[string][]string{}
	for _, o := range outs {
		x := o.content
		if o.file != "" {
			if err := writeOutput(c, o.file, x.data); err != nil {
				return err
			}
			continue
		}
		name := o.name
		count := len(x.data) / x.kind.size
		values := []string{}
		for n := range count {
			if n == maxValues && format == "text" {
				values = append(values, fmt.Sprintf("… (%d values)", count))
				break
			}
			values = append(values, x.kind.text(x.data[n*x.kind.size:]))
		}
		if shown[name] = values; format == "text" {
			plain.Fprintf(c.out, "%s: %s\n", name, strings.Join(values, " "))
		}
	}
	if format == "json" {
		all := map[string]any{"file": file, "buffers": shown}
		if len(j.log) > 0 {
			all["log"] = j.log
		}
		if list := j.reports.List(); len(list) > 0 {
			all["reports"] = reportRecords(list)
		}
		return writeJSON(c.out, all)
	}
	if format == "sarif" {
		log := newSARIFLog(c.out)
		addReports(log, file, j.reports.List())
		return log.close()
	}
	return nil
}

// shaderOf returns the shader that run is given; "" if the arguments are scripts. A folder is searched for scripts.
func shaderOf(args []string) (string, error) {
	for _, a := range args {
		if info, err := os.Stat(a); isShader(a) && (err != nil || !info.IsDir()) {
			if len(args) > 1 {
				return "", unreadable("%d files; want one shader, or scripts", len(args))
			}
			return a, nil
		}
	}
	return "", nil
}
