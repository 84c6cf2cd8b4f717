package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Rules of older versions. The rules of the newest text apply to every version of
// Vulkan, with a few exceptions: sentences that differ in the text of Vulkan 1.1
// and that compilers and drivers do not read in the newer sense. All exceptions are
// rows of docs/versions.md.

// The chapters of the text of Vulkan 1.1.
const (
	oldShaders     = "Vulkan 1.1, Shaders"
	oldEnvironment = "Vulkan 1.1, Environment for SPIR-V"
)

// oldText reports whether the text of Vulkan 1.1 applies to a module. It also
// applies to 1.0.
func (c *subject) oldText() bool { return c.vulkan && c.env.Version < Vulkan12 }

// newer makes the finding a warning for those versions: its rule is not in their
// text.
func (x found) newer(c placer) found {
	if c.oldText() {
		return x.warn()
	}
	return x
}

// oldInterpolation checks the rules that the text of Vulkan 1.1 alone has for the
// decorations of a variable in an interface, and of the members of its block.
func (c *checker) oldInterpolation(e *facts.EntryPoint, v *facts.Variable) {
	c.oldDecorations(e, v, func(kind spirv.Decoration) (facts.Decoration, bool) { return c.m.Decoration(v.ID, kind) })
	if s := core(v.Type); s.IsStruct() {
		for k := range s.Members {
			c.oldDecorations(e, v, func(kind spirv.Decoration) (facts.Decoration, bool) { return c.m.MemberDecoration(s.ID, k, kind) })
		}
	}
}

// oldDecorations checks the decorations that get finds.
func (c *checker) oldDecorations(e *facts.EntryPoint, v *facts.Variable, get func(spirv.Decoration) (facts.Decoration, bool)) {
	switch e.Model {
	case spirv.ExecutionModelVertex, spirv.ExecutionModelGeometry, spirv.ExecutionModelFragment:
		if d, ok := get(spirv.DecorationPatch); ok {
			c.fail(d.Index, "SPV-Interpolation-Patch", "%s is a Patch in the interface of a %s entry point; must be in that of tessellation in %s", c.name(v.ID), e.Model, c.env).also(c, e.Index, "the entry point")
		}
	}
	if _, flat := get(spirv.DecorationFlat); flat {
		if d, ok := get(spirv.DecorationNoPerspective); ok {
			c.fail(d.Index, "SPV-Interpolation-Exclusive", "%s is Flat and NoPerspective; must be one of them in %s", c.name(v.ID), c.env).also(c, v.Index, "the variable")
		}
	}
}
