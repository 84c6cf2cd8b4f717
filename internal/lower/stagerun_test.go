package lower

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// A script of a graphics stage has these items too. The invocations are lanes of one
// workgroup; there is no fixed function around them, so that inputs are what the
// script says and outputs what it asks for:
//
//	lanes 8                   invocations
//	quadrow 4                 Program.QuadRow
//	in location:5 1 2 3 …     what each lane reads; the index may follow the semantic
//	inat position:1 0 1 2     what vertex, or sample, 0, 1, … has
//	out location:0 …          what each lane must have handed on; _ is any word; .1 is of the second source
//	outat location:0 …        what each vertex of the patch must have
//	emitted 1 …               what lane 1 must have emitted: 0x100 + stream and then the outputs
//	                          in the program's order for a vertex, 0x200 + stream for the end of a strip
//
// A value of 64 bits is two words. An input that is interpolated is what the lane reads
// in "in", and dx·16 + dy·256 more where dx and dy say where; at centroid and at sample 1000
// and 2000 more.
type stageScript struct {
	lanes, quadRow uint32
	in, inat       map[string][]string
	out, outat     [][]string
	emitted        map[int][]string
}

func (s *stageScript) item(key string, f []string) bool {
	if s.in == nil {
		s.in, s.inat, s.emitted = map[string][]string{}, map[string][]string{}, map[int][]string{}
		s.lanes = 4
	}
	switch key {
	case "lanes":
		fmt.Sscan(f[0], &s.lanes)
	case "quadrow":
		fmt.Sscan(f[0], &s.quadRow)
	case "in":
		s.in[f[0]] = repeated(f[1:])
	case "inat":
		s.inat[f[0]] = repeated(f[1:])
	case "out":
		s.out = append(s.out, append(f[:1:1], repeated(f[1:])...))
	case "outat":
		s.outat = append(s.outat, append(f[:1:1], repeated(f[1:])...))
	case "emitted":
		var lane int
		fmt.Sscan(f[0], &lane)
		s.emitted[lane] = repeated(f[1:])
	default:
		return false
	}
	return true
}

// The places where what stands around a stage is bound.
const (
	stageSet      = 99
	inBinding     = 0 // [lane][input], 8 bytes each
	atBinding     = 1 // [vertex][input]
	handedBinding = 2 // [lane][output]
	patBinding    = 3 // [vertex][output]
	runBinding    = 4 // [lane][emittedBytes]: bytes so far, and then what was emitted
)

const (
	emittedBytes = 1024
	stageRows    = 64 // of buffers by lane or vertex
)

// nameOf is how a script calls an input or output.
func nameOf(s ir.Semantic, index uint32) string {
	if index == 0 && s != ir.Location {
		return s.String()
	}
	return fmt.Sprintf("%s:%d", s, index)
}

// bindStage makes the program one that engines run, and binds what is around it.
func (s *script) bindStage(t *testing.T, p *ir.Program) {
	st := &s.stage
	fill := func(binding uint32, rows int, columns int) []byte {
		b := make([]byte, max(rows*columns*8, 8))
		s.args.Bindings[compute.Binding{Set: stageSet, Binding: binding}] = []exec.Buffer{{Bytes: b}}
		return b
	}
	in, at := fill(inBinding, stageRows, len(p.In)), fill(atBinding, stageRows, len(p.In))
	fill(handedBinding, stageRows, len(p.Out))
	fill(patBinding, stageRows, len(p.Out))
	fill(runBinding, stageRows, emittedBytes/8)
	for k, x := range p.In {
		name := nameOf(x.Semantic, x.Index)
		for _, from := range []struct {
			b    []byte
			list []string
		}{{in, st.in[name]}, {at, st.inat[name]}} {
			n := 1
			if x.Type.Bits() == 64 {
				n = 2
			}
			for i, text := range from.list {
				w, err := word(text)
				if err != nil {
					t.Fatal(name, err)
				}
				binary.LittleEndian.PutUint32(from.b[(i/n*len(p.In)+k)*8+i%n*4:], w)
			}
		}
	}
	st.replace(p)
	if err := p.Verify(); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
}

// replace replaces what only stages have.
func (s *stageScript) replace(p *ir.Program) {
	first := uint64(len(p.Res))
	for i := range uint32(5) {
		p.Res = append(p.Res, ir.Resource{Set: stageSet, Binding: i, Count: 1})
	}
	q := &stageReplacer{p: p, first: first, in: slices.Clone(p.In), outs: len(p.Out)}
	p.Stage, p.LocalSize, p.QuadRow, p.Modes, p.Out = ir.Compute, [3]uint32{s.lanes, 1, 1}, s.quadRow, 0, nil
	p.In = nil
	for _, x := range q.in {
		if !x.Semantic.Engine() {
			x = ir.Input{Type: ir.I32}
		}
		p.In = append(p.In, x)
	}
	p.In = append(p.In, ir.Input{Semantic: ir.LocalInvocationIndex, Type: ir.I32})
	for _, f := range p.Funcs {
		q.f = f
		code := f.Code
		f.Code = nil
		for _, v := range code {
			q.value(v)
		}
	}
	p.StateEffects()
}

type stageReplacer struct {
	p     *ir.Program
	f     *ir.Func
	first uint64
	in    []ir.Input
	outs  int
}

func (q *stageReplacer) op(op ir.Op, t ir.Type, aux uint64, args ...ir.V) ir.V {
	x := ir.Val{Op: op, Type: t, Aux: aux}
	copy(x.Args[:], args)
	q.f.Vals = append(q.f.Vals, x)
	v := ir.V(len(q.f.Vals) - 1)
	if op != ir.Const {
		q.f.Code = append(q.f.Code, v)
	}
	return v
}

