package shade

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// report logs an undefined result of the pixel. A value, if there is one, is the argument of the text.
func (s *shader) report(of ir.Sanitizers, rule, text string, value ...ir.V) {
	p := s.Program
	// One message serves all samples of an attachment. The arguments follow in the order of the text: the value, then
	// the pixel.
	message := slices.IndexFunc(p.Messages, func(m ir.Message) bool { return m.Text == text })
	if message < 0 {
		args := []ir.Type{ir.F32, ir.F32}
		if len(value) > 0 {
			args = append([]ir.Type{ir.I64}, args...)
		}
		message = len(p.Messages)
		p.Messages = append(p.Messages, ir.Message{
			Kind: ir.Undefined, Text: text, Args: args,
			Site: ir.Site{Sanitizer: of, Stage: ir.Fragment, Rule: rule, Where: 2},
		})
	}
	s.B.OpAux(ir.Log, ir.None, uint64(message))
	for _, v := range value {
		s.B.Op(ir.LogArg, ir.I64, v)
	}
	s.B.Op(ir.LogArg, ir.F32, s.fragCoord(0))
	s.B.Op(ir.LogArg, ir.F32, s.fragCoord(1))
}

// mismatch returns the numeric types of the program's output and of attachment n if they differ, which makes the written value
// undefined (Vulkan, Fragment Output Interface). Without the sanitizer undefined the sign of the output is not known.
func (s *shader) mismatch(a *attachment, n uint32) string {
	const floats, signed, unsigned = "floats", "signed integers", "unsigned integers"
	of := unsigned
	switch {
	case a.Kind().IsFloat():
		of = floats
	case a.Signed():
		of = signed
	}
	for _, o := range s.From.Out {
		if o.Semantic != ir.Location || o.Index/4 != n {
			continue
		}
		is := unsigned
		switch {
		case o.Type.IsFloat():
			is = floats
		case o.Signed:
			is = signed
		}
		if is != of {
			return fmt.Sprintf("the output at Location %d has %s, and the attachment has %s", n, is, of)
		}
	}
	return ""
}

// checkWritten reports components that attachment n takes from the program and no instruction stores to: the input values of its
// blending, or of its write, are undefined (Vulkan, Fragment Output Interface). The program is known here, so the report needs no
// condition. alphaToOne gives a missing alpha a value.
func (s *shader) checkWritten(n uint32, c *colorKey) {
	if !s.Program.Checked(ir.SanitizeInterface) {
		return
	}
	// A location without any output has one report, since all its components have the same cause. Outputs of the second source of
	// dual-source blending do not count.
	some := s.hasOutput(ir.Location, 4*n)
	for i, taken := range s.taken(c) {
		// Outputs have a component each: 4·location + component.
		at := 4*n + uint32(i)
		written := slices.ContainsFunc(s.From.Out, func(o ir.Output) bool { return o.Semantic == ir.Location && o.Index == at && o.Source == 0 })
		switch {
		case !taken || written:
		case !some:
			s.report(ir.SanitizeInterface, "a color attachment at a location that the fragment shader does not write",
				fmt.Sprintf("the fragment shader does not write Location %d, of a color attachment", n))
			return
		case i != 3 || !s.key.alphaToOne:
			s.report(ir.SanitizeInterface, "a component of a color that the fragment shader does not write",
				fmt.Sprintf("the fragment shader does not write Location %d, component %d, of a color attachment", n, i))
		}
	}
}

// taken returns the components of the program's color that the texels of an attachment depend on: by the components of the format that
// the mask writes, the blending, and the logical operation.
func (s *shader) taken(c *colorKey) (is [4]bool) {
	x, err := s.Texels.Of(s.B, c.Format)
	if err != nil { // the program is not supported
		return is
	}
	// Only the components matter here: the texel has no place in memory.
	a := attachment{Texel: x}
	for i := range is {
		if a.Component(i) == nil || c.Blend.WriteMask>>i&1 == 0 {
			continue
		}
		switch {
		// Logical operations replace blending; for floats and sRGB formats they disable it.
		case s.key.Logic && a.logical():
			is[i] = is[i] || !ignoresSource(s.key.logicOp)
		case s.key.Logic || !c.Blend.Enable || a.Kind() != ir.F32:
			is[i] = true
		default:
			// A component of the result may depend on several of the program.
			for k, b := range blendSources(&c.Blend, i) {
				is[k] = is[k] || b
			}
		}
	}
	return is
}

