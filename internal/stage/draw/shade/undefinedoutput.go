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
