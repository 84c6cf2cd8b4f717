package compose

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Builder builds a compute-shaped program from the program of a stage: it replaces reads of inputs by
// code of the stage's prologue, and turns outputs into private variables that the epilogue reads. The
// caller installs the functions below; a nil function makes its operations unsupported.
type Builder struct {
	stage   string // name in errors
	Program *ir.Program
	B       *ir.Builder // builder of the current function
	Texels  *texture.Texels
	From    *ir.Program

	Input      func(ir.Input) ir.V                 // returns the value of an input; 0 leaves it to the engine
	InputAt    func(in ir.Input, i ir.V) ir.V      // returns an input of vertex i
	Interp     func(in ir.Input, dx, dy ir.V) ir.V // returns an input at an offset in the pixel
	OutAt      func(k int, i, v ir.V)              // writes output k of vertex i of the patch
	OutGet     func(k int, i ir.V) ir.V            // reads output k of vertex i of the patch
	Emit       func(stream uint32)                 // emits a vertex
	EndPrim    func(stream uint32)                 // ends a primitive strip
	KillTarget ir.V                                // in the entry point: the block that Kill leaves; 0: the invocation ends
	outputs    []int                               // by output: its private variable
	resources  map[resource]int                    // own resources, by index in Program.Res
	err        error
}

// resource is a resource that the stage binds itself.
type resource struct {
	kind    ir.ResourceKind
	binding uint32
}

// New begins the compute program of a stage's program. name is the stage's name in errors.
func New(name string, from *ir.Program) *Builder {
	p := from.Clone()
	p.Stage, p.In, p.Out, p.From = ir.Compute, nil, nil, from
	w := &Builder{stage: name, Program: p, From: from, Texels: texture.NewTexels(p), resources: map[resource]int{}}
	for _, o := range from.Out {
		p.Vars = append(p.Vars, ir.Var{Name: o.Semantic.String(), Slots: o.Type.Slots(), Func: -1})
		w.outputs = append(w.outputs, len(p.Vars)-1)
		if p.Observed && o.Semantic == ir.Location && o.Type.Slots() == 1 {
			p.IDs = append(p.IDs, ir.IDVar{Semantic: ir.Location, Index: o.Index, Var: len(p.Vars) - 1, Type: o.Type})
		}
	}
	return w
}

// Straight reports whether the code of a function is operations alone, in its outermost block: no other region, no call, and no branch but
// a return at the end.
func Straight(f *ir.Func) bool {
	n := len(f.Code)
	if n < 2 || f.Val(f.Code[0]).Op != ir.Block || f.Val(f.Code[n-1]).Op != ir.End {
		return false
	}
	for i, v := range f.Code[1 : n-1] {
		switch op := f.Val(v).Op; {
		case op == ir.Br && i == n-3:
		case op.Family() == ir.ControlFlow, op == ir.Call:
			return false
		}
	}
	return true
}

// Build builds all functions. around emits the entry point and calls body at the place of the
// stage's own code. The code is in a block of its own, and returns leave that block: the epilogue
// after it always runs. body may be called again if the code is straight: each call emits a copy.
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
			copies := 0
			around(func() {
				if copies++; copies == 1 {
					w.copyCode(code, to)
				} else {
					w.repeatCode(code)
				}
			})
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

// copyCode copies the code of a function and replaces stage operations. to collects the replacements
// of values.
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
				w.replace(to, v, n)
				continue
			}
			f.Val(v).Aux = w.inputIndex(in.Semantic, in.Type)
		case ir.InAt:
			w.replace(to, v, w.InputAt(w.From.In[x.Aux], arg(x.Args[0])))
			continue
		case ir.Interp:
			w.replace(to, v, w.Interp(w.From.In[x.Aux], arg(x.Args[0]), arg(x.Args[1])))
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

// repeatCode emits one more copy of straight code, with values of its own. Inputs are those of the place of the copy.
func (w *Builder) repeatCode(code []ir.V) {
	f, to := w.B.Func, map[ir.V]ir.V{}
	arg := func(v ir.V) ir.V {
		if n, ok := to[v]; ok {
			return n
		}
		return v
	}
	for _, v := range code {
		x := *f.Val(v)
		w.B.Origin = x.Origin
		for i := range x.Op.Args() {
			x.Args[i] = arg(x.Args[i])
		}
		switch x.Op {
		case ir.Block, ir.End, ir.Br: // the outermost block, which nothing leaves before its end
		case ir.In:
			if to[v] = w.Input(w.From.In[x.Aux]); to[v] == 0 {
				w.Unsupported("input %s in repeated code", w.From.In[x.Aux].Semantic)
			}
		case ir.InAt:
			to[v] = w.InputAt(w.From.In[x.Aux], x.Args[0])
		case ir.Interp:
			to[v] = w.Interp(w.From.In[x.Aux], x.Args[0], x.Args[1])
		case ir.Out:
			w.storeOutput(int(x.Aux), x.Args[0])
		default:
			if x.Op.OfStage() {
				w.Unsupported("operation %s in repeated code", x.Op)
				continue
			}
			to[v] = w.B.Emit(x)
		}
	}
	w.B.Origin = 0
}

