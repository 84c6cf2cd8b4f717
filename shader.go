package chiaro

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/source"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Shader is a compute shader, ready to run on slices and pictures. Run may be called from one goroutine at a time.
type Shader struct {
	device   *vk.Device
	facts    *facts.Module
	subgroup uint32 // of Options
	entry    *iface.Entry
	layouts  []*vk.SetLayout
	layout   *vk.PipelineLayout
	pipeline *vk.ComputePipeline
}

// Options are the options of a shader. The zero Options are those of Compile.
type Options struct {
	// SubgroupSize is the number of invocations in a subgroup, a power of two up to 128; 0 is the default.
	SubgroupSize uint32

	// Specialization has the values of specialization constants, by their SpecId.
	Specialization facts.Spec

	// Sanitize are the sanitizers of the shader, and Reports receives what they find in a run, before the end of Run.
	Sanitize vk.Sanitizers
	Reports  func(vk.Report)

	// Schedule chooses the order of workgroups, subgroups and invocations; see vk.DeviceInfo.
	Schedule func(alternatives int) int

	// Budget bounds the steps of one subgroup, its calls and loop iterations: Run ends a shader that needs more with a
	// *vk.BudgetError. 0 is DefaultBudget.
	Budget uint64

	// Interpreter runs the shader with the interpreter, whose results are the same.
	Interpreter bool
}

// DefaultBudget is the budget of a shader without its own. Its loops take from a nanosecond to some hundreds for a step.
const DefaultBudget = 1 << 28

// Compile checks and compiles the first compute entry point of a SPIR-V module. The error of a shader that breaks a rule
// is a *vk.InvalidModuleError or a *vk.LinkError.
func Compile(ctx context.Context, code []byte) (*Shader, error) { return Options{}.Compile(ctx, code) }

// CompileFile is Compile of a file: a SPIR-V module, SPIR-V assembly (.spvasm), or a source in GLSL, HLSL, WGSL or Slang
// with the usual ending, such as blur.comp, for which a compiler must be on the PATH. The source may include files of its
// folder.
func CompileFile(ctx context.Context, name string) (*Shader, error) {
	return Options{}.CompileFile(ctx, name)
}

// Compile is the function Compile with options.
func (o Options) Compile(ctx context.Context, code []byte) (*Shader, error) {
	m, err := spirv.Decode(code)
	if err != nil {
		return nil, err
	}
	known := facts.Gather(m, o.Specialization)
	entries := iface.Reflect(valid.Assume(known))
	i := slices.IndexFunc(entries, func(e *iface.Entry) bool { return e.Model == spirv.ExecutionModelGLCompute })
	if i < 0 {
		return nil, errors.New("the module has no compute entry point; must have one")
	}
	info := vk.DeviceInfo{Checking: vk.Pipelines, Sanitize: o.Sanitize, Reports: o.Reports, Written: true, Schedule: o.Schedule, Budget: cmp.Or(o.Budget, DefaultBudget)}
	if o.Interpreter {
		info.Engine = interp.Engine{}
	}
	device, err := vk.Chiaro().NewDevice(info)
	if err != nil {
		return nil, err
	}
	s := &Shader{device: device, facts: known, entry: entries[i], subgroup: o.SubgroupSize}
	if err := s.build(ctx, code, &o); err != nil {
		device.Close()
		return nil, err
	}
	return s, nil
}

