package valid

// VertexFormat returns whether vertex buffers may have a format, by name without
// VK_FORMAT_, and whether that is known.
func (d *Device) VertexFormat(name string) (on, known bool) {
	if d == nil || d.VertexFormats == nil {
		return false, false
	}
	if on, known = d.VertexFormats[name]; known {
		return on, true
	}
	return d.Others, d.AllOthers
}

// leastVertexFormats returns the formats with required
// VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT (Vulkan, Required Format Support).
func leastVertexFormats() map[string]bool {
	out := map[string]bool{"B8G8R8A8_UNORM": true, "A2B10G10R10_UNORM_PACK32": true}
	add := func(after string, names []string, numbers ...string) {
		for _, name := range names {
			for _, n := range numbers {
				out[name+"_"+n+after] = true
			}
		}
	}
	small := []string{"R8", "R8G8", "R8G8B8A8", "R16", "R16G16", "R16G16B16A16"}
	add("", small, "UNORM", "SNORM", "UINT", "SINT")
	add("_PACK32", []string{"A8B8G8R8"}, "UNORM", "SNORM", "UINT", "SINT")
	add("", small[3:], "SFLOAT")
	add("", []string{"R32", "R32G32", "R32G32B32", "R32G32B32A32"}, "UINT", "SINT", "SFLOAT")
	return out
}
