package ptxlower

import (
	"bytes"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// library emits a call of a function that CUDA provides, if the module does not define it; false if there is none with the name.
func (e *emitter) library(name string, results, params []*ptx.Operand) bool {
	if f := e.image.functions[name]; f != nil && f.Body != nil {
		return false
	}
	switch name {
	case "vprintf":
		e.vprintf(results, params)
	case "__assertfail":
		e.trap()
	default:
		return false
	}
	return true
}

// vprintf emits a message: a format that is known, and arguments that lie in memory as in a struct. The result is their number.
func (e *emitter) vprintf(results, params []*ptx.Operand) {
	if len(params) != 2 {
		malformed(e.in.Pos, "the call has %d parameters; vprintf must have 2", len(params))
	}
	text, ok := e.constantText(params[0])
	if !ok {
		unsupported(e.in.Pos, "the call of vprintf with a format that is not constant")
	}
	types, ok := formatTypes(text)
	if !ok {
		unsupported(e.in.Pos, "the call of vprintf with the format %q", text)
	}
	buffer := e.argument(params[1])
	slots := make([]uint64, len(types))
	at := uint64(0)
	for i, t := range types {
		slots[i] = e.temporary(t)
		at = alignUp(at, int(t.Size()))
		v := e.b.Op(ir.Add, ir.I64, buffer, e.b.Const(ir.I64, at))
		e.generic(v, uint64(t.Size()), func(p place) {
			e.b.OpAux(ir.PSt, t, slots[i], e.b.I32(0), e.loadPlace(p, 0, t, 0))
		})
		at += uint64(t.Size())
	}
	e.prog.Messages = append(e.prog.Messages, ir.Message{Kind: ir.Print, Text: text, Args: types})
	e.b.OpAux(ir.Log, 0, uint64(len(e.prog.Messages)-1))
	for i, t := range types {
		e.b.OpAux(ir.LogArg, t, 0, e.b.OpAux(ir.PLd, t, slots[i], e.b.I32(0)))
	}
	if len(results) == 1 {
		if s := e.symbol(e.scope, results[0].Name); s != nil && s.decl != nil {
			e.storeFrame(s, 0, e.b.I32(uint32(len(types))))
		}
	}
}

// argument returns the value of an argument of 64 bits.
func (e *emitter) argument(o *ptx.Operand) ir.V {
	if s := e.symbol(e.scope, o.Name); s != nil && s.decl != nil && o.Kind == ptx.Symbol {
		return e.loadFrame(s, 0, ir.I64)
	}
	return e.read(o, ir.I64)
}

// formatTypes returns the types of the arguments of a format; false if it has one that a thread cannot pass by value.
func formatTypes(text string) (types []ir.Type, ok bool) {
	for {
		_, rest, found := strings.Cut(text, "%")
		if !found {
			return types, true
		}
		rest = strings.TrimLeft(rest, "-+ #0123456789.")
		verb := strings.TrimLeft(rest, "hlLjzt")
		long := strings.ContainsAny(rest[:len(rest)-len(verb)], "lLjzt")
		if verb == "" {
			return nil, false
		}
		switch verb[0] {
		case 'd', 'i', 'u', 'x', 'X', 'o', 'c':
			if long {
				types = append(types, ir.I64)
			} else {
				types = append(types, ir.I32)
			}
		case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
			types = append(types, ir.F64)
		case 'p':
			types = append(types, ir.I64)
		case '%':
		default:
			return nil, false
		}
		text = verb[1:]
	}
}

// constantText returns the text that the address in an argument points to, if it is always the same.
func (e *emitter) constantText(o *ptx.Operand) (string, bool) {
	at, ok := e.constantAddress(e.item, o)
	if s := e.symbol(e.scope, o.Name); !ok && s != nil && s.decl != nil {
		at, ok = e.storedAddress(s)
	}
	if !ok || at >= uint64(len(e.image.Bytes)) {
		return "", false
	}
	text, _, ended := bytes.Cut(e.image.Bytes[at:], []byte{0})
	return string(text), ended
}

// storedAddress returns the offset in the image of the only address that is stored to a parameter.
func (e *emitter) storedAddress(s *symbol) (at uint64, ok bool) {
	for i := range e.items {
		it := &e.items[i]
		if it.in.Op != "st" || len(it.in.Operands) != 2 || len(it.in.Operands[0].Elems) != 1 {
			continue
		}
		if to, _ := e.baseOf(it, it.in.Operands[0].Elems[0]); to != s {
			continue
		}
		if ok {
			return 0, false
		}
		if at, ok = e.constantAddress(it, it.in.Operands[1]); !ok {
			return 0, false
		}
	}
	return at, ok
}

// constantAddress returns the offset in the image that an operand points to: a variable, or a register that only a mov, a cvta or an
// add of a constant writes.
func (e *emitter) constantAddress(it *item, o *ptx.Operand) (uint64, bool) {
	for range 8 {
		if o.Kind != ptx.Symbol || o.Part != "" {
			return 0, false
		}
		r := e.register(it.at, o.Name)
		if r == nil {
			at, ok := e.image.offsets[o.Name]
			if ok && o.Expr != nil {
				n, constant := o.Expr.Int()
				return at + n, constant
			}
			return at, ok
		}
		if r.defs != 1 || r.def.in.Op != "mov" && r.def.in.Op != "cvta" || len(r.def.in.Operands) != 2 || o.Expr != nil {
			return 0, false
		}
		it, o = r.def, r.def.in.Operands[1]
	}
	return 0, false
}
