package link

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// matchRules are the rules of the interfaces between stages (Vulkan, Interface
// Matching).
var matchRules = []Rule{
	{vuid.RuntimeSpirv_OpEntryPoint_08743, "each location and component that a stage reads is written by the stage before it"},
	{vuid.RuntimeSpirv_OpEntryPoint_07754, "an output and the input that reads it at a location have one kind and width"},
	{vuid.RuntimeSpirv_OpVariable_08746, "an output and the input that reads it have the same decorations except for interpolation, and each is a member of a block on both sides or on none"},
	{vuid.RuntimeSpirv_maintenance4_06817, "an output has no more components than the input that reads it, unless maintenance4 is enabled"},
	{"SPV-Interface-Type", "an input that is written is declared as one output is: of the same type, or a shorter vector, and in the same place"},
	{"SPV-Interface-Input", "a compute, cluster culling, task or mesh stage has no inputs with a location: no stage before it has outputs for them"},
}

// interfaces checks the outputs of each stage and the inputs of the next one
// that there is (Vulkan, Interface Matching).
func (l *linker) interfaces() {
	chain := []int{vertex, tessellationControl, tessellationEvaluation, geometry, mesh, fragment}
	var last *Shader
	for _, k := range chain {
		s := l.stage(k)
		if s == nil {
			continue
		}
		if last != nil && k != mesh {
			l.match(last, s)
			if k != fragment {
				l.builtIns(last, s)
			}
		}
		last = s
	}
	for _, k := range []int{compute, clusterCulling, task, mesh} {
		if s := l.stage(k); s != nil {
			l.located(s)
		}
	}
}

// located checks that a stage of workgroups has no inputs with a location. Those of a mesh stage of VK_NV_mesh_shader that are of its task stage
// have the decoration PerTaskNV.
func (l *linker) located(s *Shader) {
	for i := range s.Entry.Inputs {
		if v := &s.Entry.Inputs[i]; !v.Missing && !v.PerTask {
			side := variableSide(s, v)
			l.fail("SPV-Interface-Input", []Side{side}, "the %s shader reads %s at location %d; must have no inputs with a location", side.Stage, v.Name, v.Location)
			return
		}
	}
}

// slot is one component word of a Location. Patches have Locations of their own
// (package valid, location.go).
type slot struct {
	location  uint32
	component int
	patch     bool
}

// maxSlots bounds the words of one interface; no device has so many.
const maxSlots = 1 << 16

// maxWords bounds how many words of the inputs of one stage are looked at.
const maxWords = 1 << 20

// words calls f for every component word of a variable, until f returns false: 32-bit
// words, two for each component of 64 bits (Vulkan, Location and Component Assignment).
func words(v *iface.Variable, f func(slot) bool) {
	t := v.Type
	vectors := min(uint64(t.Columns)*t.Elements(), maxSlots)
	per := t.Rows
	if t.Width == 64 {
		per *= 2
	}
	at := v.Location
	for range vectors {
		first := int(v.Component)
		for n := range per {
			if !f(slot{at + uint32((first+n)/4), (first + n) % 4, v.Patch}) {
				return
			}
		}
		at += uint32((first+per-1)/4) + 1
	}
}

// match checks the interface between two stages.
func (l *linker) match(out, in *Shader) {
	have, looked := map[slot]*iface.Variable{}, 0
	give := func(v *iface.Variable) {
		if v.Missing || !v.Type.Numeric() {
			return
		}
		words(v, func(at slot) bool {
			if have[at] == nil {
				have[at] = v
			}
			looked++
			return len(have) < maxSlots && looked < maxWords
		})
	}
	for i := range out.Entry.Outputs {
		give(&out.Entry.Outputs[i])
	}
	for _, v := range passed(out) {
		give(v)
	}
	if looked >= maxWords || len(have) >= maxSlots {
		return // no device has as many outputs, nor does anything follow from those that are left out
	}
	left := maxWords
	for i := range in.Entry.Inputs {
		v := &in.Entry.Inputs[i]
		if v.Missing || !v.Type.Numeric() {
			continue
		}
		if l.input(out, in, v, have, &left); left < 0 {
			return
		}
	}
}

