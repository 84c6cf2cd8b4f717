package ir

import "fmt"

// form checks the assumptions of all other checks and of every engine: that
// numbers of types and operations exist, that lists are within Extra, and that
// parameters, arguments and results belong to the label, function or call that lists them.
func (f *Func) form() (at int, fault string) {
	if len(f.Vals) == 0 || len(f.Code) == 0 || !f.exists(f.Code[0]) || f.Val(f.Code[0]).Op != Block {
		return 0, "the function does not begin with a block"
	}
	for v := range f.Vals {
		if x := &f.Vals[v]; x.Op >= numOps || x.Type >= numTypes {
			return 0, fmt.Sprintf("value %d has operation %d and type %d, which do not exist", v, x.Op, x.Type)
		}
	}
	for i, a := range f.Args {
		if !f.owns(a, Arg, 0, i) {
			return 0, fmt.Sprintf("argument %d is no such value", i+1)
		}
	}
	for i, v := range f.Code {
		if fault := f.lists(v); fault != "" {
			return i, fault
		}
	}
	return 0, ""
}

func (f *Func) exists(v V) bool { return v > 0 && int(v) < len(f.Vals) }

// owns reports whether v is the i-th op (Param, Arg, Result) of owner.
func (f *Func) owns(v V, op Op, owner V, i int) bool {
	if !f.exists(v) {
		return false
	}
	x := f.Val(v)
	return x.Op == op && x.Args[0] == owner && x.Aux == uint64(i) && x.Type != None
}

// lists checks the operand list of v.
func (f *Func) lists(v V) string {
	if !f.exists(v) {
		return fmt.Sprintf("value %d does not exist", v)
	}
	x := f.Val(v)
	have := len(f.Extra)
	n := 0
	switch x.Op {
	case Block, Br:
		n = int(min(x.Aux, uint64(have)+1))
	case Loop, Switch:
		n = 2 * int(min(x.Aux, uint64(have)+1))
	case Call:
		if x.Args[0] < 0 || x.Args[1] < 0 || x.Aux>>32 != 0 {
			return "a number of operands or of a function is out of range"
		}
		n = int(x.Args[0]) + int(x.Args[1])
	default:
		return ""
	}
	if x.Args[3] < 0 || n > have-int(x.Args[3]) {
		return "the list of operands is not within the function's lists"
	}
	return f.owned(v)
}

// owned checks the parameters of a label and the results of a call.
func (f *Func) owned(v V) string {
	op, list := Param, []V(nil)
	switch x := f.Val(v); {
	case x.Op == Call:
		op, list = Result, f.CallResults(v)
	case x.Op == Block, x.Op == Loop:
		list = f.Params(v)
	}
	for i, p := range list {
		if !f.owns(p, op, v, i) {
			return fmt.Sprintf("%s %d is no such value, or belongs to another owner", op, i+1)
		}
	}
	return ""
}

// verify returns what m must not have; "" for nothing.
func (m *Message) verify() string {
	if m.Kind >= numMessageKinds || m.Site.Stage >= numStages {
		return "a kind or a stage that does not exist"
	}
	switch e := &m.Event; {
	case e.Kind >= numEventKinds || e.Domain >= EventDomains || max(e.Scope, e.Execution) > EventInvocation || e.Resource >= numResourceKinds || (e.Kind != NoEvent) != (m.Kind == Traced):
		return "an event that does not exist"
	case e.Kind.OfQuads() && len(m.Args) != 2:
		return "an event of a fragment with other values than two"
	case e.Kind == AccessEvent && e.Texel > 0 && len(m.Args) != int(e.Texel)+3+int(m.Where):
		return fmt.Sprintf("an access of a texel with %d values; want %d coordinates, a level, a sample and an index", len(m.Args), e.Texel)
	case e.Kind == AccessEvent && e.Texel == 0 && len(m.Args) != 1+int(m.Where) && len(m.Args) != 2+int(m.Where):
		return fmt.Sprintf("an access with %d values; want an address, or an offset and an index", len(m.Args))
	}
	if s := m.Sanitizer; s&(s-1) != 0 || int(m.Where) > len(m.Args) {
		return fmt.Sprintf("the sanitizers %s and identifies the invocation by %d of %d values", s, m.Where, len(m.Args))
	}
	for _, t := range m.Args {
		if t >= numTypes || !OnData.Has(t) {
			return "an argument of a type that does not exist, or has no bits"
		}
	}
	return ""
}

