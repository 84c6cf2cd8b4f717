package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// shaderInterfaceFamily checks the sentences of Vulkan's chapter Shader Interfaces
// that have no VUID of their own. Locations, components and built-ins are checked by
// location.go, component.go and inputoutput.go.
var shaderInterfaceFamily = family{
	rules: []Rule{
		{Code: "SPV-Interface-Numeric", Section: "Vulkan, User-defined Variable Interface", Words: "a user-defined input or output is a number, or a composite of numbers", Need: NeedVulkan},
		{Code: "SPV-Interface-BuiltInBlock", Section: "SPIR-V 2.16.1; Vulkan, Built-in Interface Block", Words: "inputs and outputs with members that are built-ins are blocks, and an interface has at most one of them; the outputs of a mesh shader have at most one with PerPrimitiveEXT and one without"},
		{Code: "SPV-Interface-TileLocation", Section: "Vulkan, Fragment Tile Image Interface", Words: "tile images have locations below maxFragmentOutputAttachments", Need: NeedDevice},
		{Code: "SPV-Interface-OutputKind", Section: "Vulkan, Fragment Output Interface", Words: "the outputs of a fragment shader at one location are all floats or all integers", Need: NeedVulkan},
		{Code: "SPV-Interface-OutputWidth", Section: "Vulkan, Fragment Output Interface", Words: "outputs of a fragment shader have 16-bit or 32-bit components", Need: NeedVulkan},
		{Code: "SPV-Interface-InputAttachment", Section: "Vulkan, Fragment Input Attachment Interface", Words: "a variable with an InputAttachmentIndex contains images of the dimension SubpassData", Need: NeedVulkan},
		{Code: "SPV-Interface-OneDimension", Section: "Vulkan, DescriptorSet and Binding Assignment", Words: "an array with a Binding has one dimension", Need: NeedVulkan},
	},
	after: []func(*checker){(*checker).shaderInterfaces},
}

// shaderInterfaces checks the variables, then the interface of each entry point.
func (c *checker) shaderInterfaces() {
	if !c.vulkan {
		for n := range c.m.EntryPoints {
			c.builtInBlocks(&c.m.EntryPoints[n])
		}
		return
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		c.inputAttachment(v)
		switch v.Storage {
		case spirv.StorageClassTileAttachmentQCOM:
			if t := v.Type; t.IsArray() && t.Elem.IsArray() && c.m.Has(v.ID, spirv.DecorationBinding) {
				c.fail(v.Index, "SPV-Interface-OneDimension", "%s with a Binding is an array of arrays; must have one dimension", c.name(v.ID))
			}
		}
	}
	c.numericInterfaces()
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		c.builtInBlocks(e)
		if e.Model == spirv.ExecutionModelFragment {
			c.fragmentInterface(e)
		}
	}
}

// inputAttachment checks the type of a variable with an InputAttachmentIndex.
func (c *checker) inputAttachment(v *facts.Variable) {
	d, ok := c.m.Decoration(v.ID, spirv.DecorationInputAttachmentIndex)
	if !ok || v.Type == nil || v.Storage != spirv.StorageClassUniformConstant {
		return // another rule reports the storage class
	}
	t := core(v.Type)
	if t == nil || t.Image != nil && t.Image.Dim == spirv.DimSubpassData {
		return
	}
	c.fail(d.Index, "SPV-Interface-InputAttachment", "InputAttachmentIndex on %s, which contains %s; must contain an image of the dimension SubpassData", c.name(v.ID), c.typeName(t)).also(c, v.Index, "the variable")
}

