package ir_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestVerifyRefusesForm has one fault in each program that no text can have: the
// program was built or changed through the API. Verify must report it, not panic.
func TestVerifyRefusesForm(t *testing.T) {
	type parts struct {
		p                         *ir.Program
		f                         *ir.Func
		loop, br, sw, call, block ir.V
	}
	sample := func() (m parts) {
		b := ir.NewFunc("main", nil, nil)
		r := b.Call(1, []ir.Type{ir.I32}, b.I32(7))
		m.block = b.Block(ir.I32)
		m.loop = b.Loop(r[0])
		b.Br(m.block, b.Param(m.loop, 0))
		m.br = b.Func.Code[len(b.Func.Code)-1]
		b.End()
		b.End()
		sw := b.Block()
		b.Switch(b.I32(1), sw, []ir.Case{{Value: 2, Label: sw}})
		m.sw = b.Func.Code[len(b.Func.Code)-1]
		b.End()
		m.f = b.Finish()
		m.call = m.f.Code[1]
		g := ir.NewFunc("g", []ir.Type{ir.I32}, []ir.Type{ir.I32})
		g.Return(g.Func.Args[0])
		m.p = &ir.Program{Name: "p", SubgroupSize: 4, LocalSize: [3]uint32{4, 1, 1}, Funcs: []*ir.Func{m.f, g.Finish()}}
		return m
	}
	if err := sample().p.Verify(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		spoil      func(m parts)
	}{
		{"noCode", "begin with a block", func(m parts) { m.f.Code = nil }},
		{"firstCode", "begin with a block", func(m parts) { m.f.Code[0] = 1 << 30 }},
		{"noFunction", "missing", func(m parts) { m.p.Funcs[1] = nil }},
		{"type", "do not exist", func(m parts) { m.f.Vals[m.br].Type = 200 }},
		{"operation", "do not exist", func(m parts) { m.f.Vals[m.br].Op = 250 }},
		{"codeRange", "does not exist", func(m parts) { m.f.Code[2] = -5 }},
		{"brList", "is not within", func(m parts) { m.f.Vals[m.br].Aux = 1 << 60 }},
		{"brIndex", "is not within", func(m parts) { m.f.Vals[m.br].Args[3] = -1 }},
		{"brLabel", "does not enclose it", func(m parts) { m.f.Vals[m.br].Args[0] = 1 << 30 }},
		{"switchList", "is not within", func(m parts) { m.f.Vals[m.sw].Aux = 1 << 63 }},
		{"switchCase", "does not exist", func(m parts) { m.f.Cases(m.sw)[0] = 1 << 30 }},
		{"callCount", "out of range", func(m parts) { m.f.Vals[m.call].Args[1] = -1 }},
		{"callArguments", "is not within", func(m parts) { m.f.Vals[m.call].Args[0] = 1 << 30 }},
		{"callResult", "result 1 is no such value", func(m parts) { m.f.CallResults(m.call)[0] = 1 }},
		{"callee", "out of range", func(m parts) { m.f.Vals[m.call].Aux |= 1 << 32 }},
		{"foreignParameter", "param 1 is no such value", func(m parts) { m.f.Params(m.loop)[0] = m.f.Params(m.block)[0] }},
		{"argument", "argument 1 is no such value", func(m parts) { m.p.Funcs[1].Args[0] = -1 }},
		{"resetBudgetOfShader", "entry point of a compute program only", func(m parts) {
			b := ir.NewFunc("main", nil, nil)
			b.Op(ir.ResetBudget, ir.None)
			m.p.Stage, m.p.Funcs[0] = ir.Fragment, b.Finish()
		}},
		{"stage", "stage 99", func(m parts) { m.p.Stage = 99 }},
		{"input", "input 0", func(m parts) { m.p.In = []ir.Input{{Type: ir.H}} }},
		{"output", "output 0", func(m parts) { m.p.Out = []ir.Output{{Semantic: 200, Type: ir.I32}} }},
		{"messageStage", "message 0 has a kind or a stage", func(m parts) { m.p.Messages = []ir.Message{{Site: ir.Site{Stage: 99}}} }},
		{"eventScope", "an event that does not exist", func(m parts) {
			m.p.Messages = []ir.Message{{Kind: ir.Traced, Event: ir.Event{Kind: ir.FenceEvent, Scope: 99}}}
		}},
		{"accessValues", "an access with 0 values", func(m parts) {
			m.p.Messages = []ir.Message{{Kind: ir.Traced, Event: ir.Event{Kind: ir.AccessEvent}}}
		}},
		{"resource", "resource 0", func(m parts) { m.p.Res = []ir.Resource{{Kind: 99}} }},
		{"entryResults", "entry point has results", func(m parts) {
			b := ir.NewFunc("main", nil, []ir.Type{ir.I32})
			b.Return(b.I32(1))
			m.p.Funcs[0] = b.Finish()
		}},
		{"afterTheEnd", "after the outermost block", func(m parts) {
			b := ir.NewFunc("main", nil, nil)
			b.End()
			b.Emit(ir.Val{Op: ir.Else})
			m.p.Funcs[0] = b.Func
		}},
		{"unusedIsRead", "not defined", func(m parts) {
			b := ir.NewFunc("main", nil, nil)
			wg := b.Op(ir.Wg, ir.H)
			old := b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I32, Flags: ir.Unused, Args: [4]ir.V{wg, b.I32(0), b.I32(1)}})
			b.Op(ir.Add, ir.I32, old, old)
			m.p.Funcs[0] = b.Finish()
		}},
		{"atomicOffset", "#4294967296", func(m parts) {
			b := ir.NewFunc("main", nil, nil)
			wg := b.Op(ir.Wg, ir.H)
			b.OpAux(ir.AtomAdd, ir.I32, 1<<32, wg, b.I32(0), b.I32(1))
			m.p.Funcs[0] = b.Finish()
		}},
		{"stride", "#4294967296", func(m parts) {
			b := ir.NewFunc("main", nil, nil)
			b.OpAux(ir.At, ir.I32, 1<<32, b.I32(0), b.I32(1))
			m.p.Funcs[0] = b.Finish()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := sample()
			c.spoil(m)
			if err := m.p.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}