// verifyHead checks the program's declarations outside functions.
func (p *Program) verifyHead() string {
	if p.Stage >= numStages {
		return fmt.Sprintf("stage %d does not exist", p.Stage)
	}
	if p.Modes>>len(modeNames) != 0 {
		return "a mode that does not exist"
	}
	for i, in := range p.In {
		if in.Semantic >= numSemantics || in.Type >= numTypes || !OnData.Has(in.Type) {
			return fmt.Sprintf("input %d has a semantic or type that does not exist, or no bits", i)
		}
		if in.Interpolation >= numInterpolations || in.Sampling >= numSamplings {
			return fmt.Sprintf("input %d is interpolated in a way that does not exist", i)
		}
	}
	for i, out := range p.Out {
		if out.Semantic >= numSemantics || out.Type >= numTypes || !OnData.Has(out.Type) {
			return fmt.Sprintf("output %d has a semantic or type that does not exist, or no bits", i)
		}
		if out.Source > 1 || out.Stream >= MaxStreams {
			return fmt.Sprintf("output %d has source %d and stream %d; there are 2 and %d", i, out.Source, out.Stream, MaxStreams)
		}
	}
	if p.AttributeSlots > MaxAttributeSlots {
		return fmt.Sprintf("hit attributes of %d slots; at most %d", p.AttributeSlots, MaxAttributeSlots)
	}
	if fault := p.verifyCaptures(); fault != "" {
		return fault
	}
	for i := range p.Messages {
		if fault := p.Messages[i].verify(); fault != "" {
			return fmt.Sprintf("message %d has %s", i, fault)
		}
	}
	for i, r := range p.Res {
		if r.Kind >= numResourceKinds {
			return fmt.Sprintf("resource %d has a kind that does not exist", i)
		}
	}
	return ""
}

// verifyCaptures checks the captures and the position of each captured output in its
// vertex.
func (p *Program) verifyCaptures() string {
	taken := [MaxCaptures]bool{}
	for i, c := range p.Captures {
		if c.Buffer >= MaxCaptures || c.Stream >= MaxStreams || c.Stride > MaxCaptureStride {
			return fmt.Sprintf("capture %d has buffer %d, stream %d and stride %d; there are %d and %d, and it is at most %d", i, c.Buffer, c.Stream, c.Stride, MaxCaptures, MaxStreams, MaxCaptureStride)
		}
		if taken[c.Buffer] {
			return fmt.Sprintf("captures %d and an earlier one have the same buffer %d", i, c.Buffer)
		}
		taken[c.Buffer] = true
	}
	for i, out := range p.Out {
		if out.Capture == 0 {
			continue
		}
		if uint64(out.Capture) > uint64(len(p.Captures)) {
			return fmt.Sprintf("output %d has capture %d; there are %d", i, out.Capture, len(p.Captures))
		}
		c := p.Captures[out.Capture-1]
		if size := uint64(out.Type.Bits() / 8); out.Stream != c.Stream || size == 0 || uint64(out.Offset)%size != 0 || uint64(out.Offset)+size > uint64(c.Stride) {
			return fmt.Sprintf("output %d of stream %d at byte %d has a capture of stream %d and stride %d; must be of its stream, aligned, and within a vertex", i, out.Stream, out.Offset, c.Stream, c.Stride)
		}
	}
	return ""
}
