package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/ptx"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// CudaModule is a module of CUDA kernels (VkCudaModuleNV): PTX, and the memory of its variables.
type CudaModule struct {
	object
	text   string
	module *ptx.Module
	image  *ptxlower.Image
	memory *Memory // of the variables, which have device addresses; nil without variables
	heap   *Memory // of malloc; nil unless the module calls it
	locks  *Memory // of accesses of 128 bits; nil unless the module has them

	shared   *cudaLocks          // the owner of locks
	samplers map[string]*Sampler // that the module describes, by variable
}

// CudaFunction is a kernel of a module (VkCudaFunctionNV).
type CudaFunction struct {
	object
	module *CudaModule
	kernel *ptx.Function

	mu       sync.Mutex
	programs map[cudaShape]*ComputePipeline
}

// cudaShape has the parameters of a launch that its program depends on.
type cudaShape struct {
	block  [3]uint32
	shared uint32
}

// maxCudaShapes bounds the programs that a function keeps.
const maxCudaShapes = 64

// CudaLaunchInfo describes a launch of a kernel (VkCudaLaunchInfoNV).
type CudaLaunchInfo struct {
	Function    *CudaFunction
	Grid, Block [3]uint32 // blocks of the grid, threads of a block
	SharedBytes uint32    // of dynamic shared memory for each block
	Params      [][]byte  // the bytes of each argument; a pointer is the device address of a buffer
	Extras      []uint64  // reserved; must be nil
}

// cudaMagic begins the data of [CudaModule.Cache]. The length of the data follows in 8 bytes, then the PTX.
const (
	cudaMagic  = "chiaro-ptx-cache"
	cudaHeader = len(cudaMagic) + 8
)

// NewCudaModule makes a module of PTX, or of the data of [CudaModule.Cache]. The error of PTX with faults is an *InvalidModuleError
// whose cause is a *ptx.Error with all of them.
func (d *Device) NewCudaModule(data []byte) (_ *CudaModule, err error) {
	defer recovered(&err)
	if err := d.Err(); err != nil {
		return nil, err
	}
	text, err := cudaText(data)
	if err != nil {
		return nil, err
	}
	m := &CudaModule{text: text}
	var findings []*diag.Finding
	if m.module, findings = ptx.Parse(text); len(findings) == 0 {
		findings = ptx.Check(m.module)
	}
	if len(findings) > 0 {
		return nil, &InvalidModuleError{Cause: &ptx.Error{Findings: findings}}
	}
	if m.image, err = ptxlower.NewImage(m.module); err != nil {
		return nil, cudaError(err)
	}
	err = m.place(d)
	if err == nil {
		err = m.bindSamplers(d)
	}
	if err != nil {
		m.closeObjects()
		return nil, err
	}
	d.adopt(&m.object, "CUDA module", m.closeObjects)
	return m, nil
}

// closeObjects closes the memory and the samplers of the module.
func (m *CudaModule) closeObjects() {
	for _, s := range m.samplers {
		s.Close()
	}
	for _, x := range []*Memory{m.memory, m.heap} {
		if x != nil {
			x.Close()
		}
	}
	if m.locks != nil {
		m.shared.giveBack()
	}
}

// cudaLocks are the locks of accesses of 128 bits. The modules of a device share them while there are such modules.
type cudaLocks struct {
	mu     sync.Mutex
	memory *Memory
	users  int
}

// take returns the memory of the locks for one more module.
func (l *cudaLocks) take(d *Device) (*Memory, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 {
		m, err := d.Allocate(MemoryInfo{Size: ptxlower.LockBytes, DeviceAddress: true})
		if err != nil {
			return nil, err
		}
		l.memory = m
	}
	l.users++
	return l.memory, nil
}

// giveBack ends the use of the locks by a module.
func (l *cudaLocks) giveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users == 0 {
		l.memory.Close()
		l.memory = nil
	}
}

// cudaText returns the PTX of the data of a module.
func cudaText(data []byte) (string, error) {
	const rule = vuid.VkCudaModuleCreateInfoNV_dataSize_09413
	if len(data) == 0 {
		return "", usage(vuid.VkCudaModuleCreateInfoNV_dataSize_arraylength, "the data of a CUDA module has 0 bytes; must have more")
	}
	if strings.HasPrefix(string(data), cudaMagic) {
		if len(data) < cudaHeader || binary.LittleEndian.Uint64(data[len(cudaMagic):]) != uint64(len(data)) {
			return "", usage(rule, "the cache of a CUDA module has %d bytes; must have those that its header counts", len(data))
		}
		return string(data[cudaHeader:]), nil
	}
	text := strings.TrimSuffix(string(data), "\x00")
	if n := strings.IndexByte(text, 0); n >= 0 {
		return "", usage(rule, "the PTX has %d bytes, and the data %d; must be as large", n+1, len(data))
	}
	return text, nil
}