// numericInterfaces checks the types of the inputs and outputs that entry points
// list. Rules on Booleans, pointers and cooperative types are in variable_kind.go and
// inputoutput.go; the tensors of graphs are no interface of a shader.
func (c *checker) numericInterfaces() {
	mark := c.mark()
	for n := range c.m.EntryPoints {
		for _, id := range c.m.EntryPoints[n].Interface {
			v := c.m.Variable(id)
			if v == nil || v.Type == nil || c.marks[v.Index] == mark || v.Storage != spirv.StorageClassInput && v.Storage != spirv.StorageClassOutput {
				continue
			}
			c.marks[v.Index] = mark
			if _, ok := c.m.BuiltIn(v.ID); !ok && (c.contains(v.Type, holdsOpaque) || c.holdsHandle(v.Type)) {
				c.fail(v.Index, "SPV-Interface-Numeric", "%s in %s contains %s; must contain numbers", c.name(v.ID), v.Storage, c.typeName(v.Type)).also(c, c.m.EntryPoints[n].Index, "the entry point")
			}
		}
	}
}

// holdsHandle reports whether the elements of a type are opaque and no resource:
// queries of rays, hit objects, events and their like.
func (c *checker) holdsHandle(t *facts.Type) bool {
	t = core(t)
	if t == nil || t.IsStruct() { // structs of opaque types have a rule of their own
		return false
	}
	return !t.IsScalar() && !t.IsVector() && !t.IsMatrix() && !t.IsPointer() && !c.contains(t, holdsCooperative|holdsLengthless)
}

// builtInBlocks counts the blocks of built-ins in the interfaces of an entry point.
func (c *checker) builtInBlocks(e *facts.EntryPoint) {
	if !c.m.Decorates(spirv.DecorationBuiltIn) {
		return
	}
	var first [3]*facts.Variable // of inputs, of outputs, of outputs of each primitive
	mark := c.mark()
	for _, id := range e.Interface {
		v := c.m.Variable(id)
		if v == nil || c.marks[v.Index] == mark || v.Storage != spirv.StorageClassInput && v.Storage != spirv.StorageClassOutput || !c.builtInBlock(v) {
			continue
		}
		c.marks[v.Index] = mark
		if s := core(v.Type); !c.vulkan && !c.m.Has(s.ID, spirv.DecorationBlock) { // Vulkan has a rule of its own
			c.fail(v.Index, "SPV-Interface-BuiltInBlock", "%s has members that are built-ins and is no Block; must be a Block", c.name(v.ID)).also(c, s.Index, "the struct")
		}
		k := 0
		if v.Storage == spirv.StorageClassOutput {
			k = 1
			if modelOf(e.Model)&inMesh != 0 && c.decorated(v, spirv.DecorationPerPrimitiveEXT) {
				k = 2
			}
		}
		if first[k] == nil {
			first[k] = v
			continue
		}
		c.fail(e.Index, "SPV-Interface-BuiltInBlock", "%s and %s in %s are both blocks of built-ins; must be one block", c.name(first[k].ID), c.name(v.ID), v.Storage).also(c, first[k].Index, "the first").also(c, v.Index, "the second")
		return
	}
}

// builtInBlock reports whether a variable is a block of built-ins.
func (c *checker) builtInBlock(v *facts.Variable) bool {
	s := core(v.Type)
	if !s.IsStruct() || len(s.Members) == 0 {
		return false
	}
	_, ok := c.m.MemberBuiltIn(s.ID, 0)
	return ok
}

// fragmentLocations are the outputs and the tile images of a fragment shader by
// location.
type fragmentLocations struct {
	c      *checker
	e      *facts.EntryPoint
	kinds  map[uint32]fragmentOutput
	tiles  slots
	budget int // locations that may still be checked
}

// fragmentOutput is the first output at a location.
type fragmentOutput struct {
	v     *facts.Variable
	float bool
}