// replace replaces a value of the stage by another one. In an observed program the value remains, as a copy.
func (w *Builder) replace(to map[ir.V]ir.V, v, by ir.V) {
	f := w.B.Func
	if t := f.Type(v); w.Program.Observed && t == f.Type(by) && ir.Bitcast.Row().On.Source().Has(t) {
		x := f.Val(v)
		*x = ir.Val{Op: ir.Bitcast, Type: t, Origin: x.Origin, Args: [4]ir.V{by}}
		w.B.Keep(v)
		return
	}
	to[v] = by
}

// Identify stores a word that tells which invocation of the stage a lane is, in an observed program.
func (w *Builder) Identify(s ir.Semantic, index uint32, word ir.V) {
	p := w.Program
	if !p.Observed {
		return
	}
	w.B.Emit(ir.Val{Op: ir.PSt, Type: ir.I32, Args: [4]ir.V{w.B.I32(0), word}, Aux: w.idVar(s, index)})
}

// Probe records in an observed program whether a lane, or one of its samples, passes a place at which it can end.
func (w *Builder) Probe(probe uint32, passes ir.V) {
	if !w.Program.Observed {
		return
	}
	n, b := w.idVar(ir.NoSemantic, probe), w.B
	old := b.OpAux(ir.PLd, ir.I32, n, b.I32(0))
	word := b.Op(ir.UMax, ir.I32, old, b.Select(passes, b.I32(ir.ProbePassed), b.I32(ir.ProbeFailed)))
	b.Emit(ir.Val{Op: ir.PSt, Type: ir.I32, Args: [4]ir.V{b.I32(0), word}, Aux: n})
}

// idVar returns the variable of a word of an invocation's identity, which it declares.
func (w *Builder) idVar(s ir.Semantic, index uint32) uint64 {
	p := w.Program
	for _, v := range p.IDs {
		if v.Semantic == s && v.Index == index {
			return uint64(v.Var)
		}
	}
	n := len(p.Vars)
	p.Vars = append(p.Vars, ir.Var{Name: s.String(), Slots: 1, Func: -1})
	p.IDs = append(p.IDs, ir.IDVar{Semantic: s, Index: index, Var: n, Type: ir.I32})
	return uint64(n)
}

// handles reports whether the caller has installed a function for a stage operation.
func (w *Builder) handles(op ir.Op) bool {
	switch op {
	case ir.OutAt, ir.OutGet:
		return w.OutAt != nil
	case ir.Emit, ir.EndPrim:
		return w.Emit != nil
	}
	return false
}

// storeOutput stores output k in its variable.
func (w *Builder) storeOutput(k int, v ir.V) {
	w.B.Emit(ir.Val{Op: ir.PSt, Type: w.From.Out[k].Type, Args: [4]ir.V{w.B.I32(0), v}, Aux: uint64(w.outputs[k])})
}

// Output reads output k; 0 if the program wrote nothing.
func (w *Builder) Output(k int) ir.V {
	return w.B.OpAux(ir.PLd, w.From.Out[k].Type, uint64(w.outputs[k]), w.B.I32(0))
}

// inputIndex returns the index of a compute built-in among the program's inputs, and adds it if it is
// new.
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

// Handle returns the handle of an own resource.
func (w *Builder) Handle(kind ir.ResourceKind, binding uint32, writes bool) ir.V {
	at := resource{kind, binding}
	n, ok := w.resources[at]
	if !ok {
		n = len(w.Program.Res)
		w.resources[at] = n
		w.Program.Res = append(w.Program.Res, ir.Resource{Set: compute.OwnSet, Binding: binding, Kind: kind, Count: 1, Restrict: kind != ir.Texels || !w.readsImages(), NonWritable: !writes, Disjoint: writes && kind == ir.Texels})
	}
	return w.B.OpAux(ir.Res, ir.H, uint64(n), w.B.I32(0))
}

// readsImages reports whether the program reads images, which can alias the attachments.
func (w *Builder) readsImages() bool {
	return slices.ContainsFunc(w.From.Res, func(r ir.Resource) bool { return r.Kind == ir.Texels })
}

// Load loads a value of at most 32 bits, with a bounds check.
func (w *Builder) Load(t ir.Type, h, off ir.V, imm uint32) ir.V {
	return w.B.OpAux(ir.Ld, t, uint64(imm), h, off)
}

// LoadOwn loads from memory of the stage without a bounds check. The stage guarantees that the offset
// is valid: indices come from the stage itself, parameters and image shapes have fixed sizes.
func (w *Builder) LoadOwn(t ir.Type, h, off ir.V, imm uint32) ir.V {
	return w.B.Emit(ir.Val{Op: ir.Ld, Type: t, Flags: ir.Proven, Args: [4]ir.V{h, off}, Aux: uint64(imm)})
}

// Unsupported records the first unsupported feature. Build returns it as an error.
func (w *Builder) Unsupported(format string, args ...any) {
	if w.err == nil {
		w.err = &exec.UnsupportedError{Engine: w.stage, Feature: fmt.Sprintf(format, args...)}
	}
}

// Param reads word n of the program's parameters.
func (w *Builder) Param(t ir.Type, n uint32) ir.V {
	return w.LoadOwn(t, w.Handle(ir.UniformBuffer, ParamsBinding, false), w.B.I32(0), 4*n)
}

// MarkDisjoint declares that invocations write disjoint parts of a resource.
func (w *Builder) MarkDisjoint(kind ir.ResourceKind, binding uint32) {
	w.Program.Res[w.resources[resource{kind, binding}]].Disjoint = true
}

// ParamsBinding is the own binding of the program's parameters, a uniform buffer.
const ParamsBinding = 0
