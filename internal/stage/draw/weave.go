package draw

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// weaver makes of the program of a stage one that engines run as a compute program:
// where inputs were read it puts what computes them, and outputs become variables
// that code behind the entry point's finds.
type weaver struct {
	p      *ir.Program
	b      *ir.Builder // of the function that is written
	texels *texture.Texels
	from   *ir.Program

	input   func(ir.Input) ir.V                 // writes what an input of the stage is; no value where engines know it
	inputAt func(in ir.Input, i ir.V) ir.V      // that of vertex i
	interp  func(in ir.Input, dx, dy ir.V) ir.V // that of another place of the pixel
	outAt   func(k int, i, v ir.V)              // makes v output k of vertex i of the patch
	outGet  func(k int, i ir.V) ir.V            // that output
	emit    func(stream uint32)                 // emits a vertex
	endPrim func(stream uint32)                 // ends a strip
	ended   ir.V                                // in the entry point: the block to whose end invocations go that end; 0: they end for good
	outs    []int                               // by output: its variable
	res     map[place]int                       // resources of the draw
	fault   error
}

// place is a resource of the draw, none of the shaders'.
type place struct {
	kind    ir.ResourceKind
	binding uint32
}

// ownSet is the descriptor set of what the draw itself binds; no shader can name it
// (maxBoundDescriptorSets).
const ownSet = 1<<32 - 1

// newWeaver begins the compute program of a stage's.
func newWeaver(from *ir.Program) *weaver {
	p := from.Clone()
	p.Stage, p.In, p.Out = ir.Compute, nil, nil
	w := &weaver{p: p, from: from, texels: texture.NewTexels(p), res: map[place]int{}}
	for _, o := range from.Out {
		p.Vars = append(p.Vars, ir.Var{Name: o.Semantic.String(), Slots: o.Type.Slots(), Func: -1})
		w.outs = append(w.outs, len(p.Vars)-1)
	}
	return w
}

// weave writes all functions. around writes the entry point: it calls body where the
// stage's own code goes, in a block of its own, to whose end returns lead.
func (w *weaver) weave(around func(body func())) (*ir.Program, error) {
	for i, f := range w.p.Funcs {
		if f.Texture != nil {
			continue
		}
		var code []ir.V
		w.b, code = ir.Edit(f)
		to := map[ir.V]ir.V{}
		if i > 0 {
			w.keep(code, to)
		} else {
			w.b.Block()
			around(func() { w.keep(code, to) })
			w.b.End()
		}
		f.Replace(to)
	}
	if w.fault != nil {
		return nil, w.fault
	}
	w.p.StateEffects()
	return w.p, nil
}

// keep appends a function's own code, and notes what stands for its inputs.
func (w *weaver) keep(code []ir.V, to map[ir.V]ir.V) {
	f := w.b.Func
	arg := func(v ir.V) ir.V {
		if n, ok := to[v]; ok {
			return n
		}
		return v
	}
	for _, v := range code {
		x := *f.Val(v)
		w.b.Origin = x.Origin
		switch x.Op {
		case ir.In:
			in := w.from.In[x.Aux]
			if n := w.input(in); n != 0 {
				to[v] = n
				continue
			}
			f.Val(v).Aux = w.in(in.Semantic, in.Type)
		case ir.InAt:
			to[v] = w.inputAt(w.from.In[x.Aux], arg(x.Args[0]))
			continue
		case ir.Interp:
			to[v] = w.interp(w.from.In[x.Aux], arg(x.Args[0]), arg(x.Args[1]))
			continue
		case ir.Out:
			w.store(int(x.Aux), arg(x.Args[0]))
			continue
		case ir.Kill:
			if w.ended != 0 && f == w.p.Funcs[0] {
				w.b.Br(w.ended)
				continue
			}
		}
		if w.ofStage(x.Op) {
			switch x.Op {
			case ir.OutAt:
				w.outAt(int(x.Aux), arg(x.Args[0]), arg(x.Args[1]))
			case ir.OutGet:
				to[v] = w.outGet(int(x.Aux), arg(x.Args[0]))
			case ir.Emit:
				w.emit(uint32(x.Aux))
			default:
				w.endPrim(uint32(x.Aux))
			}
			continue
		}
		if x.Op.OfStage() {
			w.unsupported("operation %s of a %s program", x.Op, w.from.Stage)
			continue
		}
		w.b.Keep(v)
	}
	w.b.Origin = 0
}

