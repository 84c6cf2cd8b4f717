package trace

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// shader is a shader of the pipeline with the numbers of its parts in the composed program. All of its clones share them.
type shader struct {
	program   *ir.Program
	resources uint64 // the number of its first resource
	tables    uint64
	messages  uint64
	textures  map[int]int // its texture functions
	nests     bool        // it runs other shaders
	origin    int32       // what its origins begin after
}

// addShaders adds the resources, tables and messages of all shaders to the program. Resources of several shaders may be the
// same memory.
func (c *composer) addShaders() {
	p, origins := c.prog, c.from.Origins()
	for i, from := range c.from.Shaders {
		s := shader{program: from, textures: map[int]int{}, origin: origins[i]}
		s.resources, s.tables, s.messages = uint64(len(p.Res)), uint64(len(p.Tables)), uint64(len(p.Messages))
		for _, r := range from.Res {
			r.Restrict, r.Disjoint = false, false
			if r.Kind == ir.StorageBuffer || r.Kind == ir.Texels {
				r.NonWritable = false
			}
			if !r.Heap && r.Set < c.from.Apart {
				r.Set += uint32(i) * c.from.Apart
			}
			p.Res = append(p.Res, r)
		}
		p.Tables, p.Messages = append(p.Tables, from.Tables...), append(p.Messages, from.Messages...)
		p.PushBytes = max(p.PushBytes, from.PushBytes)
		for _, f := range from.Funcs {
			for _, v := range f.Code {
				if nests(f.Val(v).Op) {
					s.nests = true
				}
			}
		}
		c.shaders = append(c.shaders, s)
	}
}

// nests reports whether a shader with an operation runs other shaders.
func nests(op ir.Op) bool {
	return op == ir.Trace || op == ir.Search || op == ir.Shade || op == ir.Execute
}

// cloneKey identifies a clone: a shader, and for one that nests its level of recursion, or the depth of callable shaders.
type cloneKey struct {
	shader int
	level  uint32
}

// clone is a copy of the functions and variables of a shader.
type clone struct {
	of        *shader
	level     uint32
	functions []int  // by number in the shader
	variables uint64 // the number of its first variable
	inputs    []ir.V // the arguments of its entry point: frame, payload and address of the record
	context   uint64 // the variable with the inputs of the shader for other functions than the entry point
	shares    bool   // there are such functions, or a debugger that reads the variable
}

// inputTypes are the types of the inputs of a shader.
var inputTypes = [...]ir.Type{ir.I32, ir.I32, ir.I64}

// The slots of the variable with the inputs of a shader. The caller writes them before the call.
const (
	ContextFrame   = 0 // the address of the ray's frame
	ContextPayload = 1 // the address of the payload or of the callable data
	ContextRecord  = 2 // two slots: the address of the record
	contextSlots   = 4
)

// enter runs a shader.
func (c *composer) enter(number int, at shaderCall) {
	k, b := c.cloneOf(number, at.level), c.w.B
	inputs := [...]ir.V{ContextFrame: at.frame, ContextPayload: at.payload, ContextRecord: at.record}
	for slot, v := range inputs {
		if v == 0 {
			inputs[slot] = b.Const(inputTypes[slot], 0)
		} else if k.shares {
			b.OpAux(ir.PSt, b.Func.Type(v), k.context, b.I32(uint32(slot)), v)
		}
	}
	b.Call(k.functions[0], nil, inputs[:]...)
}

// cloneOf returns the clone of a shader for a level.
func (c *composer) cloneOf(number int, level uint32) *clone {
	s := &c.shaders[number]
	key := cloneKey{shader: number}
	if s.nests {
		key.level = level
	}
	if k := c.clones[key]; k != nil {
		return k
	}
	p := c.prog
	k := &clone{of: s, level: level, variables: uint64(len(p.Vars)), shares: c.options.Parts != nil}
	c.clones[key] = k
	for i, f := range s.program.Funcs {
		n, ok := s.textures[i]
		if !ok {
			n = c.reserve(func() *ir.Func { return c.copyFunction(k, i, f) })
			if f.Texture != nil {
				s.textures[i] = n
			}
		}
		k.shares = k.shares || i > 0 && f.Texture == nil
		k.functions = append(k.functions, n)
	}
	for _, v := range s.program.Vars {
		if v.Func >= 0 {
			v.Func = k.functions[v.Func]
		}
		p.Vars = append(p.Vars, v)
		c.private += uint64(v.Slots)
	}
	if c.private > maxPrivate {
		c.fail(&exec.LimitError{Quantity: "slots of private memory of all levels of recursion", Value: c.private, Max: maxPrivate})
	}
	k.context = uint64(len(p.Vars))
	p.Vars = append(p.Vars, ir.Var{Name: "context", Slots: contextSlots, Func: -1})
	return k
}