// ignoresSource reports whether the result of a logical operation does not depend on the program's color (Vulkan, Logical Operations).
// The other twelve operations have it as an operand.
func ignoresSource(o enum.LogicOp) bool {
	return o == enum.LogicOpClear || o == enum.LogicOpNoOp || o == enum.LogicOpInvert || o == enum.LogicOpSet
}

// blendSources returns the components of the program's color that component i of a blend equation depends on (Vulkan, Blending). The
// factor zero removes its operand, min and max ignore factors, and advanced operations take all components.
func blendSources(k *state.BlendAttachment, i int) (is [4]bool) {
	op, x, y := k.ColorOp, k.SrcColor, k.DstColor
	if i == 3 {
		op, x, y = k.AlphaOp, k.SrcAlpha, k.DstAlpha
	}
	switch {
	case k.ColorOp >= enum.BlendOpZero:
		return [4]bool{true, true, true, true}
	case op == enum.BlendOpMin || op == enum.BlendOpMax:
		is[i] = true
		return is
	}
	// The factors of the result's color and alpha apply to both operands: a factor of the destination may be a component of the
	// program's color, even if the factor of the source is zero.
	is[i] = x != enum.BlendFactorZero
	for _, f := range [2]enum.BlendFactor{x, y} {
		switch f {
		case enum.BlendFactorSrcColor, enum.BlendFactorOneMinusSrcColor:
			is[i] = true
		case enum.BlendFactorSrcAlpha, enum.BlendFactorOneMinusSrcAlpha:
			is[3] = true
		case enum.BlendFactorSrcAlphaSaturate:
			// Of alpha it is 1.
			is[3] = is[3] || i != 3
		}
	}
	return is
}

// withoutUnused removes the program's reports of outputs without a value that no fixed function uses: the draw has no attachment for them, or
// its state ignores them. The sample mask always counts. The branches of the reports stay, without a statement: the engines remove them.
// A message serves all components of a variable, so that each of its logs is judged by the values that it has.
func (s *shader) withoutUnused(p *ir.Program) {
	if !s.From.Checked(ir.SanitizeInterface) {
		return
	}
	for _, f := range p.Funcs {
		skips := false
		code := f.Code
		f.Code = make([]ir.V, 0, len(code))
		for i, v := range code {
			op := f.Val(v)
			if op.Op == ir.Log {
				skips = !s.counts(f, &p.Messages[op.Aux], code[i+1:])
			}
			if !skips || op.Op != ir.Log && op.Op != ir.LogArg { // a message's values may have their operands between them
				f.Code = append(f.Code, v)
			}
		}
	}
}

// counts reports whether a message is about an output with a use, or about anything else. after is the code after its log: the first two
// values of an output with a Location are the Location and the component.
func (s *shader) counts(f *ir.Func, m *ir.Message, after []ir.V) bool {
	switch {
	// The lowering knows the modes of the shader alone: whether a test follows is state of the draw.
	case m.Kind == ir.Undefined && m.Text == ir.WithoutValue(ir.FragDepth):
		return s.key.Test.usesDepth()
	case m.Kind == ir.Undefined && m.Text == ir.WithoutValue(ir.FragStencilRef):
		return s.key.Test.usesReference()
	case m.Kind != ir.Unwritten || m.Stage != ir.Fragment:
		return true
	}
	var at []uint64
	for _, v := range after[:min(2, len(after))] {
		x := f.Val(v)
		if x.Op != ir.LogArg {
			break
		}
		if at = append(at, f.Val(x.Args[0]).Aux); f.Val(x.Args[0]).Op != ir.Const {
			return true
		}
	}
	return len(at) < 2 || s.usesColor(at[0], at[1])
}

// usesColor reports whether an attachment or the coverage depends on a component of the output at a Location.
func (s *shader) usesColor(location, component uint64) bool {
	alpha := component == 3
	switch {
	// The coverage takes alpha of Location 0 before alpha to one replaces it, also without an attachment (Vulkan, Multisample Coverage).
	case alpha && location == 0 && s.key.AlphaToCoverage:
		return true
	// Values of Locations without an attachment are discarded: colors move to the Locations of the attachments before the draw (draw.remap).
	case location >= uint64(len(s.key.Colors)) || component > 3 || !s.key.Colors[location].isWritten() || alpha && s.key.alphaToOne:
		return false
	}
	// The message does not tell the sources of dual-source blending apart.
	second := slices.ContainsFunc(s.From.Out, func(o ir.Output) bool { return o.Semantic == ir.Location && o.Source != 0 })
	return second || s.taken(&s.key.Colors[location])[component]
}
