package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// componentFamily checks the decoration Component (Vulkan, Shader Interfaces,
// Location and Component Assignment): its value, its target type, and arrays of
// arrays by execution model. Overlaps between variables that share a location
// are checked by location.go.
var componentFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_Component_04920, Section: environment, Words: "Component is at most 3"},
		{Code: vuid.StandaloneSpirv_Component_04921, Section: environment, Words: "the components of a vector of at most 32 bits are within one location"},
		{Code: vuid.StandaloneSpirv_Component_04922, Section: environment, Words: "the components of a 64-bit vector are within one location"},
		{Code: vuid.StandaloneSpirv_Component_04923, Section: environment, Words: "a 64-bit scalar or vector of two components begins at component 0 or 2"},
		{Code: vuid.StandaloneSpirv_Component_07703, Section: environment, Words: "a 64-bit vector of three or four components has no Component"},
		{Code: vuid.StandaloneSpirv_Component_10583, Section: environment, Words: "Component is on a scalar, a vector or an array of them"},
		{Code: vuid.StandaloneSpirv_Execution_10584, Section: environment, Words: "only in tessellation control and geometry shaders is an input with a Component an array of arrays"},
		{Code: vuid.StandaloneSpirv_Execution_10585, Section: environment, Words: "only in mesh shaders is an output with a Component an array of arrays"},
	},
	after: []func(*checker){(*checker).components, (*checker).componentArrays},
}

// components checks each decoration Component.
func (c *checker) components() {
	if !c.vulkan || !c.m.Decorates(spirv.DecorationComponent) {
		return
	}
	for id, member := range c.m.Decorated() {
		if member < 0 {
			if d, ok := c.m.Decoration(id, spirv.DecorationComponent); ok {
				if v := c.m.Variable(id); v != nil {
					c.component(d, v.Type)
				}
			}
			continue
		}
		if d, ok := c.m.MemberDecoration(id, member, spirv.DecorationComponent); ok {
			if s := c.m.Type(id); s.IsStruct() && member < len(s.Members) {
				c.component(d, s.Members[member].Type)
			}
		}
	}
}

// component checks one decoration on a variable or member of type t. A location has
// four 32-bit components; a 64-bit scalar occupies two.
func (c *checker) component(d facts.Decoration, t *facts.Type) {
	n := uint64(d.Literal())
	for t != nil && t.IsArray() && !t.IsRuntimeArray() { // no location has an array without a length
		t = t.Elem
	}
	switch {
	case t == nil:
		return
	case !t.IsScalar() && !t.IsVector():
		c.fail(d.Index, vuid.StandaloneSpirv_Component_10583, "Component on an object that is %s; must be on a scalar, a vector or arrays of them", c.typeName(t))
		return
	case n > 3:
		c.fail(d.Index, vuid.StandaloneSpirv_Component_04920, "Component %d; must be at most 3", n)
		return
	}
	s, count := t, uint64(1)
	if t.IsVector() {
		s, count = t.Elem, t.Count
	}
	switch {
	case s == nil:
	case s.Width != 64:
		if n+count > 4 {
			c.fail(d.Index, vuid.StandaloneSpirv_Component_04921, "%d components from component %d on; must end at 3", count, n)
		}
	case count > 2:
		c.fail(d.Index, vuid.StandaloneSpirv_Component_07703, "Component on a vector of %d of 64 bits; must have none", count)
	case n%2 != 0:
		c.fail(d.Index, vuid.StandaloneSpirv_Component_04923, "Component %d on an object of 64 bits; must be 0 or 2", n)
	case n+2*count > 4:
		c.fail(d.Index, vuid.StandaloneSpirv_Component_04922, "%d components of 64 bits from component %d on; must end at 3", count, n)
	}
}

// componentArrays checks the arrays of arrays with a Component in each entry
// point's interface.
func (c *checker) componentArrays() {
	if !c.vulkan {
		return
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		for _, id := range e.Interface {
			v := c.m.Variable(id)
			if v == nil || !v.Type.IsArray() || !v.Type.Elem.IsArray() {
				continue
			}
			d, ok := c.m.Decoration(id, spirv.DecorationComponent)
			switch s := modelOf(e.Model); {
			case !ok:
			case v.Storage == spirv.StorageClassInput && s&(inTessellationControl|inGeometry) == 0:
				c.fail(d.Index, vuid.StandaloneSpirv_Execution_10584, "Component on %s, an array of arrays in Input of a %s entry point; must have none", c.name(id), e.Model).also(c, e.Index, "the entry point")
			case v.Storage == spirv.StorageClassOutput && s&inMeshNV == 0:
				c.fail(d.Index, vuid.StandaloneSpirv_Execution_10585, "Component on %s, an array of arrays in Output of a %s entry point; must have none", c.name(id), e.Model).also(c, e.Index, "the entry point")
			}
		}
	}
}
