package compose

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Builder makes of the program of a stage one that engines run as a compute program:
// where inputs were read it puts what computes them, and outputs become variables
// that code behind the entry point's finds.
type Builder struct {
	stage   string // of the stage, in errors
	Program *ir.Program
	B       *ir.Builder // of the function that is written
	Texels  *texture.Texels
	From    *ir.Program

	Input      func(ir.Input) ir.V                 // writes what an input of the stage is; no value where engines know it
	InputAt    func(in ir.Input, i ir.V) ir.V      // that of vertex i
	Interp     func(in ir.Input, dx, dy ir.V) ir.V // that of another place of the pixel
	OutAt      func(k int, i, v ir.V)              // makes v output k of vertex i of the patch
	OutGet     func(k int, i ir.V) ir.V            // that output
	Emit       func(stream uint32)                 // emits a vertex
	EndPrim    func(stream uint32)                 // ends a strip
	KillTarget ir.V                                // in the entry point: the block to whose end invocations go that end; 0: they end for good
	outputs    []int                               // by output: its variable
	resources  map[resource]int                    // resources of the draw
	err        error
}

// resource is a resource of the draw, none of the shaders'.
type resource struct {
	kind    ir.ResourceKind
	binding uint32
}

// ownSet is the descriptor set of what the draw itself binds; no shader can name it
// (maxBoundDescriptorSets).
const ownSet = 1<<32 - 1

// New begins the compute program of a stage's.
func New(name string, from *ir.Program) *Builder {
	p := from.Clone()
	p.Stage, p.In, p.Out = ir.Compute, nil, nil
	w := &Builder{stage: name, Program: p, From: from, Texels: texture.NewTexels(p), resources: map[resource]int{}}
	for _, o := range from.Out {
		p.Vars = append(p.Vars, ir.Var{Name: o.Semantic.String(), Slots: o.Type.Slots(), Func: -1})
		w.outputs = append(w.outputs, len(p.Vars)-1)
	}
	return w
}

// Build writes all functions. around writes the entry point: it calls body where the
// stage's own code goes, in a block of its own, to whose end returns lead.
func (w *Builder) Build(around func(body func())) (*ir.Program, error) {
	for i, f := range w.Program.Funcs {
		if f.Texture != nil {
			continue
		}
		var code []ir.V
		w.B, code = ir.Edit(f)
		to := map[ir.V]ir.V{}
		if i > 0 {
			w.copyCode(code, to)
		} else {
			w.B.Block()
			around(func() { w.copyCode(code, to) })
			w.B.End()
		}
		f.Replace(to)
	}
	if w.err != nil {
		return nil, w.err
	}
	w.Program.StateEffects()
	return w.Program, nil
}

// copyCode appends a function's own code, and notes what stands for its inputs.
func (w *Builder) copyCode(code []ir.V, to map[ir.V]ir.V) {
	f := w.B.Func
	arg := func(v ir.V) ir.V {
		if n, ok := to[v]; ok {
			return n
		}
		return v
	}
	for _, v := range code {
		x := *f.Val(v)
		w.B.Origin = x.Origin
		switch x.Op {
		case ir.In:
			in := w.From.In[x.Aux]
			if n := w.Input(in); n != 0 {
				to[v] = n
				continue
			}
			f.Val(v).Aux = w.inputIndex(in.Semantic, in.Type)
		case ir.InAt:
			to[v] = w.InputAt(w.From.In[x.Aux], arg(x.Args[0]))
			continue
		case ir.Interp:
			to[v] = w.Interp(w.From.In[x.Aux], arg(x.Args[0]), arg(x.Args[1]))
			continue
		case ir.Out:
			w.storeOutput(int(x.Aux), arg(x.Args[0]))
			continue
		case ir.Kill:
			if w.KillTarget != 0 && f == w.Program.Funcs[0] {
				w.B.Br(w.KillTarget)
				continue
			}
		}
		if w.handles(x.Op) {
			switch x.Op {
			case ir.OutAt:
				w.OutAt(int(x.Aux), arg(x.Args[0]), arg(x.Args[1]))
			case ir.OutGet:
				to[v] = w.OutGet(int(x.Aux), arg(x.Args[0]))
			case ir.Emit:
				w.Emit(uint32(x.Aux))
			default:
				w.EndPrim(uint32(x.Aux))
			}
			continue
		}
		if x.Op.OfStage() {
			w.Unsupported("operation %s of a %s program", x.Op, w.From.Stage)
			continue
		}
		w.B.Keep(v)
	}
	w.B.Origin = 0
}