// ofStage reports whether an operation is one that the stage has, of those that only
// some stages have.
func (w *weaver) ofStage(op ir.Op) bool {
	switch op {
	case ir.OutAt, ir.OutGet:
		return w.outAt != nil
	case ir.Emit, ir.EndPrim:
		return w.emit != nil
	}
	return false
}

// store makes v the output with number k.
func (w *weaver) store(k int, v ir.V) {
	w.b.Emit(ir.Val{Op: ir.PSt, Type: w.from.Out[k].Type, Args: [4]ir.V{w.b.I32(0), v}, Aux: uint64(w.outs[k])})
}

// output reads what the stage's code has made of output k; 0 where it wrote nothing.
func (w *weaver) output(k int) ir.V {
	return w.b.OpAux(ir.PLd, w.from.Out[k].Type, uint64(w.outs[k]), w.b.I32(0))
}

// in returns the number of a compute built-in among the program's inputs.
func (w *weaver) in(s ir.Semantic, t ir.Type) uint64 {
	for i, x := range w.p.In {
		if x.Semantic == s && x.Type == t {
			return uint64(i)
		}
	}
	w.p.In = append(w.p.In, ir.Input{Semantic: s, Type: t})
	return uint64(len(w.p.In) - 1)
}

// id reads a compute built-in.
func (w *weaver) id(s ir.Semantic) ir.V { return w.b.OpAux(ir.In, ir.I32, w.in(s, ir.I32)) }

// handle returns the handle of a resource of the draw.
func (w *weaver) handle(kind ir.ResourceKind, binding uint32, writes bool) ir.V {
	at := place{kind, binding}
	n, ok := w.res[at]
	if !ok {
		n = len(w.p.Res)
		w.res[at] = n
		w.p.Res = append(w.p.Res, ir.Resource{Set: ownSet, Binding: binding, Kind: kind, Count: 1, Restrict: kind != ir.Texels || !w.images(), NonWritable: !writes, Disjoint: writes && kind == ir.Texels})
	}
	return w.b.OpAux(ir.Res, ir.H, uint64(n), w.b.I32(0))
}

// images reports whether the stage looks at images, which may be attachments too.
func (w *weaver) images() bool {
	return slices.ContainsFunc(w.from.Res, func(r ir.Resource) bool { return r.Kind == ir.Texels })
}

// load reads a number of 32 bits, or less, of a handle.
func (w *weaver) load(t ir.Type, h, off ir.V, behind uint32) ir.V {
	return w.b.OpAux(ir.Ld, t, uint64(behind), h, off)
}

// own reads from memory that the draw made itself, at a place that it has: what an item
// or a primitive numbers is there, and so are the words of views and of parameters.
func (w *weaver) own(t ir.Type, h, off ir.V, behind uint32) ir.V {
	return w.b.Emit(ir.Val{Op: ir.Ld, Type: t, Flags: ir.Proven, Args: [4]ir.V{h, off}, Aux: uint64(behind)})
}

// nth is where the n-th of things of a size stands in such memory, in bytes.
func (w *weaver) nth(n ir.V, size uint64) ir.V { return w.mul(n, w.b.I32(uint32(size))) }

// unsupported notes that something is not built.
func (w *weaver) unsupported(format string, args ...any) {
	if w.fault == nil {
		w.fault = &exec.UnsupportedError{Engine: "draw", Feature: fmt.Sprintf(format, args...)}
	}
}

// zero is the number 0 of a type.
func (w *weaver) zero(t ir.Type) ir.V { return w.b.Const(t, 0) }
