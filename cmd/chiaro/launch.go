package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/vk"
)

// launchEndings are the endings of descriptions of launches of CUDA kernels.
var launchEndings = []string{".launch.yaml", ".launch.yml"}

// isLaunch reports whether a file describes a launch, by its name.
func isLaunch(file string) bool {
	return slices.ContainsFunc(launchEndings, func(e string) bool { return strings.HasSuffix(file, e) })
}

// launchFile is a description of a launch (docs/cuda.md).
type launchFile struct {
	Module  string            `yaml:"module"` // a file of PTX, relative to the description
	Kernel  string            `yaml:"kernel"` // "" for the only kernel
	Grid    []uint32          `yaml:"grid"`
	Block   []uint32          `yaml:"block"`
	Shared  uint32            `yaml:"shared"`
	Buffers map[string]string `yaml:"buffers"` // contents, as of --buffer
	Params  []string          `yaml:"params"`  // contents: address:NAME for the address of a buffer, or a handle
	Expect  map[string]string `yaml:"expect"`  // contents of buffers afterwards

	Images   map[string]*launchImage   `yaml:"images"` // with the texels of the buffers of their names
	Samplers map[string]*launchSampler `yaml:"samplers"`
	Bind     map[string]string         `yaml:"bind"` // handles of the variables of the module that are textures, surfaces or samplers
}

// launchJob is a launch with its contents. The buffers are as of a shader without bindings.
type launchJob struct {
	shaderJob
	file        launchFile
	text        []byte
	module      string // the file of text
	grid, block [3]uint32
	expect      map[string]content
	handles     map[int]handleParam // of parameters, by number
	buffersOf   map[*content]*vk.Buffer
	info        vk.CudaLaunchInfo // of prepare
}

// readLaunch reads a description and its module.
func readLaunch(c console, file string) (*launchJob, error) {
	data, err := readUnpacked(c, file)
	if err != nil {
		return nil, err
	}
	j := &launchJob{shaderJob: shaderJob{entry: &iface.Entry{}, source: checked{file: file}}, expect: map[string]content{}, handles: map[int]handleParam{}}
	if err := describe.ReadYAML(data, file, &j.file); err != nil {
		return nil, unreadable("%v", err)
	}
	if j.file.Module == "" {
		return nil, unreadable("%s: no module; must have one", file)
	}
	module := j.file.Module
	if !filepath.IsAbs(module) {
		module = filepath.Join(filepath.Dir(file), module)
	}
	j.module = module
	if j.text, err = readUnpacked(c, module); err != nil {
		return nil, unreadable("%s: the module: %v", file, err)
	}
	if j.grid, err = dimensions(file, "grid", j.file.Grid); err == nil {
		j.block, err = dimensions(file, "block", j.file.Block)
	}
	if err != nil {
		return nil, err
	}
	return j, j.readContents(c)
}

// dimensions returns one to three sizes, 1 for those that are not there.
func dimensions(file, name string, list []uint32) (out [3]uint32, err error) {
	if len(list) > 3 {
		return out, unreadable("%s: %s has %d sizes; must have at most 3", file, name, len(list))
	}
	out = [3]uint32{1, 1, 1}
	copy(out[:], list)
	return out, nil
}

// readContents reads the contents of buffers and parameters.
func (j *launchJob) readContents(c console) error {
	for _, name := range slices.Sorted(maps.Keys(j.file.Buffers)) {
		x, err := parseContent(c, j.file.Buffers[name])
		if err != nil {
			return err
		}
		j.memory = append(j.memory, namedMemory{name, &x})
	}
	for i, text := range j.file.Params {
		if h, ok := parseHandle(text); ok {
			j.handles[i] = h
			j.pushed = append(j.pushed, pushedContent{content: &content{kind: scalarKinds["uint64"], data: make([]byte, 8)}})
			continue
		}
		x, err := parseContent(c, text)
		if err != nil {
			return err
		}
		j.pushed = append(j.pushed, pushedContent{content: &x})
	}
	for _, x := range j.users() {
		for _, a := range x.addresses {
			if j.named(a.name) == nil {
				return unreadable("%s: address:%s is of no buffer; must be of one of buffers", j.source.file, a.name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.file.Expect)) {
		if j.named(name) == nil {
			return unreadable("%s: expect has %s, which is no buffer; must be one", j.source.file, name)
		}
		x, err := parseContent(c, j.file.Expect[name])
		if err != nil {
			return err
		}
		j.expect[name] = x
	}
	return j.checkImages()
}

// runLaunch runs a kernel on the data of a description, and shows the buffers or judges them.
func runLaunch(ctx context.Context, c console, f runFlags, file string) error {
	if !slices.Contains([]string{"text", "json", "sarif"}, f.format) {
		return unreadable("--format %q with a launch; want text, json or sarif", f.format)
	}
	if f.differential || f.schedule != "" {
		return repeatLaunch(ctx, c, f, file)
	}
	j, err := readLaunch(c, file)
	if err != nil {
		return err
	}
	outs, err := j.shown(f.out)
	if err != nil {
		return err
	}
	return j.runOn(ctx, c, f, outs, func(*vk.Device) {})
}

// runOn runs the launch, calls done when it has ended, and shows buffers.
func (j *launchJob) runOn(ctx context.Context, c console, f runFlags, outs []shaderOutput, done func(*vk.Device)) error {
	var result error
	err := j.execute(ctx, f, func(d *vk.Device, cause error) {
		done(d)
		result = j.conclude(ctx, c, &f, outs, cause)
	})
	if err != nil {
		return j.failed(ctx, c, &f, err)
	}
	return result
}

// execute runs the launch, and calls done with its error when it has ended, before the device closes. It returns the error of what the
// launch needs.
func (j *launchJob) execute(ctx context.Context, f runFlags, done func(d *vk.Device, cause error)) error {
	if f.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.opts.Timeout)
		defer cancel()
	}
	d, err := j.open(ctx, &f)
	if err != nil {
		return err
	}
	defer d.device.Close()
	if err := j.resolveAddresses(d); err != nil {
		return err
	}
	if err := j.makeImages(d); err != nil {
		return err
	}
	done(d.device, j.launch(d.device))
	return nil
}

