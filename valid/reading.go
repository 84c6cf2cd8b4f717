package valid

// Rules of older versions. The rules of the newest text apply to every version of
// Vulkan, with a few exceptions: sentences that differ in the text of Vulkan 1.1
// and that compilers and drivers do not read in the newer sense. All exceptions are
// rows of docs/versions.md.

// oldShaders is a chapter of the text of Vulkan 1.1.
const oldShaders = "Vulkan 1.1, Shaders"

// oldText reports whether the text of Vulkan 1.1 applies to a module. It also
// applies to 1.0.
func (c *subject) oldText() bool { return c.vulkan && c.env.Version < Vulkan12 }

// newer makes the finding a warning for those versions: its rule is not in their
// text.
func (x found) newer(c positioner) found {
	if c.oldText() {
		return x.warn()
	}
	return x
}