// CompileFile is the function CompileFile with options.
func (o Options) CompileFile(ctx context.Context, name string) (*Shader, error) {
	data, err := readShader(name)
	if err != nil {
		return nil, err
	}
	if _, _, ok := source.Of(name); ok {
		data, err = source.Compile(ctx, name, data, source.Options{})
	} else if strings.HasSuffix(name, ".spvasm") {
		data, err = assemble(name, data)
	}
	if err != nil {
		return nil, err
	}
	s, err := o.Compile(ctx, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// maxStream is the largest number of bytes of a pipe or a device, whose size is not known.
const maxStream = 64 << 20

// readShader reads a file. A device may have no end.
func readShader(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() || info.IsDir() {
		return os.ReadFile(name) // which refuses a folder
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxStream+1))
	if err == nil && len(data) > maxStream {
		err = fmt.Errorf("%s: larger than %d bytes", name, maxStream)
	}
	return data, err
}

// assemble returns the module of an assembly text for Vulkan 1.3.
func assemble(name string, text []byte) ([]byte, error) {
	version, _ := asm.Target("vulkan1.3")
	words, err := asm.Assemble(text, asm.AssembleOptions{Version: version})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return asm.Bytes(words), nil
}

// Close frees the shader.
func (s *Shader) Close() error { return s.device.Close() }

// build makes the pipeline, with a layout of exactly the resources of the shader.
func (s *Shader) build(ctx context.Context, code []byte, o *Options) (err error) {
	var sets [][]link.Binding
	for i := range s.entry.Resources {
		r := &s.entry.Resources[i]
		if !r.Used {
			continue
		}
		if r.Set >= maxSets {
			return fmt.Errorf("%s is in set %d; must be less than %d", r.Name, r.Set, maxSets)
		}
		for len(sets) <= int(r.Set) {
			sets = append(sets, nil)
		}
		b := link.Binding{Binding: r.Binding, Type: link.DescriptorType(r.Type), Count: 1, Stages: link.AllStages}
		if r.Count != 1 || r.Block == nil && !isPicture(r) && r.Type != iface.Sampler {
			return &vk.UnsupportedError{Feature: fmt.Sprintf("%s, a %s with %d descriptors, in a shader that runs on slices", r.Name, r.Type, r.Count)}
		}
		if !slices.ContainsFunc(sets[r.Set], func(o link.Binding) bool { return o.Binding == r.Binding }) {
			sets[r.Set] = append(sets[r.Set], b)
		}
	}
	for _, bindings := range sets {
		l, err := s.device.NewSetLayout(vk.SetLayoutInfo{Bindings: bindings})
		if err != nil {
			return err
		}
		s.layouts = append(s.layouts, l)
	}
	info := vk.PipelineLayoutInfo{Sets: s.layouts}
	if len(s.entry.PushConstants) > 0 {
		info.Push = []link.Range{{Size: vk.MaxPushBytes, Stages: link.AllStages}}
	}
	if s.layout, err = s.device.NewPipelineLayout(info); err != nil {
		return err
	}
	module, err := s.device.NewShaderModule(ctx, code)
	if err != nil {
		return err
	}
	defer module.Close()
	s.pipeline, err = s.device.NewComputePipeline(ctx, vk.ComputePipelineInfo{Stage: vk.StageInfo{Module: module, Entry: s.entry.Name, Specialization: o.Specialization, SubgroupSize: o.SubgroupSize}, Layout: s.layout})
	return err
}

// maxSets bounds the descriptor sets of a shader.
const maxSets = 32

// Number is a type that a buffer may have: its memory is the memory of the shader's type.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Argument is an argument of Run.
type Argument struct {
	set, binding uint32
	push         bool
	data         []byte
	image        image.Image // if isImage
	isImage      bool
}

// Buffer is the slice of a buffer at a binding of set 0: the shader reads it and writes it.
func Buffer[T Number](binding uint32, s []T) Argument { return SetBuffer(0, binding, s) }

// SetBuffer is Buffer for any set.
func SetBuffer[T Number](set, binding uint32, s []T) Argument {
	return Argument{set: set, binding: binding, data: bytesOf(s)}
}

// Push is the push constants: at most vk.MaxPushBytes bytes.
func Push[T Number](values ...T) Argument { return Argument{push: true, data: bytesOf(values)} }

// bytesOf returns the memory of a slice. Shaders run on little-endian hosts only, so that it is their memory too.
func bytesOf[T Number](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// Run runs x·y·z workgroups. The slices and pictures of the arguments have the results afterwards; a failed run may have written a
// part. It returns an error if a buffer or a picture of the shader is missing, and a *vk.LostError with the source line if the shader
// fails; then only Close may follow. If ctx ends first, it returns the error of ctx and the shader is lost.
func (s *Shader) Run(ctx context.Context, groups [3]uint32, args ...Argument) error {
	job := &run{Shader: s}
	defer job.close()
	if err := job.bind(args); err != nil {
		return err
	}
	return job.submit(ctx, groups)
}
