package ptxlower

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// WarpSize is the number of threads of a warp (WARP_SZ).
const WarpSize = 32

// Limits of a launch and of a program.
const (
	MaxThreads     = 1024     // of a block
	MaxSharedBytes = 48 << 10 // of a block, static and dynamic
	MaxParamBytes  = 4096     // of all parameters of a kernel
	maxLocalBytes  = 512 << 10
	maxRegisters   = 1 << 16 // of one function
	maxFunctions   = 1 << 10 // reachable from a kernel
	maxOperations  = 1 << 20 // of a program as it is lowered
	maxNesting     = 1 << 12 // of the blocks of a function, one in another
)

// Options are the parameters of a launch that the program depends on.
type Options struct {
	Block       [3]uint32            // threads of a block
	File        string               // the name of the module in reports, "PTX" if it has none
	SharedBytes uint32               // of dynamic shared memory
	Base        uint64               // the device address of the module's image
	Sanitize    ir.Sanitizers        // all but SanitizeInterface have checks
	Counters    *Counters            // if it is not nil, the program counts its executions, and Lower sets the layout
	Symbols     *lower.KernelSymbols // if it is not nil, Lower sets it
	Heap        uint64               // the device address of HeapBytes bytes for malloc, which are 0 at first; 0 without a heap
	Locks       uint64               // the device address of LockBytes bytes for accesses of 128 bits, which are 0 at first; 0 if the module has none

	inlined int // the greatest number of instructions of a kernel with functions in place of their calls; 0 is maxInlined
}

// Unsupported is the error of PTX that is valid but not built: it names the instruction.
type Unsupported struct {
	Pos  ptx.Position
	What string
}

// Error returns the position and the missing feature.
func (e *Unsupported) Error() string { return fmt.Sprintf("%v: %s is not supported", e.Pos, e.What) }

// Malformed is the error of PTX that is not valid.
type Malformed struct {
	Pos  ptx.Position
	What string
}

// Error returns the position and the fault.
func (e *Malformed) Error() string { return fmt.Sprintf("%v: %s", e.Pos, e.What) }

// LaunchError is the error of a launch that the kernel or the device forbids: its block, or its shared memory.
type LaunchError struct{ What string }

// Error returns the fault.
func (e *LaunchError) Error() string { return e.What }

func launchError(format string, args ...any) error { return &LaunchError{fmt.Sprintf(format, args...)} }

// fault is a panic that Lower converts to an error.
type fault struct{ error }

func unsupported(at ptx.Position, format string, args ...any) {
	panic(fault{&Unsupported{at, fmt.Sprintf(format, args...)}})
}

func malformed(at ptx.Position, format string, args ...any) {
	panic(fault{&Malformed{at, fmt.Sprintf(format, args...)}})
}

// unit is the state of one program.
type unit struct {
	module *ptx.Module
	image  *Image
	o      Options
	prog   *ir.Program
	entry  *ptx.Function

	reached []*ptx.Function // the kernel and the functions that it may call
	named   map[string]bool // the names in the operands of reached
	funcs   map[string]*function
	list    []*function               // by number in the program
	frames  map[*ptx.Variable]*symbol // parameters and results of device functions
	order   []*symbol                 // of frames, in the order of the text
	params  map[string]*symbol        // of the kernel
	shared  map[string]uint32         // offsets of shared variables
	fixed   map[string]uint32         // offsets of the .local variables of the module, which are at fixed addresses
	inputs  map[ir.Input]uint64

	registers []*ptx.Variable   // of the module, before version 3.0: each thread has one of each
	common    map[string]uint64 // their variables, if there are several functions

	textures        ir.TextureList
	sharedEnd       uint32 // of the variables and the dynamic shared memory
	systemEnd       uint32 // of the words after them, which no access of the kernel reaches: those of barriers
	local           uint64
	localBytes      uint32
	clock           uint64 // 1 + the variable that counts the readings of the clock
	cvtaParam       uint8  // of genericParams: 1 no, 2 yes
	shadowLocal     uint64 // 1 + the variable of the shadow of local memory
	counterResource uint64 // 1 + the number of the buffer of the counters
	constantTable   uint64 // 1 + the number of the table of the constants
	traced          map[tracedAt]uint64
	observing       map[string]bool // the functions of observesIn
	reduction       uint32          // the offset of the word of bar.red in shared memory
	yields          bool            // the kernel waits for some threads of the block (namedbarrier.go)
	someThreads     bool            // it has a barrier with a number of threads
	mixture                         // of its barriers
	owners          owners          // of variables in the kernel
	arrives         bool            // it has bar.arrive
	arriving        []uint32        // the numbers of its barriers (endings.go)
	arrivals        uint64          // variable: their phases
	gone            uint64          // 1 + the variable that says whether the thread has counted as ended; 0 without one
	waits           uint32          // the offset of the words of its barriers in shared memory
	stack           stack           // of alloca
	idle, seen      uint64          // variables: waits without progress, and the progress at the last one
}