// fragmentInterface checks the outputs and the tile images of a fragment shader.
func (c *checker) fragmentInterface(e *facts.EntryPoint) {
	l := fragmentLocations{c: c, e: e, budget: maxSlots}
	mark := c.mark()
	for _, id := range e.Interface {
		v := c.m.Variable(id)
		if v == nil || v.Type == nil || c.marks[v.Index] == mark {
			continue
		}
		c.marks[v.Index] = mark
		d, has := c.m.Decoration(v.ID, spirv.DecorationLocation)
		switch v.Storage {
		case spirv.StorageClassOutput:
			if _, ok := c.m.BuiltIn(v.ID); ok {
				continue
			}
			if has {
				l.output(v, v.Type, d.Literal())
			} else if s := v.Type; s.IsStruct() {
				for k := range s.Members {
					if d, ok := c.m.MemberDecoration(s.ID, k, spirv.DecorationLocation); ok {
						l.output(v, s.Members[k].Type, d.Literal())
					}
				}
			}
		case spirv.StorageClassTileImageEXT:
			if has {
				l.tile(v, d.Literal())
			}
		}
	}
}

// output checks a value at a location and returns false after a finding. The parts
// of a composite have consecutive locations.
func (l *fragmentLocations) output(v *facts.Variable, t *facts.Type, location uint32) bool {
	rows, _ := l.c.consumed(t)
	if rows == 0 || l.budget <= 0 {
		return true
	}
	switch {
	case t.IsStruct():
		for k := range t.Members {
			m := t.Members[k].Type
			if !l.output(v, m, location) {
				return false
			}
			n, _ := l.c.consumed(m)
			location += uint32(n)
		}
		return true
	case t.IsMatrix(), t.IsArray():
		n, _ := l.c.consumed(t.Elem)
		for k := range t.Count {
			if l.budget <= 0 {
				break
			}
			if !l.output(v, t.Elem, location+uint32(k*n)) {
				return false
			}
		}
		return true
	}
	l.budget--
	return l.component(v, t.Scalar(), location)
}

// component checks the scalar of an output at a location.
func (l *fragmentLocations) component(v *facts.Variable, s *facts.Type, location uint32) bool {
	c := l.c
	if !s.IsInt() && !s.IsFloat() {
		return true // Booleans and pointers have rules of their own
	}
	if s.Width != 16 && s.Width != 32 {
		x := c.fail(v.Index, "SPV-Interface-OutputWidth", "the output %s of a fragment shader has components of %d bits; must have 16 or 32", c.name(v.ID), s.Width).also(c, l.e.Index, "the entry point")
		if c.usedBy(v) == 0 {
			x.warn() // the text is about values that are written
		}
		return false
	}
	old, ok := l.kinds[location]
	if !ok {
		if l.kinds == nil {
			l.kinds = map[uint32]fragmentOutput{}
		}
		l.kinds[location] = fragmentOutput{v, s.IsFloat()}
		return true
	}
	if old.float == s.IsFloat() || old.v == v {
		return true
	}
	c.fail(l.e.Index, "SPV-Interface-OutputKind", "one of %s and %s at location %d contains floats, the other integers; must be the same", c.name(old.v.ID), c.name(v.ID), location).also(c, old.v.Index, "the first").also(c, v.Index, "the second")
	return false
}

// tile checks that no other tile image has the locations of a tile image, and that the device has them.
func (l *fragmentLocations) tile(v *facts.Variable, location uint32) {
	c := l.c
	count := uint64(1)
	for t := v.Type; t.IsArray(); t = t.Elem {
		if count *= min(max(t.Count, 1), maxSlots); count > maxSlots {
			return
		}
	}
	if old, at, ok := l.tiles.add(run{uint64(location), uint64(location) + count, slot{v, -1}}); !ok {
		c.fail(l.e.Index, vuid.StandaloneSpirv_TileImageEXT_08723, "the tile images %s and %s both have location %d; must not overlap", c.name(old.v.ID), c.name(v.ID), at).also(c, old.v.Index, "the first").also(c, v.Index, "the second")
	}
	const rule, limit = "SPV-Interface-TileLocation", "maxFragmentOutputAttachments"
	if have, ok := c.limit(rule, limit); ok && uint64(location)+count > have {
		c.fail(v.Index, rule, "the tile image %s reaches to location %d; must be below %d, the value of %s", c.name(v.ID), uint64(location)+count-1, have, limit).also(c, l.e.Index, "the entry point")
	}
}
