package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// interpolationFamily checks how inputs and outputs are interpolated (Vulkan,
// Shader Interfaces, Interpolation Decorations).
var interpolationFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_Flat_04670, Section: environment, Words: "Flat, NoPerspective, Sample and Centroid are on variables of Input and Output"},
		{Code: vuid.StandaloneSpirv_Flat_06201, Section: environment, Words: "no output of a fragment shader is Flat, NoPerspective, Sample or Centroid"},
		{Code: vuid.StandaloneSpirv_Flat_06202, Section: environment, Words: "no input of a vertex shader is Flat, NoPerspective, Sample or Centroid"},
		{Code: vuid.StandaloneSpirv_Flat_04744, Section: environment, Words: "an input of a fragment shader with integers or doubles is Flat"},
		{Code: vuid.StandaloneSpirv_PerVertexKHR_06777, Section: environment, Words: "PerVertexKHR is on inputs of fragment shaders"},
		{Code: vuid.StandaloneSpirv_Input_06778, Section: environment, Words: "a PerVertexKHR input of a fragment shader is an array"},
		{Code: "SPV-Interpolation-Exclusive", Section: oldShaders, Words: "in Vulkan 1.0 and 1.1, no variable is both Flat and NoPerspective", Need: NeedVulkan},
		{Code: "SPV-Interpolation-Stage", Section: oldShaders, Words: "in the reading of Vulkan 1.1, only inputs of fragment shaders are Flat, NoPerspective, Sample or Centroid", Need: NeedVulkan},
		{Code: "SPV-Interpolation-Patch", Section: environment, Words: "no interface variable of a vertex, geometry or fragment shader is a Patch", Need: NeedVulkan},
		{Code: "SPV-Interpolation-PerVertex", Section: "Vulkan, Interpolation Decorations", Words: "a PerVertexKHR input has no interpolation decoration", Need: NeedVulkan},
	},
	after: []func(*checker){(*checker).interpolation},
}

// interpolating are the decorations that say how a value is interpolated.
var interpolating = [...]spirv.Decoration{spirv.DecorationFlat, spirv.DecorationNoPerspective, spirv.DecorationSample, spirv.DecorationCentroid}

// interpolation checks each variable by itself and in each entry point.
func (c *checker) interpolation() {
	if !c.vulkan {
		return
	}
	if c.m.Decorates(spirv.DecorationPerVertexKHR) || slices.ContainsFunc(interpolating[:], c.m.Decorates) {
		c.interpolatedVariables()
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		for _, id := range e.Interface {
			v := c.m.Variable(id)
			if v != nil {
				c.interfaceDecorations(e, v)
			}
			switch {
			case v == nil:
			case v.Storage == spirv.StorageClassInput:
				c.interpolatedInput(e, v)
			case v.Storage == spirv.StorageClassOutput && e.Model == spirv.ExecutionModelFragment:
				c.notInterpolated(e, v, vuid.StandaloneSpirv_Flat_06201, "an output of a fragment shader")
			}
		}
	}
}

// interpolatedVariables checks the storage class of each variable with a decoration.
func (c *checker) interpolatedVariables() {
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if v.Storage != spirv.StorageClassInput && v.Storage != spirv.StorageClassOutput {
			for _, kind := range interpolating {
				if d, ok := c.m.Decoration(v.ID, kind); ok {
					c.fail(d.Index, vuid.StandaloneSpirv_Flat_04670, "%s on %s in %s; must be on a variable in Input or Output", kind, c.name(v.ID), v.Storage).also(c, v.Index, "the variable")
				}
			}
		}
		if d, ok := c.m.Decoration(v.ID, spirv.DecorationPerVertexKHR); ok && v.Storage != spirv.StorageClassInput {
			c.fail(d.Index, vuid.StandaloneSpirv_PerVertexKHR_06777, "PerVertexKHR on %s in %s; must be on an input of a fragment shader", c.name(v.ID), v.Storage).also(c, v.Index, "the variable")
		}
	}
}

// interfaceDecorations checks the decorations of a variable in an interface, and of
// the members of its block.
func (c *checker) interfaceDecorations(e *facts.EntryPoint, v *facts.Variable) {
	if v.Storage != spirv.StorageClassInput && v.Storage != spirv.StorageClassOutput {
		return
	}
	c.exclusiveDecorations(e, v, func(kind spirv.Decoration) (facts.Decoration, bool) { return c.m.Decoration(v.ID, kind) })
	if s := core(v.Type); s.IsStruct() {
		for k := range s.Members {
			c.exclusiveDecorations(e, v, func(kind spirv.Decoration) (facts.Decoration, bool) { return c.m.MemberDecoration(s.ID, k, kind) })
		}
	}
}