// place gives the module a heap and locks if it needs them, and its variables memory with their initial values.
func (m *CudaModule) place(d *Device) (err error) {
	if m.image.UsesHeap() {
		if m.heap, err = d.Allocate(MemoryInfo{Size: ptxlower.HeapBytes, DeviceAddress: true}); err != nil {
			return err
		}
	}
	if m.image.UsesLocks() {
		if m.locks, err = d.cudaLocks.take(d); err != nil {
			return err
		}
		m.shared = &d.cudaLocks
	}
	if len(m.image.Bytes) == 0 {
		return nil
	}
	m.memory, err = d.Allocate(MemoryInfo{Size: uint64(len(m.image.Bytes)), DeviceAddress: true})
	if err != nil {
		return err
	}
	copy(m.memory.Bytes(), m.image.Place(m.memory.address))
	return nil
}

// cudaError returns the public form of an error of the compilation of PTX.
func cudaError(err error) error {
	var missing *ptxlower.Unsupported
	var malformed *ptxlower.Malformed
	var launch *ptxlower.LaunchError
	switch {
	case errors.As(err, &missing):
		return &UnsupportedError{err.Error(), err}
	case errors.As(err, &malformed):
		return &InvalidModuleError{Cause: err}
	case errors.As(err, &launch):
		return &UsageError{Message: launch.What}
	}
	return compileError(err)
}

// Kernels returns the names of the kernels of the module.
func (m *CudaModule) Kernels() (names []string) {
	if m == nil || m.module == nil {
		return nil
	}
	for _, f := range m.module.Entries() {
		names = append(names, f.Name)
	}
	return names
}

// NewCudaFunction returns the kernel of a module with a name (vkCreateCudaFunctionNV).
func (d *Device) NewCudaFunction(m *CudaModule, name string) (*CudaFunction, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := check(d, "the CUDA module", m); err != nil {
		return nil, err
	}
	kernel := m.module.Function(name)
	if kernel == nil || !kernel.Entry || kernel.Body == nil {
		return nil, usage("", "the CUDA module has no kernel %q; has %q", name, m.Kernels())
	}
	f := &CudaFunction{module: m, kernel: kernel, programs: map[cudaShape]*ComputePipeline{}}
	if !m.acquire() {
		return nil, check(d, "the CUDA module", m)
	}
	d.adopt(&f.object, "CUDA function", func() {
		for _, p := range f.programs {
			p.pipeline.Close()
		}
		m.release()
	})
	return f, nil
}

// ParamSizes returns the size in bytes of each parameter of the kernel.
func (f *CudaFunction) ParamSizes() []int {
	if f == nil || f.kernel == nil {
		return nil
	}
	sizes := make([]int, len(f.kernel.Params))
	for i, v := range f.kernel.Params {
		sizes[i] = v.Size()
	}
	return sizes
}

// Cache returns data that NewCudaModule makes the same module of (vkGetCudaModuleCacheNV): the PTX, because the code of a kernel depends
// on the launch.
func (m *CudaModule) Cache() ([]byte, error) {
	if err := check(nil, "the CUDA module", m); err != nil {
		return nil, err
	}
	data := append([]byte(cudaMagic), make([]byte, 8)...)
	data = append(data, m.text...)
	binary.LittleEndian.PutUint64(data[len(cudaMagic):], uint64(len(data)))
	return data, nil
}

// cudaLaunch is a recorded launch.
type cudaLaunch struct {
	program *ComputePipeline
	grid    [3]uint32
	push    []byte
}

func (*cudaLaunch) flags() QueueFlags { return QueueCompute | QueueGraphics }

func (w *cudaLaunch) run(x *executor) error {
	args := compute.Args{Groups: w.grid, Push: w.push}
	if len(w.program.stage.Program.Res) > 0 {
		args.Sets = append(x.args[:0], x.handleSet())
	}
	var err error
	if args.Sets, err = x.count(args.Sets, w.program.stage); err != nil {
		return err
	}
	return x.runWorkgroups(w.program, Compute, args)
}