// passed returns the inputs that a geometry stage passes through, which are
// outputs too (Vulkan, Passthrough Interface Matching).
func passed(s *Shader) (out []*iface.Variable) {
	if !slices.Contains(s.Entry.Capabilities, spirv.CapabilityGeometryShaderPassthroughNV) {
		return nil
	}
	m := s.facts()
	if m == nil {
		return nil
	}
	for i := range s.Entry.Inputs {
		v := &s.Entry.Inputs[i]
		through := m.Has(v.ID, spirv.DecorationPassthroughNV)
		if x := m.Variable(v.ID); !through && x != nil && len(v.Member) == 1 {
			t := x.Type
			for t != nil && t.IsArray() {
				t = t.Elem
			}
			through = t != nil && t.IsStruct() && m.HasMember(t.ID, v.Member[0], spirv.DecorationPassthroughNV)
		}
		if through {
			out = append(out, v)
		}
	}
	return out
}

// input checks one input against the outputs of the stage before; left is the number of
// words that may still be visited.
func (l *linker) input(out, in *Shader, v *iface.Variable, have map[slot]*iface.Variable, left *int) {
	var missing *slot
	var odd *iface.Variable
	var fit []*iface.Variable // outputs of the same type, in order of their words
	words(v, func(at slot) bool {
		*left--
		o := have[at]
		if o == nil { // or an output with the other Patch decoration, which is checked below
			o = have[slot{at.location, at.component, !at.patch}]
		}
		switch {
		case o == nil:
			if missing == nil {
				missing = &at
			}
		case o.Type.Kind != v.Type.Kind || o.Type.Width != v.Type.Width || o.Type.Name != v.Type.Name:
			odd = cmp.Or(odd, o)
		case len(fit) == 0 || fit[len(fit)-1] != o:
			fit = append(fit, o)
		}
		return *left >= 0
	})
	if *left < 0 {
		return
	}
	switch {
	case missing == nil && odd == nil && len(fit) == 0: // a runtime array, which no interface has
	case missing != nil:
		sides := []Side{variableSide(in, v), entrySide(out)}
		if len(fit) > 0 {
			odd = fit[0]
		}
		if odd = cmp.Or(odd, sameName(out, v)); odd != nil {
			sides[1] = variableSide(out, odd)
		}
		l.fail(vuid.RuntimeSpirv_OpEntryPoint_08743, sides, "the %s shader reads %s at location %d component %d, which the %s shader does not write; must be written",
			sides[0].Stage, v.Name, missing.location, missing.component, sides[1].Stage)
	case odd != nil:
		l.fail(vuid.RuntimeSpirv_OpEntryPoint_07754, []Side{variableSide(in, v), variableSide(out, odd)},
			"%s is %s, and %s, at the same location, is %s; must be of the same kind and width", v.Name, v.Type, odd.Name, odd.Type)
	default:
		before := len(l.found)
		for _, o := range fit {
			l.decorations(out, in, o, v)
			l.narrowed(out, in, o, v)
			l.interpolated(out, in, o, v)
		}
		if len(l.found) == before {
			l.equivalent(out, in, fit, v)
		}
	}
}

// sameName returns the output of a stage with the name of an input, which is probably the
// intended one, or nil if there is none.
func sameName(out *Shader, v *iface.Variable) *iface.Variable {
	i := slices.IndexFunc(out.Entry.Outputs, func(o iface.Variable) bool { return o.Name == v.Name })
	if i < 0 {
		return nil
	}
	return &out.Entry.Outputs[i]
}

// decorations checks the decorations that must be equivalent on both sides: all except
// those for interpolation, for transform feedback, Component and RelaxedPrecision, and
// except PerViewNV, which no input may have (SPV_NV_mesh_shader).
func (l *linker) decorations(out, in *Shader, o, v *iface.Variable) {
	for _, k := range [...]struct {
		name    string
		out, in bool
	}{
		{"Patch", o.Patch, v.Patch}, {"PerPrimitiveEXT", o.PerPrimitive, v.PerPrimitive},
		{"PerTaskNV", o.PerTask, v.PerTask},
	} {
		if k.out != k.in {
			l.fail(vuid.RuntimeSpirv_OpVariable_08746, []Side{variableSide(in, v), variableSide(out, o)},
				"%s is decorated %s only on one side; must be on both", v.Name, k.name)
		}
	}
	if (o.Block == "") != (v.Block == "") {
		l.fail(vuid.RuntimeSpirv_OpVariable_08746, []Side{variableSide(in, v), variableSide(out, o)},
			"%s is a member of a block only on one side; must be on both", v.Name)
	}
}

