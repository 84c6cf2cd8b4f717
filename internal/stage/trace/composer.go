package trace

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
)

// Limits on the composed program. The passes remove most of the private memory; an engine checks the rest.
const (
	defaultMaxValues = 1 << 22
	maxPrivate       = 1 << 24 // slots
)

// stopInterval is the number of values for each call of Options.Stop.
const stopInterval = 1 << 12

// Options bound a composition.
type Options struct {
	// MaxValues limits the number of values of the program; 0 is 4 million.
	MaxValues int

	// Stop, if not nil, is polled; Compose returns its error as soon as it is not nil.
	Stop func() error

	// Parts, if not nil, receives the origin of each function of the program, by its number. It is for observed shaders, whose
	// values then keep their numbers.
	Parts *[]Part
}

// Part says which function of a shader a function of the composed program is a copy of, and what the composition has added to the numbers
// in it.
type Part struct {
	Shader int // in Pipeline.Shaders, or Unused for a function of the composition
	Func   int

	Variables, Resources uint64
	Origin               int32
	Context              uint64 // the variable with the inputs of the shader: ContextFrame and the other slots
}

// composer makes one compute program of all shaders of a pipeline. IR functions do not recurse and their variables are
// static. So a shader that traces rays is copied for each level of the recursion, on demand; a shader that traces none is
// active once at any time, and one copy serves all levels. The same holds for callable shaders and their depth.
//
//	entry ──► ray generation ──► trace 1 ──┬──► traversal ──┬──► any-hit
//	                                       │                └──► intersection ──► report ──► any-hit
//	                                       └──► closest-hit or miss ──► trace 2 …
//
// Each arrow to a shader is a switch over the group of the record: it splits the subgroup by shader and joins it again.
//
// A shader at the depth of the pipeline may still trace rays, as long as they invoke no shader: "Applications must not invoke a shader
// with a recursion depth greater than" it (Vulkan, "Shader Call Instructions"). So the level after the depth has the functions of the
// others, in which a switch leads to a fault.
type composer struct {
	from *Pipeline
	w    *compose.Builder // of the function that is being built
	prog *ir.Program
	err  error

	shaders []shader
	clones  map[cloneKey]*clone
	traces  map[uint32]int // the function trace of each level
	shades  map[uint32]int // the function shade of each level
	calls   map[uint32]int // the function execute of each depth
	search  map[bool]int   // the function traversal, within and beyond the depth of the pipeline
	objects map[bool]int   // the function search, likewise
	accept  int            // the function report; 0 is none

	todo    []func()
	options Options
	values  int    // of the functions so far, with the cases of switches
	polled  int    // values at the last call of Options.Stop
	private uint64 // slots of private memory
	shadows bool   // a shader has the input ir.RayShadow
}