// exclusiveDecorations checks the decorations that get finds. Only tessellation has
// patches: its control shader writes them, its evaluation shader reads them.
func (c *checker) exclusiveDecorations(e *facts.EntryPoint, v *facts.Variable, get func(spirv.Decoration) (facts.Decoration, bool)) {
	switch e.Model {
	case spirv.ExecutionModelVertex, spirv.ExecutionModelGeometry, spirv.ExecutionModelFragment:
		if d, ok := get(spirv.DecorationPatch); ok {
			c.fail(d.Index, "SPV-Interpolation-Patch", "%s is a Patch in the interface of a %s entry point; must be in the interface of a tessellation entry point", c.name(v.ID), e.Model).also(c, e.Index, "the entry point")
		}
	}
	if _, flat := get(spirv.DecorationFlat); flat && c.oldText() {
		if d, ok := get(spirv.DecorationNoPerspective); ok {
			c.fail(d.Index, "SPV-Interpolation-Exclusive", "%s is Flat and NoPerspective; must be one of them in %s", c.name(v.ID), text11).also(c, v.Index, "the variable")
		}
	}
	if c.older() && (e.Model != spirv.ExecutionModelFragment || v.Storage != spirv.StorageClassInput) {
		for _, kind := range interpolating {
			if d, ok := get(kind); ok {
				c.fail(d.Index, "SPV-Interpolation-Stage", "%s on %s in the interface of a %s entry point; must be on an input of a Fragment entry point in %s", kind, c.name(v.ID), e.Model, text11).also(c, v.Index, "the variable").also(c, e.Index, "the entry point")
			}
		}
	}
	if _, per := get(spirv.DecorationPerVertexKHR); per {
		for _, kind := range interpolating {
			if d, ok := get(kind); ok {
				c.fail(d.Index, "SPV-Interpolation-PerVertex", "%s is PerVertexKHR and %s; must be one of them", c.name(v.ID), kind).also(c, v.Index, "the variable")
			}
		}
	}
}

// notInterpolated checks that a variable and its members have no interpolation
// decoration.
func (c *checker) notInterpolated(e *facts.EntryPoint, v *facts.Variable, code, what string) {
	for _, kind := range interpolating {
		d, ok := c.m.Decoration(v.ID, kind)
		if s := core(v.Type); !ok && s.IsStruct() {
			for k := 0; k < len(s.Members) && !ok; k++ {
				d, ok = c.m.MemberDecoration(s.ID, k, kind)
			}
		}
		if ok {
			c.fail(d.Index, code, "%s on %s, %s; must have none", kind, c.name(v.ID), what).also(c, v.Index, "the variable").also(c, e.Index, "the entry point")
		}
	}
}

// interpolatedInput checks an input of an entry point.
func (c *checker) interpolatedInput(e *facts.EntryPoint, v *facts.Variable) {
	d, per := c.m.Decoration(v.ID, spirv.DecorationPerVertexKHR)
	switch {
	case per && e.Model != spirv.ExecutionModelFragment:
		c.fail(d.Index, vuid.StandaloneSpirv_PerVertexKHR_06777, "PerVertexKHR on %s, an input of a %s entry point; must be of a Fragment entry point", c.name(v.ID), e.Model).also(c, e.Index, "the entry point")
	case per && v.Type != nil && !v.Type.IsArray():
		c.fail(v.Index, vuid.StandaloneSpirv_Input_06778, "%s is PerVertexKHR and %s; must be an array", c.name(v.ID), c.typeName(v.Type))
	}
	switch e.Model {
	case spirv.ExecutionModelVertex:
		c.notInterpolated(e, v, vuid.StandaloneSpirv_Flat_06202, "an input of a vertex shader")
	case spirv.ExecutionModelFragment:
		if !per {
			c.flatInput(e, v)
		}
	}
}

// flatInput checks that an input of a fragment shader is Flat if it cannot be
// interpolated. The rule is about variables of such a type, not about blocks. The type
// of SampleMask is an array, not an integer, and compilers write it without Flat.
func (c *checker) flatInput(e *facts.EntryPoint, v *facts.Variable) {
	if v.Type.IsArray() && c.m.Has(v.ID, spirv.DecorationBuiltIn) {
		return
	}
	if t := core(v.Type); !t.IsStruct() && c.rigid(t) && !c.m.Has(v.ID, spirv.DecorationFlat) {
		c.fail(v.Index, vuid.StandaloneSpirv_Flat_04744, "the input %s is %s and not Flat; must be Flat in a fragment shader", c.name(v.ID), c.typeName(v.Type)).also(c, e.Index, "the entry point")
	}
}

// Kinds of numbers in a type.
const (
	numbersRigid  uint8 = 1 << iota // integers or doubles
	numbersWide                     // 64 bits, pointers included
	numbersSingle                   // 32 bits
	numbersOdd                      // other widths, and Booleans
)

// rigid reports whether a type has parts that cannot be interpolated.
func (c *checker) rigid(t *facts.Type) bool { return c.numbers(t)&numbersRigid != 0 }

// numbers returns the kinds of numbers in all parts of a type, 0 if they are
// not known. It visits each type once.
func (c *checker) numbers(t *facts.Type) uint8 {
	if t == nil {
		return 0
	}
	if c.shader.numbers == nil {
		c.shader.numbers = c.memory.bytes.Alloc(len(c.m.Types)) // parts are declared before the whole
		for n := range c.m.Types {
			c.shader.numbers[n] = c.numbersOf(&c.m.Types[n])
		}
	}
	return c.shader.numbers[t.Number]
}

func (c *checker) numbersOf(t *facts.Type) (h uint8) {
	part := func(m *facts.Type) uint8 {
		if m == nil || m.Index >= t.Index {
			return 0
		}
		return c.shader.numbers[m.Number]
	}
	switch {
	case t.IsBool():
		h = numbersOdd
	case t.IsInt():
		h = numbersRigid | widthOf(t)
	case t.IsFloat():
		h = widthOf(t)
		if t.Width == 64 {
			h |= numbersRigid
		}
	case t.IsPointer():
		if t.Storage == spirv.StorageClassPhysicalStorageBuffer {
			h = numbersWide
		}
	case t.IsStruct():
		for k := range t.Members {
			h |= part(t.Members[k].Type)
		}
	case t.IsComposite():
		h = part(t.Elem)
	}
	return h
}

// widthOf returns the kind of a number by its width.
func widthOf(t *facts.Type) uint8 {
	switch t.Width {
	case 32:
		return numbersSingle
	case 64:
		return numbersWide
	}
	return numbersOdd
}
