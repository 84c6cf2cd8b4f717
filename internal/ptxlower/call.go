package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/ptx"
)

// call emits a call: (results), function, (parameters), prototype. The parameters are copied to the frame of the callee, which every
// call of it uses.
func (e *emitter) call() {
	callee, results, params := callParts(e.in)
	if e.register(e.scope, callee.Name) != nil {
		e.callIndirect(callee, results, params)
		return
	}
	if e.library(callee.Name, results, params) {
		return
	}
	f := e.funcs[callee.Name]
	if f == nil || callee.Kind != ptx.Symbol {
		unsupported(e.in.Pos, "the call of %s, which the module does not define,", callee.Name)
	}
	e.callFunction(f, results, params)
}

// callParts returns the operands of a call. An instruction without a function is malformed.
func callParts(in *ptx.Instr) (callee *ptx.Operand, results, params []*ptx.Operand) {
	list := in.Operands
	if len(list) > 0 && list[0].Kind == ptx.List {
		results, list = list[0].Elems, list[1:]
	}
	if len(list) == 0 {
		malformed(in.Pos, "%s has no function; must have one", in.Name())
	}
	if len(list) > 1 && list[1].Kind == ptx.List {
		params = list[1].Elems
	}
	return list[0], results, params
}

// callFunction emits a call of a function of the module.
func (e *emitter) callFunction(f *function, results, params []*ptx.Operand) {
	if len(params) != len(f.f.Params) || len(results) != len(f.f.Results) {
		malformed(e.in.Pos, "the call has %d parameters and %d results; %s must have %d and %d", len(params), len(results), f.f.Name, len(f.f.Params), len(f.f.Results))
	}
	for i, o := range params {
		e.pass(o, f.f.Params[i])
	}
	e.b.Call(f.number, nil)
	for i, o := range results {
		e.receive(o, f.f.Results[i])
	}
}

// pass copies an argument to the frame.
func (e *emitter) pass(o *ptx.Operand, v *ptx.Variable) {
	e.sure = 0
	to := e.frameOf(v)
	if o.Kind == ptx.Symbol {
		if s := e.symbol(e.scope, o.Name); s != nil && s.decl != nil {
			if n, must := s.decl.Size(), v.Size(); n < must { // the rest would be of an earlier call
				malformed(o.Pos, "the argument %s has %d bytes; must have %d", o.Name, n, must)
			}
			e.copyFrame(to, s, o)
			return
		}
	}
	for i, o := range e.argumentParts(o, v) {
		e.sure = 0
		e.storeFrame(to, uint64(i)*uint64(elementBytes(v)), e.read(o, bitsType(max(ptx.TypeSize(v.Type), 1))))
	}
}

// receive copies a result from the frame.
func (e *emitter) receive(o *ptx.Operand, v *ptx.Variable) {
	e.sure = 0
	from := e.frameOf(v)
	if o.Kind == ptx.Sink {
		return
	}
	if s := e.symbol(e.scope, o.Name); s != nil && s.decl != nil {
		e.copyFrame(s, from, o)
		return
	}
	for i, o := range e.argumentParts(o, v) {
		if e.sure = 0; o.Kind != ptx.Sink {
			e.set(e.resultRegister(o), e.loadFrame(from, uint64(i)*uint64(elementBytes(v)), bitsType(max(ptx.TypeSize(v.Type), 1))))
		}
	}
}

// argumentParts returns the operands of an argument or a result, one for each element of a vector in registers.
func (e *emitter) argumentParts(o *ptx.Operand, v *ptx.Variable) []*ptx.Operand {
	if v.Vector <= 1 {
		return []*ptx.Operand{o}
	}
	if x := e.spread(o); v.Space == ".reg" && x.Kind == ptx.Vector && len(x.Elems) == v.Vector {
		return x.Elems
	}
	malformed(o.Pos, "the argument is no vector of %d elements; must be one", v.Vector)
	return nil
}

// copyFrame copies a variable to another one: slots, then the bytes of the last one.
func (e *emitter) copyFrame(to, from *symbol, o *ptx.Operand) {
	size := uint64(min(to.decl.Size(), from.decl.Size()))
	if from.space != inFrame && from.space != inLocal || to.space != inFrame && to.space != inLocal {
		unsupported(o.Pos, "the argument %s", o.Name)
	}
	unit := uint64(4)
	if len(to.decl.Dims) == 0 {
		unit = 8
	}
	for at := uint64(0); unit > 0; unit /= 2 {
		for ; size-at >= unit; at += unit {
			e.sure, e.bits = 0, 0
			v := e.loadFrame(from, at, bitsType(int(unit)))
			e.copied = e.bits
			e.storeFrame(to, at, v)
			e.copied = 0
		}
	}
}