// copyFunction returns function i of the shader of a clone.
func (c *composer) copyFunction(k *clone, i int, from *ir.Func) *ir.Func {
	if !c.spend(len(from.Vals)) {
		return from
	}
	f := from.Clone()
	if f.Texture != nil {
		t := *f.Texture
		first := int(k.of.resources)
		t.Image += first
		if t.Sampler >= 0 {
			t.Sampler += first
		}
		if t.HasOther() {
			t.Other += first
		}
		f.Texture = &t
	}
	k.inputs = nil
	if i == 0 {
		for n, t := range inputTypes {
			f.Vals = append(f.Vals, ir.Val{Op: ir.Arg, Type: t, Aux: uint64(n)})
			f.Args = append(f.Args, ir.V(len(f.Vals)-1))
		}
		k.inputs = f.Args
	}
	b, code := ir.Edit(f)
	c.w.B = b
	to := map[ir.V]ir.V{}
	for at, v := range code {
		if n, ok := c.replaced(k, v, to); ok {
			switch {
			case n == 0:
			case c.prog.Observed: // a copy with the number of the value
				x := f.Val(v)
				*x = ir.Val{Op: ir.Or, Type: x.Type, Args: [4]ir.V{n, n}, Origin: x.Origin}
				b.Keep(v)
			default:
				to[v] = n
			}
			continue
		}
		c.renumber(k, f.Val(v))
		b.Keep(v)
		if at == 0 && i == 0 {
			c.clearVariables(k)
		}
	}
	f.Replace(to)
	return f
}

// clearVariables clears the variables of the shader, which runs several times in an invocation of the program; a ray
// generation shader runs once. Callees clear their own variables. The outermost block of the entry point is open.
func (c *composer) clearVariables(k *clone) {
	if k.of.program.Stage == ir.RayGen {
		return
	}
	for i, v := range k.of.program.Vars {
		if v.Func <= 0 {
			c.w.B.OpAux(ir.PClr, ir.None, k.variables+uint64(i))
		}
	}
}

// renumber adapts the numbers of an operation to the composed program.
func (c *composer) renumber(k *clone, x *ir.Val) {
	if x.Origin > 0 {
		x.Origin += k.of.origin
	}
	switch x.Op {
	case ir.Res:
		x.Aux += k.of.resources
	case ir.Table:
		x.Aux += k.of.tables
	case ir.Log, ir.LogEvent:
		x.Aux += k.of.messages
	case ir.PLd, ir.PSt, ir.PClr, ir.PAddr, ir.Ray:
		x.Aux += k.variables
	case ir.Call:
		x.Aux = uint64(k.functions[uint32(x.Aux)])
	default:
		if x.Op.OfStage() {
			c.fail(unsupported("operation %s of a %s program", x.Op, k.of.program.Stage))
		}
	}
}

// replaced emits the code that replaces an operation of ray tracing stages; ok is false for another operation. n is the value
// that replaces its result.
func (c *composer) replaced(k *clone, v ir.V, to map[ir.V]ir.V) (n ir.V, ok bool) {
	b := c.w.B
	x := *b.Func.Val(v)
	if x.Origin > 0 {
		b.Origin = x.Origin + k.of.origin
	}
	defer func() { b.Origin = 0 }()
	arg := func(i int) ir.V {
		if n, ok := to[x.Args[i]]; ok {
			return n
		}
		return x.Args[i]
	}
	switch x.Op {
	case ir.In:
		return c.input(k, k.of.program.In[x.Aux]), true
	case ir.Trace, ir.Search, ir.Shade:
		b.Call(c.ofRay(x.Op, k.level+1), nil, arg(0), c.get(arg(0), ir.FramePayload))
		return 0, true
	case ir.Record:
		return c.recordData(arg(0)), true
	case ir.Execute:
		depth := uint32(1)
		if k.of.program.Stage == ir.Callable {
			depth += k.level
		}
		if depth <= c.from.CallableDepth {
			b.Call(c.execute(depth), nil, arg(0), arg(1))
		} else {
			c.fault(faultCallables)
		}
		return 0, true
	case ir.Report:
		return b.Call(c.report(), []ir.Type{ir.B1}, c.context(k, ContextFrame), c.context(k, ContextPayload), c.context(k, ContextRecord), arg(0), arg(1))[0], true
	}
	return 0, false
}

// ofRay returns the function that replaces an operation on a ray at a level of recursion.
func (c *composer) ofRay(op ir.Op, level uint32) int {
	switch op {
	case ir.Search:
		return c.searchObject(level > c.from.Depth)
	case ir.Shade:
		return c.shade(level)
	}
	return c.trace(level)
}

// fault notes that a rule is broken. What the fault is of is left out: a ray, or a shader.
func (c *composer) fault(what uint32) {
	b := c.w.B
	b.OpAux(ir.AtomUMax, ir.I32, 4*paramFault, c.w.Handle(ir.StorageBuffer, faultBinding, true), b.I32(0), b.I32(what))
}

// context returns an input of the shader of a clone: an argument of its entry point, which passes make the known addresses of
// variables, or a load in another function.
func (c *composer) context(k *clone, slot uint32) ir.V {
	if k.inputs != nil {
		return k.inputs[slot]
	}
	return c.w.B.OpAux(ir.PLd, inputTypes[slot], k.context, c.w.B.I32(slot))
}

// input returns the value of an input.
func (c *composer) input(k *clone, in ir.Input) ir.V {
	b := c.w.B
	switch in.Semantic {
	case ir.RayFrame:
		return c.context(k, ContextFrame)
	case ir.RayPayload:
		return c.context(k, ContextPayload)
	case ir.RayShadow:
		return c.shadow()
	case ir.ShaderRecord:
		return b.Op(ir.Add, ir.I64, c.context(k, ContextRecord), b.Const(ir.I64, HandleSize))
	case ir.LaunchId:
		return c.launchID(in.Index)
	case ir.LaunchSize:
		return c.w.Param(ir.I32, paramSize+in.Index)
	}
	if !in.Semantic.Engine() || in.Type != ir.I32 {
		c.fail(unsupported("input %s of a %s program", in.Semantic, k.of.program.Stage))
		return b.Const(in.Type, 0)
	}
	return c.w.BuiltIn(in.Semantic)
}