// Lower returns the program of a kernel.
func Lower(m *ptx.Module, image *Image, name string, o Options) (p *ir.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			err = f.error
		}
	}()
	entry := image.functions[name]
	if entry == nil || !entry.Entry || entry.Body == nil {
		return nil, fmt.Errorf("the module has no kernel %q; it has %s", name, kernels(m))
	}
	if err := checkBlock(entry, o.Block); err != nil {
		return nil, err
	}
	u := analyzed(m, image, entry, o, mixture{}, nil)
	mix := u.mixesBarriers()
	if with, owners := u.inlineSpins(mix); with != nil || mix.split {
		if with == nil {
			with = entry
		}
		u = analyzed(m, image, with, o, mix, owners)
	}
	u.mixture = mix
	u.lowerAll()
	u.prog.SharedBytes = u.systemEnd
	if u.following() && u.sharedEnd > 0 {
		u.prog.SharedBytes += u.sharedShadow()
	}
	u.prog.Vars[u.local].Slots = (u.localBytes + 3) / 4
	if u.shadowLocal > 0 {
		u.prog.Vars[u.shadowLocal-1].Slots = (u.localBytes + 3) / 4
	}
	if o.Symbols != nil {
		u.describe(o.Symbols)
	}
	u.prog.StateEffects()
	u.setSubgroup()
	lower.Canonicalize(u.prog)
	if err := u.prog.Verify(); err != nil {
		return nil, err
	}
	return u.prog, nil
}

// analyzed returns the analysis of a kernel and the functions that it may call: the places of all parameters are known then.
func analyzed(m *ptx.Module, image *Image, entry *ptx.Function, o Options, mix mixture, vars owners) *unit {
	u := &unit{
		module: m, image: image, o: o, entry: entry, mixture: mix, owners: vars, named: map[string]bool{}, funcs: map[string]*function{}, frames: map[*ptx.Variable]*symbol{},
		params: map[string]*symbol{}, shared: map[string]uint32{}, fixed: map[string]uint32{}, inputs: map[ir.Input]uint64{}, common: map[string]uint64{},
		prog: &ir.Program{Name: entry.Name, Stage: ir.Compute, SubgroupSize: WarpSize, LocalSize: o.Block},
	}
	u.local = u.variable("local memory", 0)
	u.reach()
	u.layoutParams()
	u.layoutShared()
	u.layoutFixed()
	if len(u.reached) > maxFunctions {
		unsupported(u.entry.Pos, "a kernel with more than %d functions", maxFunctions)
	}
	for i, f := range u.reached {
		x := &function{unit: u, f: f, number: i}
		u.funcs[f.Name] = x
		u.list = append(u.list, x)
	}
	for _, f := range u.list {
		f.analyze()
	}
	u.findCycles()
	return u
}

// kernels lists the kernels of a module for a message.
func kernels(m *ptx.Module) string {
	text := ""
	for _, f := range m.Entries() {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%q", f.Name)
	}
	if text == "" {
		return "none"
	}
	return text
}

// checkBlock checks the size of a block against the limits and the performance-tuning directives of the kernel.
func checkBlock(f *ptx.Function, block [3]uint32) error {
	threads := uint64(1)
	for i, n := range block {
		if most := [3]uint32{1024, 1024, 64}[i]; n < 1 || n > most {
			return launchError("the block has %d threads in %c; must have 1 to %d", n, "xyz"[i], most)
		}
		threads *= uint64(n)
	}
	if threads > MaxThreads {
		return launchError("the block has %d threads; must have at most %d", threads, MaxThreads)
	}
	for _, d := range f.Attrs {
		n := dimensions(d)
		most := uint64(n[0]) * uint64(n[1]) * uint64(n[2])
		switch {
		case d.Name == ".reqntid" && block != n:
			return launchError("the block is %d; must be %d, the .reqntid of the kernel", block, n)
		case d.Name == ".reqnctapercluster" && most != 1:
			return launchError("the kernel requires clusters of %d blocks; must require 1, because a launch has no clusters", most)
		case d.Name == ".maxntid" && threads > most:
			return launchError("the block has %d threads; must have at most %d, the .maxntid of the kernel", threads, most)
		}
	}
	return nil
}