// conclude shows the log, the reports and the result of a launch.
func (j *launchJob) conclude(ctx context.Context, c console, f *runFlags, outs []shaderOutput, cause error) error {
	for _, l := range j.log {
		if f.format == "text" { // the other formats have the messages as members, or none
			plain.Fprintf(c.out, "log: %s\n", plain.Block(l, "     "))
		}
	}
	if f.format != "sarif" {
		writeReports(c.err, j.reports.List())
	}
	if cause != nil {
		return j.failed(ctx, c, f, cause)
	}
	if err := j.judge(c, f.format, outs); err != nil || len(j.reports.List()) == 0 {
		return err
	}
	return &coded{code: exitFindings}
}

// kernel returns the kernel's name in the description, or else the module's only kernel.
func (j *launchJob) kernel(kernels []string) (string, error) {
	switch name := j.file.Kernel; {
	case name != "" && !slices.Contains(kernels, name):
		return "", fmt.Errorf("the module has no kernel %q; has %q", name, kernels)
	case name != "":
		return name, nil
	case len(kernels) != 1:
		return "", fmt.Errorf("the module has the kernels %q; kernel must name one", kernels)
	}
	return kernels[0], nil
}

// prepare makes the module and the kernel, if they are not there.
func (j *launchJob) prepare(d *vk.Device) error {
	if j.info.Function != nil {
		return nil
	}
	m, err := d.NewCudaModule(j.text)
	if err != nil {
		return j.placed(err)
	}
	m.SetName(j.module)
	if err := j.bindHandles(d, m); err != nil {
		return err
	}
	name, err := j.kernel(m.Kernels())
	if err != nil {
		return err
	}
	j.info = vk.CudaLaunchInfo{Grid: j.grid, Block: j.block, SharedBytes: j.file.Shared}
	j.info.Function, err = d.NewCudaFunction(m, name)
	sizes := j.info.Function.ParamSizes()
	for i, p := range j.pushed {
		data := p.data
		if len(p.addresses) == 1 && i < len(sizes) && sizes[i] == 4 {
			data = data[:4] // a module with addresses of 32 bits takes the low half
		}
		j.info.Params = append(j.info.Params, data)
	}
	return j.placed(err)
}

// launch makes the module and the kernel, and launches it. The objects end with the device.
func (j *launchJob) launch(d *vk.Device) error {
	if err := j.prepare(d); err != nil {
		return err
	}
	c, err := d.NewCommandBuffer(vk.CommandBufferInfo{})
	if err == nil {
		err = c.Begin(vk.BeginInfo{OneTime: true})
	}
	if err != nil {
		return err
	}
	c.CudaLaunchKernel(j.info)
	if err := c.End(); err != nil {
		return j.placed(host.Cause(err))
	}
	if err := host.Run(d, c); err != nil {
		return j.placed(host.Cause(err))
	}
	return j.copyImages(d, false)
}

// shown returns the buffers that the list of --out names, or else the ones without an expectation.
func (j *launchJob) shown(list []string) (outs []shaderOutput, err error) {
	for _, o := range list {
		name, file, ok := strings.Cut(o, "=")
		if !ok || j.named(name) == nil {
			return nil, unreadable("--out %q with a launch; want BUFFER=FILE", o)
		}
		if file == "-" {
			file = ""
		}
		outs = append(outs, shaderOutput{namedMemory{name, j.named(name)}, file})
	}
	if len(list) == 0 {
		return j.unjudged(), nil
	}
	return outs, nil
}

// unjudged returns the buffers without an expectation.
func (j *launchJob) unjudged() (outs []shaderOutput) {
	for _, m := range j.memory {
		if _, ok := j.expect[m.name]; !ok {
			outs = append(outs, shaderOutput{namedMemory: m})
		}
	}
	return outs
}

// judge shows buffers, and compares all of them with their expectations.
func (j *launchJob) judge(c console, format string, outs []shaderOutput) error {
	if err := j.write(c, format, j.source.file, outs); err != nil {
		return err
	}
	if j.differs(c) {
		return &coded{code: exitFindings}
	}
	return nil
}

// differs reports whether a buffer differs from its expected value, and prints the difference to standard error.
func (j *launchJob) differs(c console) bool {
	list := j.differences()
	for _, text := range list {
		plain.Fprintf(c.err, "%s: error: %s\n", j.source.file, text)
	}
	return len(list) > 0
}

// differences describes the first wrong value of each buffer that differs from its expected value.
func (j *launchJob) differences() (list []string) {
	for _, m := range j.memory {
		if want, ok := j.expect[m.name]; ok && !bytes.Equal(m.data, want.data) {
			list = append(list, firstDifference(m.name, m.content, &want))
		}
	}
	return list
}

// firstDifference describes the first wrong value of a buffer.
func firstDifference(name string, got, want *content) string {
	if len(got.data) != len(want.data) {
		return fmt.Sprintf("%s has %d bytes; must have %d", name, len(got.data), len(want.data))
	}
	size := want.kind.size
	for i := 0; i+size <= len(want.data); i += size {
		if !bytes.Equal(got.data[i:i+size], want.data[i:i+size]) {
			return fmt.Sprintf("%s[%d] is %s; must be %s", name, i/size, want.kind.text(got.data[i:]), want.kind.text(want.data[i:]))
		}
	}
	return name + " differs"
}