func (q *stageReplacer) number(n uint64) ir.V { return q.op(ir.Const, ir.I32, n) }

func (q *stageReplacer) float(bits uint64) ir.V { return q.op(ir.Const, ir.F32, bits) }

func (q *stageReplacer) buffer(binding uint64) ir.V {
	return q.op(ir.Res, ir.H, q.first+binding, q.number(0))
}

func (q *stageReplacer) lane() ir.V { return q.op(ir.In, ir.I32, uint64(len(q.in))) }

// row is where the row of a lane or vertex begins.
func (q *stageReplacer) row(i ir.V, columns int) ir.V {
	return q.op(ir.At, ir.I32, uint64(8*columns), q.number(0), i)
}

func (q *stageReplacer) value(v ir.V) {
	x := q.f.Vals[v]
	load := func(binding uint64, i ir.V, columns int) ir.V {
		return q.op(ir.Ld, x.Type, x.Aux*8, q.buffer(binding), q.row(i, columns))
	}
	become := func(from ir.V) { // the last operation gets the number of the one that it replaces
		q.f.Vals[v] = q.f.Vals[from]
		q.f.Code[len(q.f.Code)-1] = v
	}
	more := func(from ir.V, bits uint64) ir.V { return q.op(ir.FAdd, x.Type, 0, from, q.float(bits)) }
	switch x.Op {
	case ir.In:
		if q.in[x.Aux].Semantic.Engine() {
			q.f.Code = append(q.f.Code, v)
			return
		}
		from := load(inBinding, q.lane(), len(q.in))
		switch q.in[x.Aux].Sampling {
		case ir.Centroid:
			from = more(from, 0x447a0000)
		case ir.Sample:
			from = more(from, 0x44fa0000)
		}
		become(from)
	case ir.InAt:
		become(load(atBinding, x.Args[0], len(q.in)))
	case ir.Interp:
		from := load(inBinding, q.lane(), len(q.in))
		from = q.op(ir.FAdd, x.Type, 0, from, q.op(ir.FMul, ir.F32, 0, x.Args[0], q.float(0x41800000)))
		become(q.op(ir.FAdd, x.Type, 0, from, q.op(ir.FMul, ir.F32, 0, x.Args[1], q.float(0x43800000))))
	case ir.Out:
		q.op(ir.St, x.Type, x.Aux*8, q.buffer(handedBinding), q.row(q.lane(), q.outs), x.Args[0])
	case ir.OutAt:
		q.op(ir.St, x.Type, x.Aux*8, q.buffer(patBinding), q.row(x.Args[0], q.outs), x.Args[1])
	case ir.OutGet:
		become(load(patBinding, x.Args[0], q.outs))
	case ir.Emit:
		q.say(0x100 + x.Aux)
		for k := range q.outs {
			q.append(q.op(ir.Ld, ir.I32, uint64(8*k), q.buffer(handedBinding), q.row(q.lane(), q.outs)))
		}
	case ir.EndPrim:
		q.say(0x200 + x.Aux)
	default:
		q.f.Code = append(q.f.Code, v)
	}
}

func (q *stageReplacer) say(n uint64) { q.append(q.number(n)) }

// append adds a word to what the lane has emitted.
func (q *stageReplacer) append(word ir.V) {
	h, row := q.buffer(runBinding), q.row(q.lane(), emittedBytes/8)
	n := q.op(ir.Ld, ir.I32, 0, h, row)
	q.op(ir.St, ir.I32, 4, h, q.op(ir.At, ir.I32, 1, row, n), word)
	q.op(ir.St, ir.I32, 0, h, row, q.op(ir.Add, ir.I32, 0, n, q.number(4)))
}

// checkStage compares what was handed on with what the script wants. outs are the
// outputs of the program as it was lowered.
func (s *script) checkStage(t *testing.T, engine string, p *ir.Program, outs []ir.Output) {
	t.Helper()
	bytes := func(binding uint32) []byte {
		return s.args.Bindings[compute.Binding{Set: stageSet, Binding: binding}][0].Bytes
	}
	compare := func(what string, got uint32, text string) {
		t.Helper()
		want, err := word(text)
		if text != "_" && (err != nil || got != want) {
			t.Errorf("%s: %s is 0x%x; want %s\n%s", engine, what, got, text, p)
		}
	}
	for binding, lists := range map[uint32][][]string{handedBinding: s.stage.out, patBinding: s.stage.outat} {
		for _, list := range lists {
			name, words := list[0], list[1:]
			k := slices.IndexFunc(outs, func(x ir.Output) bool {
				if x.Source > 0 {
					return fmt.Sprintf("%s.%d", nameOf(x.Semantic, x.Index), x.Source) == name
				}
				return nameOf(x.Semantic, x.Index) == name
			})
			if k < 0 {
				t.Fatalf("%s is not handed on\n%s", name, p)
			}
			n := 1
			if outs[k].Type.Bits() == 64 {
				n = 2
			}
			for i, text := range words {
				compare(fmt.Sprintf("%s of %d", name, i/n), binary.LittleEndian.Uint32(bytes(binding)[(i/n*len(outs)+k)*8+i%n*4:]), text)
			}
		}
	}
	for lane, want := range s.stage.emitted {
		b := bytes(runBinding)[lane*emittedBytes:][:emittedBytes]
		if n := binary.LittleEndian.Uint32(b) / 4; n != uint32(len(want)) {
			t.Errorf("%s: lane %d emitted %d words; want %d", engine, lane, n, len(want))
			continue
		}
		for i, text := range want {
			compare(fmt.Sprintf("word %d that lane %d emitted", i, lane), binary.LittleEndian.Uint32(b[4+4*i:]), text)
		}
	}
	if strings.Contains(p.String(), "emit #") {
		t.Errorf("an emit is left")
	}
}