// SampleBlock returns a block that a kernel may be launched with: that of .reqntid, else one warp, or as many threads as a constant number of
// a barrier in the module names, within .maxntid.
func SampleBlock(m *ptx.Module, f *ptx.Function) [3]uint32 {
	threads, most := uint64(WarpSize), uint64(MaxThreads)
	for _, d := range f.Attrs {
		n := dimensions(d)
		switch d.Name {
		case ".reqntid":
			return n
		case ".maxntid":
			most = min(most, max(uint64(n[0])*uint64(n[1])*uint64(n[2]), 1))
		}
	}
	count := func(i *ptx.Instr) {
		if i.Op != "bar" && i.Op != "barrier" || len(i.Operands) < 2 {
			return
		}
		for _, o := range i.Operands[1:] { // .red has a result before the barrier
			if o.Kind == ptx.Immediate && o.Expr.Op == "int" && o.Expr.Bits <= MaxThreads {
				threads = max(threads, o.Expr.Bits)
			}
		}
	}
	for _, x := range m.Items {
		if g, ok := x.(*ptx.Function); ok && (g == f || !g.Entry) {
			forInstrs(g.Body, count)
		}
	}
	return [3]uint32{uint32(min(threads, most)), 1, 1}
}

// dimensions returns the one to three numbers of a directive such as .reqntid.
func dimensions(d *ptx.Directive) [3]uint32 {
	n := [3]uint32{1, 1, 1}
	for i, w := range d.Words[:min(len(d.Words), 3)] {
		v, _ := strconv.ParseUint(w, 0, 32) // the parser has read a number
		n[i] = uint32(v)
	}
	return n
}

// lowerAll makes the code of the kernel and the functions that it may call.
func (u *unit) lowerAll() {
	if !u.yields && (u.split || u.mixed && u.o.Sanitize&ir.SanitizeUniform == 0) { // the sanitizer reports them
		u.placeWaits()
	}
	u.findSpins()
	u.findArriving()
	u.markEndings()
	for _, f := range u.list {
		f.place()
	}
	u.placeStack()
	for _, f := range u.list {
		u.prog.Funcs = append(u.prog.Funcs, f.lower())
	}
	u.textures.Append(u.prog)
	u.freezeTextures()
	u.checkRecursion()
}

// checkRecursion refuses a cycle of calls, by a depth-first search.
func (u *unit) checkRecursion() {
	state := make([]uint8, len(u.prog.Funcs)) // 1: on the path, 2: done
	var visit func(n int)
	visit = func(n int) {
		state[n] = 1
		f := u.prog.Funcs[n]
		for _, v := range f.Code {
			if f.Val(v).Op != ir.Call {
				continue
			}
			switch c := f.Callee(v); state[c] {
			case 0:
				visit(c)
			case 1:
				unsupported(u.list[c].f.Pos, "the recursion of %s", u.list[c].f.Name)
			}
		}
		state[n] = 2
	}
	visit(0)
}

// variable adds a variable of the lane's private memory, for all functions.
func (u *unit) variable(name string, slots uint32) uint64 {
	u.prog.Vars = append(u.prog.Vars, ir.Var{Name: name, Slots: slots, Func: -1})
	return uint64(len(u.prog.Vars) - 1)
}

// input returns the number of an input.
func (u *unit) input(s ir.Semantic) uint64 {
	in := ir.Input{Semantic: s, Type: ir.I32}
	n, ok := u.inputs[in]
	if !ok {
		n = uint64(len(u.prog.In))
		u.prog.In = append(u.prog.In, in)
		u.inputs[in] = n
	}
	return n
}

// reserve returns the offset of bytes of local memory.
func (u *unit) reserve(at ptx.Position, size, align int) uint32 {
	off := alignUp(uint64(u.localBytes), align)
	if end := off + uint64(size); end > maxLocalBytes {
		unsupported(at, "a kernel with more than %d bytes of local memory", maxLocalBytes)
	} else {
		u.localBytes = uint32(end)
	}
	return uint32(off)
}

func alignUp(x uint64, align int) uint64 {
	a := uint64(max(align, 1))
	return (x + a - 1) &^ (a - 1)
}

// layoutParams places the parameters of the kernel in the push constants.
func (u *unit) layoutParams() {
	for i, at := range ParamOffsets(u.entry) {
		v := u.entry.Params[i]
		u.params[v.Name] = &symbol{decl: v, space: inParam, offset: at}
		u.prog.PushBytes = at + uint32(v.Size())
	}
	if u.prog.PushBytes > MaxParamBytes {
		unsupported(u.entry.Pos, "a kernel with %d bytes of parameters, more than %d,", u.prog.PushBytes, MaxParamBytes)
	}
}