// handles reports whether an operation is one that the stage has, of those that only
// some stages have.
func (w *Builder) handles(op ir.Op) bool {
	switch op {
	case ir.OutAt, ir.OutGet:
		return w.OutAt != nil
	case ir.Emit, ir.EndPrim:
		return w.Emit != nil
	}
	return false
}

// storeOutput makes v the output with number k.
func (w *Builder) storeOutput(k int, v ir.V) {
	w.B.Emit(ir.Val{Op: ir.PSt, Type: w.From.Out[k].Type, Args: [4]ir.V{w.B.I32(0), v}, Aux: uint64(w.outputs[k])})
}

// Output reads what the stage's code has made of output k; 0 where it wrote nothing.
func (w *Builder) Output(k int) ir.V {
	return w.B.OpAux(ir.PLd, w.From.Out[k].Type, uint64(w.outputs[k]), w.B.I32(0))
}

// inputIndex returns the number of a compute built-in among the program's inputs.
func (w *Builder) inputIndex(s ir.Semantic, t ir.Type) uint64 {
	for i, x := range w.Program.In {
		if x.Semantic == s && x.Type == t {
			return uint64(i)
		}
	}
	w.Program.In = append(w.Program.In, ir.Input{Semantic: s, Type: t})
	return uint64(len(w.Program.In) - 1)
}

// BuiltIn reads a compute built-in.
func (w *Builder) BuiltIn(s ir.Semantic) ir.V {
	return w.B.OpAux(ir.In, ir.I32, w.inputIndex(s, ir.I32))
}

// Handle returns the handle of a resource of the draw.
func (w *Builder) Handle(kind ir.ResourceKind, binding uint32, writes bool) ir.V {
	at := resource{kind, binding}
	n, ok := w.resources[at]
	if !ok {
		n = len(w.Program.Res)
		w.resources[at] = n
		w.Program.Res = append(w.Program.Res, ir.Resource{Set: ownSet, Binding: binding, Kind: kind, Count: 1, Restrict: kind != ir.Texels || !w.readsImages(), NonWritable: !writes, Disjoint: writes && kind == ir.Texels})
	}
	return w.B.OpAux(ir.Res, ir.H, uint64(n), w.B.I32(0))
}

// readsImages reports whether the stage looks at images, which may be attachments too.
func (w *Builder) readsImages() bool {
	return slices.ContainsFunc(w.From.Res, func(r ir.Resource) bool { return r.Kind == ir.Texels })
}

// Load reads a number of 32 bits, or less, of a handle.
func (w *Builder) Load(t ir.Type, h, off ir.V, behind uint32) ir.V {
	return w.B.OpAux(ir.Ld, t, uint64(behind), h, off)
}

// LoadOwn reads from memory that the draw made itself, at a place that it has: what an item
// or a primitive numbers is there, and so are the words of views and of parameters.
func (w *Builder) LoadOwn(t ir.Type, h, off ir.V, behind uint32) ir.V {
	return w.B.Emit(ir.Val{Op: ir.Ld, Type: t, Flags: ir.Proven, Args: [4]ir.V{h, off}, Aux: uint64(behind)})
}

// Scaled is where the n-th of things of a size stands in such memory, in bytes.
func (w *Builder) Scaled(n ir.V, size uint64) ir.V { return w.Mul(n, w.B.I32(uint32(size))) }

// Unsupported notes that something is not built.
func (w *Builder) Unsupported(format string, args ...any) {
	if w.err == nil {
		w.err = &exec.UnsupportedError{Engine: w.stage, Feature: fmt.Sprintf(format, args...)}
	}
}

// Param reads word n of the parameters of the program that is written.
func (w *Builder) Param(t ir.Type, n uint32) ir.V {
	return w.LoadOwn(t, w.Handle(ir.UniformBuffer, ParamsBinding, false), w.B.I32(0), 4*n)
}

// MarkDisjoint declares that the invocations of the program write disjoint parts of a resource.
func (w *Builder) MarkDisjoint(kind ir.ResourceKind, binding uint32) {
	w.Program.Res[w.resources[resource{kind, binding}]].Disjoint = true
}

// ParamsBinding is the binding of the parameters of a program, a uniform buffer in the set of the stage's own resources.
const ParamsBinding = 0