// interpolated checks the interpolation of a value that one library writes and another
// reads. Some devices require both sides to be the same (Vulkan, Interface Matching).
func (l *linker) interpolated(out, in *Shader, o, v *iface.Variable) {
	const limit = "graphicsPipelineLibraryIndependentInterpolationDecoration"
	if free, known := l.d.limit(limit); !known || free != 0 || StageOf(in.Entry.Model) != fragment ||
		giver(l.pieces, enum.PartsPreRasterizationShaders) == giver(l.pieces, enum.PartsFragmentShader) {
		return
	}
	if o.Flat != v.Flat || o.NoPerspective != v.NoPerspective || o.Centroid != v.Centroid || o.Sample != v.Sample {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_None_04889, []Side{variableSide(in, v), variableSide(out, o)},
			"the interpolation of %s differs from the interpolation of %s, which another library writes; must be the same without %s", v.Name, o.Name, limit)
	}
}

// narrowed checks an output vector that is longer than the input, which needs
// the feature maintenance4.
func (l *linker) narrowed(out, in *Shader, o, v *iface.Variable) {
	if on, known := l.d.feature("maintenance4"); on || !known || o.Location != v.Location || o.Component != v.Component || o.Type.Rows <= v.Type.Rows || v.Type.Rows < 2 {
		return
	}
	l.fail(vuid.RuntimeSpirv_maintenance4_06817, []Side{variableSide(out, o), variableSide(in, v)},
		"the output %s is %s, the input %s %s; must be no longer without the feature maintenance4", o.Name, o.Type, v.Name, v.Type)
}

// equivalent checks that an input with all its words written, in its kind and width, is
// declared as one output is: otherwise it has no match and its value is undefined, though
// no VUID covers this. A vector may be shorter than the output; narrowed checks that case.
func (l *linker) equivalent(out, in *Shader, fit []*iface.Variable, v *iface.Variable) {
	o := fit[0]
	x, y := o.Type, v.Type
	if len(x.Arrays)+len(y.Arrays) == 0 && x.Columns == 1 && y.Columns == 1 && x.Rows > y.Rows && y.Rows > 1 {
		x.Rows = y.Rows
	}
	if len(fit) == 1 && o.Location == v.Location && o.Component == v.Component && len(o.Member) == len(v.Member) &&
		x.Rows == y.Rows && x.Columns == y.Columns && slices.Equal(x.Arrays, y.Arrays) {
		return
	}
	l.warn("SPV-Interface-Type", []Side{variableSide(in, v), variableSide(out, o)}, "%s is %s at location %d component %d, and the output %s there is %s at location %d component %d%s; must be one variable of the same type on both sides, or its value is undefined",
		v.Name, v.Type, v.Location, v.Component, o.Name, o.Type, o.Location, o.Component, more(len(fit)))
}

// more returns the words for the number of other outputs besides the named one.
func more(n int) string {
	if n > 1 {
		return fmt.Sprintf(", with %d more", n-1)
	}
	return ""
}

// variableSide describes a variable of a stage.
func variableSide(s *Shader, v *iface.Variable) Side {
	side := s.at(v.Inst)
	side.Name, side.Type = v.Name, v.Type.String()
	side.Slot = fmt.Sprintf("location %d", v.Location)
	if v.Component > 0 {
		side.Slot += fmt.Sprintf(" component %d", v.Component)
	}
	var words []string
	for _, k := range [...]struct {
		on   bool
		word string
	}{
		{v.Flat, "Flat"}, {v.NoPerspective, "NoPerspective"}, {v.Centroid, "Centroid"}, {v.Sample, "Sample"}, {v.Patch, "Patch"},
		{v.PerPrimitive, "PerPrimitiveEXT"}, {v.PerVertex, "PerVertexKHR"}, {v.PerView, "PerViewNV"}, {v.PerTask, "PerTaskNV"},
	} {
		if k.on {
			words = append(words, k.word)
		}
	}
	side.Decorations = strings.Join(words, " ")
	return side
}
