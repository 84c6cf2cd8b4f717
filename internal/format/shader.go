package format

import "strings"

// OfShader returns the name of the format that equals an image format of SPIR-V, such as R16G16_SFLOAT for
// Rg16f; "" for Unknown and other names (Vulkan, Compatibility Between SPIR-V Image Formats and Vulkan
// Formats).
func OfShader(name string) string {
	switch name {
	case "R11fG11fB10f":
		return "B10G11R11_UFLOAT_PACK32"
	case "Rgb10A2":
		return "A2B10G10R10_UNORM_PACK32"
	case "Rgb10a2ui":
		return "A2B10G10R10_UINT_PACK32"
	}
	at := strings.IndexAny(name, "0123456789")
	if at < 0 {
		return ""
	}
	kind := strings.TrimLeft(name[at:], "0123456789")
	bits := name[at : len(name)-len(kind)]
	numeric, ok := map[string]string{"": "UNORM", "Snorm": "SNORM", "f": "SFLOAT", "i": "SINT", "ui": "UINT"}[kind]
	var w strings.Builder
	for _, c := range strings.ToUpper(name[:at]) {
		w.WriteString(string(c) + bits)
	}
	w.WriteString("_" + numeric)
	if !ok || InfoByName(w.String()) == nil {
		return ""
	}
	return w.String()
}