// CudaLaunchKernel runs a kernel (vkCmdCudaLaunchKernelNV). The first launch of a block and a size of dynamic shared memory compiles the
// kernel for them.
func (c *CommandBuffer) CudaLaunchKernel(info CudaLaunchInfo) {
	const command = "vkCmdCudaLaunchKernelNV"
	if !c.starts(command) || !c.onFamily(command, "a launch of a CUDA kernel") || !c.notSuspended(command) {
		return
	}
	if err := c.checkLaunch(&info); err != nil {
		c.fail(err)
		return
	}
	f := info.Function
	program, err := f.program(cudaShape{info.Block, info.SharedBytes})
	if err != nil {
		c.fail(err)
		return
	}
	c.refer(&f.object)
	c.refer(&f.module.object)
	for _, x := range []*Memory{f.module.memory, f.module.heap, f.module.locks} {
		if x != nil {
			c.refer(&x.object)
		}
	}
	w := take[cudaLaunch](c)
	*w = cudaLaunch{program, info.Grid, f.arguments(info.Params)}
	c.action()
	c.deferred("launch CUDA kernel", w)
}

// checkLaunch checks the rules of VkCudaLaunchInfoNV.
func (c *CommandBuffer) checkLaunch(info *CudaLaunchInfo) error {
	for i, rule := range [...]string{vuid.VkCudaLaunchInfoNV_gridDimX_09406, vuid.VkCudaLaunchInfoNV_gridDimY_09407, vuid.VkCudaLaunchInfoNV_gridDimZ_09408} {
		if most := compute.MaxGroups()[i]; info.Grid[i] > most {
			return usage(rule, "the grid has %d blocks in %c; must have at most %d", info.Grid[i], "xyz"[i], most)
		}
	}
	switch {
	case len(info.Extras) > 0:
		return usage(vuid.VkCudaLaunchInfoNV_extraCount_09411, "the launch has %d extras; must have none", len(info.Extras))
	case info.Extras != nil:
		return usage(vuid.VkCudaLaunchInfoNV_pExtras_09412, "the list of extras is given; must be nil")
	}
	if err := check(c.dev, "the CUDA function", info.Function); err != nil {
		return err
	}
	sizes := info.Function.ParamSizes()
	if len(info.Params) != len(sizes) {
		return usage(vuid.VkCudaLaunchInfoNV_paramCount_09409, "the launch has %d parameters; must have %d, those of %s", len(info.Params), len(sizes), info.Function.kernel.Name)
	}
	for i, p := range info.Params {
		if len(p) != sizes[i] {
			return usage(vuid.VkCudaLaunchInfoNV_pParams_09410, "parameter %d has %d bytes; must have %d, as that of %s", i, len(p), sizes[i], info.Function.kernel.Name)
		}
	}
	return nil
}

// program returns the kernel compiled for a shape of launches.
func (f *CudaFunction) program(shape cudaShape) (_ *ComputePipeline, err error) {
	defer recovered(&err)
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.programs[shape]; p != nil {
		return p, nil
	}
	if len(f.programs) >= maxCudaShapes {
		return nil, &UnsupportedError{Feature: "a CUDA function that is launched with more than 64 sizes of blocks and of shared memory"}
	}
	o := ptxlower.Options{Block: shape.block, SharedBytes: shape.shared, Sanitize: f.dev.lowering.Sanitize}
	if name := f.module.name.Load(); name != nil {
		o.File = *name
	}
	if m := f.module.memory; m != nil {
		o.Base = m.address
	}
	if m := f.module.heap; m != nil {
		o.Heap = m.address
	}
	if m := f.module.locks; m != nil {
		o.Locks = m.address
	}
	if f.dev.lowering.Profile {
		o.Counters = &ptxlower.Counters{}
	}
	if f.dev.debugger != nil {
		o.Symbols = &lower.KernelSymbols{}
	}
	lowered, err := ptxlower.Lower(f.module.module, f.module.image, f.kernel.Name, o)
	if err != nil {
		return nil, cudaError(err)
	}
	stage := &shader.Stage{Program: lowered, Kernel: o.Symbols}
	if o.Symbols == nil { // passes move values, and symbols have their places
		if stage, err = shader.Composed(context.Background(), lowered); err != nil {
			return nil, err
		}
	}
	if o.Counters != nil {
		f.dev.profiler.announce(stage.Program, o.Counters)
	}
	p := &ComputePipeline{stage: stage}
	if p.pipeline, err = compute.NewPipeline(stage.Program, f.dev.engine, exec.Options{}); err != nil {
		return nil, compileError(err)
	}
	f.programs[shape] = p
	return p, nil
}

// arguments returns the parameters as they lie in the memory of a kernel.
func (f *CudaFunction) arguments(params [][]byte) []byte {
	var out []byte
	for i, at := range ptxlower.ParamOffsets(f.kernel) {
		out = append(slices.Grow(out, int(at)-len(out)), make([]byte, int(at)-len(out))...)
		out = append(out, params[i]...)
	}
	return out
}