// ParamOffsets returns the offset in bytes of each parameter of a kernel.
func ParamOffsets(f *ptx.Function) []uint32 {
	list := make([]uint32, len(f.Params))
	end := uint64(0)
	for i, v := range f.Params {
		at := alignUp(end, v.Alignment())
		list[i] = uint32(min(at, 1<<31))
		end = at + uint64(v.Size())
	}
	return list
}

// layoutShared places the shared variables of the module. Those of functions follow as they are met; the arrays without a size share
// the dynamic memory, which follows them all.
func (u *unit) layoutShared() {
	for _, x := range u.module.Items {
		if v, ok := x.(*ptx.Variable); ok && v.Space == ".shared" && !dynamic(v) && u.named[v.Name] {
			u.shared[v.Name] = u.placeShared(v)
		}
	}
	for _, f := range u.reached {
		forVariables(f.Body, func(v *ptx.Variable) {
			if v.Space != ".shared" || dynamic(v) {
				return
			}
			name := sharedName(u.owner(f, v), v)
			if _, placed := u.shared[name]; !placed {
				u.shared[name] = u.placeShared(v)
			}
		})
	}
	start := u.sharedEnd
	for _, x := range u.module.Items {
		if v, ok := x.(*ptx.Variable); ok && v.Space == ".shared" && dynamic(v) {
			u.shared[v.Name] = uint32(alignUp(uint64(start), max(v.Alignment(), 16)))
			u.sharedEnd = max(u.sharedEnd, u.shared[v.Name])
		}
	}
	if uint64(u.sharedEnd)+uint64(u.o.SharedBytes) > MaxSharedBytes {
		panic(fault{launchError("the kernel has %d bytes of shared memory and the launch %d; must have at most %d", u.sharedEnd, u.o.SharedBytes, MaxSharedBytes)})
	}
	u.sharedEnd += u.o.SharedBytes
	u.systemEnd = u.sharedEnd
	u.reserveReduction()
	u.reserveWaits()
}

// layoutFixed places the .local variables of the module, and lists its registers (before version 3.0).
func (u *unit) layoutFixed() {
	for _, x := range u.module.Items {
		v, ok := x.(*ptx.Variable)
		switch {
		case !ok:
		case v.Space == ".local" && u.named[v.Name]:
			u.fixed[v.Name] = u.reserve(v.Pos, v.Size(), max(v.Alignment(), 4))
		case v.Space == ".reg":
			u.registers = append(u.registers, v)
		}
	}
}

// sharedName is the name of a shared variable of a function.
func sharedName(f *ptx.Function, v *ptx.Variable) string { return f.Name + "\x00" + v.Name }

// reserveReduction reserves the word of bar.red.
func (u *unit) reserveReduction() {
	reserved := false
	for _, f := range u.reached {
		forInstrs(f.Body, func(i *ptx.Instr) {
			reserved = reserved || (i.Op == "bar" || i.Op == "barrier") && i.Has(".red")
		})
	}
	if reserved {
		u.reduction = uint32(alignUp(uint64(u.systemEnd), 4))
		u.systemEnd = u.reduction + 4
	}
}

// dynamic reports whether a shared variable is an array with a size from the launch.
func dynamic(v *ptx.Variable) bool { return slices.Contains(v.Linkage, ".extern") }

func (u *unit) placeShared(v *ptx.Variable) uint32 {
	at := alignUp(uint64(u.sharedEnd), v.Alignment())
	if at+uint64(v.Size()) > MaxSharedBytes {
		unsupported(v.Pos, "shared memory of more than %d bytes", MaxSharedBytes)
	}
	u.sharedEnd = uint32(at) + uint32(v.Size())
	return uint32(at)
}

// reach finds the kernel and the functions that it may call.
func (u *unit) reach() {
	seen := map[string]bool{u.entry.Name: true}
	u.reached = append(u.reached, u.entry)
	add := func(name string) {
		if f := u.image.functions[name]; f != nil && f.Body != nil && !f.Entry && !seen[name] {
			seen[name] = true
			u.reached = append(u.reached, f)
		}
	}
	for i := 0; i < len(u.reached); i++ {
		forNames(u.reached[i].Body, func(name string) {
			u.named[name] = true
			add(name)
		})
		if u.image.callsPointer(u.reached[i].Body) {
			for _, f := range u.image.taken {
				add(f.Name)
			}
		}
	}
}
