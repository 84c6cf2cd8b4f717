package ptxlower

import "github.com/chiaro-gpu/chiaro/ptx"

// handleBytes is the size of a variable with a handle.
const handleBytes = 8

// StaticSampler is a sampler that an initializer describes, and the variable that gets its handle.
type StaticSampler struct {
	Name         string
	Linear       bool   // filter_mode
	Address      [3]int // addr_mode_0 to addr_mode_2: an index of AddressModes
	Unnormalized bool   // coordinates
}

// AddressModes are the addressing modes of the ISA. clamp_ogl has the coordinates of clamp_to_edge.
var AddressModes = []string{"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"}

// Samplers returns the samplers that the module describes.
func (m *Image) Samplers() []StaticSampler { return m.samplers }

// Opaque returns the type of a variable with a handle (.texref, .samplerref or .surfref) and its offset in the image; "" if there is
// none with the name.
func (m *Image) Opaque(name string) (typ string, offset uint64) {
	return m.opaque[name], m.offsets[name]
}

// initializeHandle reads the initializer of a variable with a handle. The view that is bound has the extents, formats and orders, so
// that those of an initializer are only checked.
func (m *Image) initializeHandle(v *ptx.Variable) {
	if v.Init == nil {
		return
	}
	s := StaticSampler{Name: v.Name}
	found := opaqueType(v) == ".samplerref"
	for i := range v.Init.List {
		x := &v.Init.List[i]
		if x.Field == "" || x.Expr == nil {
			malformed(x.Pos, "%s has an initial value without the name of a property; must have one", v.Name)
		}
		switch x.Field {
		case "filter_mode":
			s.Linear = choice(x, []string{"nearest", "linear"}) == 1
			found = true
		case "addr_mode_0", "addr_mode_1", "addr_mode_2":
			s.Address[x.Field[len(x.Field)-1]-'0'] = choice(x, AddressModes)
			found = true
		case "force_unnormalized_coords":
			s.Unnormalized = number(x) != 0
		case "normalized_coords":
			s.Unnormalized = number(x) == 0
		case "width", "height", "depth", "array_size", "num_mipmap_levels", "num_samples", "memory_layout", "channel_data_type", "channel_order":
			number(x)
		default:
			malformed(x.Pos, "%s has the property %s; must be one of %s", v.Name, x.Field, opaqueType(v))
		}
	}
	if found && opaqueType(v) != ".surfref" {
		m.samplers = append(m.samplers, s)
	}
}

// choice returns the index of the name that is the value of a property.
func choice(x *ptx.Value, names []string) int {
	for i, n := range names {
		if x.Expr.Op == "name" && x.Expr.Text == n {
			return i
		}
	}
	malformed(x.Pos, "%s must be one of %q", x.Field, names)
	return 0
}

// number returns the value of a property that is a number. A name is one of OpenCL's.
func number(x *ptx.Value) uint64 {
	n, ok := x.Expr.Int()
	if !ok && x.Expr.Op != "name" {
		malformed(x.Pos, "%s is no number; must be one", x.Field)
	}
	return n
}