// Compose returns the compute program of a pipeline: each invocation is one of the launch. It is verified. Workgroups are
// SubgroupSize wide; each runs a tile of the launch, or a part of a row (tile.go).
func Compose(p *Pipeline, o Options) (*ir.Program, error) {
	if len(p.Shaders) == 0 {
		return nil, unsupported("no shader")
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if o.MaxValues == 0 {
		o.MaxValues = defaultMaxValues
	}
	size := p.Shaders[0].SubgroupSize
	w := compose.New("ray tracing pipeline", &ir.Program{Name: p.Shaders[0].Name, SubgroupSize: size, LocalSize: [3]uint32{size, 1, 1}})
	c := &composer{from: p, options: o, w: w, prog: w.Program, clones: map[cloneKey]*clone{}, traces: map[uint32]int{}, shades: map[uint32]int{}, calls: map[uint32]int{},
		search: map[bool]int{}, objects: map[bool]int{}}
	c.addShaders()
	c.prog.Observed = slices.ContainsFunc(p.Shaders, func(s *ir.Program) bool { return s.Observed })
	c.function("launch", nil, nil, func(b *ir.Builder) { c.launch(b) })
	for len(c.todo) > 0 && c.err == nil {
		next := c.todo[0]
		c.todo = c.todo[1:]
		next()
	}
	if c.err != nil {
		return nil, c.err
	}
	c.placeShadow()
	c.prog.StateEffects()
	if err := c.prog.Verify(); err != nil {
		return nil, err
	}
	if o.Parts != nil {
		*o.Parts = c.parts()
	}
	return c.prog, nil
}

// parts returns the origins of the functions.
func (c *composer) parts() []Part {
	list := make([]Part, len(c.prog.Funcs))
	for i := range list {
		list[i].Shader = Unused
	}
	for key, k := range c.clones {
		for i, n := range k.functions {
			if k.of.program.Funcs[i].Texture == nil { // copies of functions of textures are shared
				list[n] = Part{key.shader, i, k.variables, k.of.resources, k.of.origin, k.context}
			}
		}
	}
	return list
}

// fail records the first error.
func (c *composer) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// spend counts n values before they are made. It reports false, after it recorded an error, if the program becomes too large
// or the composition must stop.
func (c *composer) spend(n int) bool {
	if c.values += n; c.values > c.options.MaxValues {
		c.fail(unsupported("a program of more than %d values", c.options.MaxValues))
	}
	if c.values-c.polled >= stopInterval && c.options.Stop != nil {
		c.polled = c.values
		if err := c.options.Stop(); err != nil {
			c.fail(err)
		}
	}
	return c.err == nil
}

// reserve returns the number of a new function. build makes the function later, so that one function is built at a time.
func (c *composer) reserve(build func() *ir.Func) int {
	n := len(c.prog.Funcs)
	c.prog.Funcs = append(c.prog.Funcs, nil)
	c.todo = append(c.todo, func() { c.prog.Funcs[n] = build() })
	return n
}

// function is reserve for a new function.
func (c *composer) function(name string, args, results []ir.Type, build func(b *ir.Builder)) int {
	return c.reserve(func() *ir.Func {
		b := ir.NewFunc(name, args, results)
		c.w.B = b
		build(b)
		f := b.Finish()
		c.spend(len(f.Vals))
		return f
	})
}

// launch is the entry point: an invocation runs the ray generation shader unless it is outside of the launch.
func (c *composer) launch(b *ir.Builder) {
	in := b.Cmp(ir.ULt, c.launchID(0), c.w.Param(ir.I32, paramSize))
	b.If(b.Op(ir.And, ir.B1, in, b.Cmp(ir.ULt, c.launchID(1), c.w.Param(ir.I32, paramSize+1))))
	c.run(shaderCall{record: c.w.Param(ir.I64, paramRayGen)}, c.general(ir.RayGen))
	b.End()
}

// general returns the choice of the general shader of a stage.
func (c *composer) general(s ir.Stage) func(Group) int {
	return func(g Group) int {
		if g.General == Unused || c.from.Shaders[g.General].Stage != s {
			return Unused
		}
		return g.General
	}
}

// trace returns the function that traces the ray of a frame and runs the shader of its end, at a level of recursion. Like the
// functions below it has the address of the payload as an argument, because the passes know that of a call, not that in a frame.
func (c *composer) trace(level uint32) int {
	if n, ok := c.traces[level]; ok {
		return n
	}
	n := c.function("trace", []ir.Type{ir.I32, ir.I32}, nil, func(b *ir.Builder) {
		frame, payload := b.Func.Args[0], b.Func.Args[1]
		at := shaderCall{frame: frame, payload: payload, level: level, beyond: level > c.from.Depth}
		b.Call(c.traversal(at.beyond), nil, frame, payload)
		kind := c.get(frame, ir.RayCommitted+ir.HitKind)
		b.If(b.Cmp(ir.Eq, kind, b.I32(ir.HitNone)))
		at.record = c.record(paramMiss, c.get(frame, ir.FrameMiss))
		c.checkRecord(at.record, faultMiss, 0)
		c.run(at, c.general(ir.Miss))
		b.Else()
		skips := c.w.And(c.get(frame, ir.RayFlags), b.I32(skipClosestHit))
		b.If(b.Cmp(ir.Eq, skips, b.I32(0)))
		b.If(c.w.Not(b.Cmp(ir.Eq, kind, b.I32(ir.HitBox))))
		c.setBarycentrics(frame, ir.RayCommitted, ir.FrameCommitted)
		b.End()
		at.record = c.hitRecord(frame, ir.RayCommitted)
		c.checkRecord(at.record, faultClosestHit, kind)
		c.run(at, func(g Group) int { return g.ClosestHit })
		b.End()
		b.End()
	})
	c.traces[level] = n
	return n
}

// execute returns the function that runs a callable shader: its arguments are the index of the record and the address of the
// data.
func (c *composer) execute(depth uint32) int {
	if n, ok := c.calls[depth]; ok {
		return n
	}
	n := c.function("execute", []ir.Type{ir.I32, ir.I32}, nil, func(b *ir.Builder) {
		index, data := b.Func.Args[0], b.Func.Args[1]
		c.run(shaderCall{payload: data, record: c.record(paramCallable, index), level: depth}, c.general(ir.Callable))
	})
	c.calls[depth] = n
	return n
}

// shaderCall has the inputs of a shader that is run. A value that it does not have is 0.
type shaderCall struct {
	frame, payload ir.V
	record         ir.V
	level          uint32
	beyond         bool // the shader must not run: it is a fault
}

// run runs the shader that choose returns for the group of a record; nothing if there is none.
func (c *composer) run(at shaderCall, choose func(Group) int) {
	var list []int // the shaders, in the order of their first groups
	groups := map[int][]uint32{}
	for i, g := range c.from.Groups {
		if s := choose(g); s != Unused && c.spend(1) {
			if at.beyond {
				s = 0 // the fault does not name the shader
			}
			if groups[s] == nil {
				list = append(list, s)
			}
			groups[s] = append(groups[s], uint32(i))
		}
	}
	if len(list) == 0 {
		return
	}
	b := c.w.B
	end := b.Block()
	labels := make([]ir.V, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		labels[i] = b.Block()
	}
	var cases []ir.Case
	for i, s := range list {
		for _, g := range groups[s] {
			cases = append(cases, ir.Case{Value: uint64(g) + 1, Label: labels[i]})
		}
	}
	b.Switch(c.handle(at.record), end, cases)
	for _, s := range list {
		b.End()
		if at.beyond {
			c.fault(faultRays)
		} else {
			c.enter(s, at)
		}
		b.Br(end)
	}
	b.End()
}

// handle loads the number of the group of a record, plus 1; 0 if the record is not in memory, or if its part has no such group: a
// handle that the application has forged selects no group of another part.
func (c *composer) handle(record ir.V) ir.V {
	b := c.w.B
	h := b.OpAux(ir.Region, ir.H, HandleSize, record)
	at := b.Op(ir.RegionOff, ir.I32, h, record)
	number := c.w.Load(ir.I32, h, at, 0)
	if len(c.from.Parts) == 0 {
		return number
	}
	serial := c.w.Load(ir.I32, h, at, 4)
	group := func(of ir.V, first, end uint32, other ir.V) ir.V {
		in := b.Cmp(ir.ULt, b.Op(ir.Sub, ir.I32, number, b.I32(1)), b.I32(end-first))
		return b.Select(of, b.Select(in, c.w.Add(number, b.I32(first)), b.I32(0)), other)
	}
	parts := append(slices.Clone(c.from.Parts), uint32(len(c.from.Groups)))
	all := group(b.Cmp(ir.Eq, serial, b.I32(0)), 0, parts[0], b.I32(0))
	for i := range c.from.Parts {
		of := b.Cmp(ir.Eq, serial, c.w.Param(ir.I32, paramSerials+uint32(i)))
		all = group(of, parts[i], parts[i+1], all)
	}
	return all
}

// record returns the address of a record of a table; 0 if it is not in the table.
func (c *composer) record(table uint32, index ir.V) ir.V {
	b := c.w.B
	size, handle := c.w.Param(ir.I64, table+tableSize), b.Const(ir.I64, HandleSize)
	at := b.Op(ir.Mul, ir.I64, b.Op(ir.ZExt, ir.I64, index), c.w.Param(ir.I64, table+tableStride))
	fits := b.Op(ir.And, ir.B1, b.Cmp(ir.ULe, handle, size), b.Cmp(ir.ULe, at, b.Op(ir.Sub, ir.I64, size, handle)))
	address := b.Op(ir.Add, ir.I64, c.w.Param(ir.I64, table+tableAddress), at)
	return b.Select(fits, address, b.Const(ir.I64, 0))
}

// hitIndex returns the number of the record of a hit (Vulkan, "Hit Shader Binding Table Indexing Rules").
func (c *composer) hitIndex(frame ir.V, hit uint32) ir.V {
	geometry := c.w.Mul(c.get(frame, hit+ir.HitGeometry), c.get(frame, ir.FrameStride))
	return c.w.Add(c.w.Add(c.get(frame, hit+ir.HitRecordOffset), geometry), c.get(frame, ir.FrameOffset))
}

// hitRecord returns the address of the record of a hit.
func (c *composer) hitRecord(frame ir.V, hit uint32) ir.V {
	return c.record(paramHit, c.hitIndex(frame, hit))
}

// get loads a field of a frame.
func (c *composer) get(frame ir.V, slot uint32) ir.V { return c.getAs(ir.I32, frame, slot) }

// getAs is get for a value of a type.
func (c *composer) getAs(t ir.Type, frame ir.V, slot uint32) ir.V {
	return c.w.B.Op(ir.PLdI, t, c.w.Add(frame, c.w.B.I32(slot)))
}

// set stores a field of a frame.
func (c *composer) set(frame ir.V, slot uint32, v ir.V) {
	c.w.B.Op(ir.PStI, c.w.B.Func.Type(v), c.w.Add(frame, c.w.B.I32(slot)), v)
}

// move copies n slots of a frame.
func (c *composer) move(frame ir.V, to, from, n uint32) {
	for i := range n {
		c.set(frame, to+i, c.get(frame, from+i))
	}
}

// setBarycentrics makes the barycentric coordinates of a hit its attributes.
func (c *composer) setBarycentrics(frame ir.V, hit, attributes uint32) {
	c.move(frame, attributes, hit+ir.HitU, 2)
	c.moveShadows(frame, attributes, hit+ir.HitU, 2) // nothing undefines slots of a ray
}
