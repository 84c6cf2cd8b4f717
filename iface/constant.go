package iface

import (
	"encoding/json"
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Constant is a specialization constant with a SpecId.
type Constant struct {
	SpecID  uint32 `json:"id"`
	Name    string `json:"name"`
	Type    Type   `json:"type"`
	Default Value  `json:"default"`

	// Used reports whether the entry point uses it: in its functions, in the lengths
	// of arrays that it uses, or as the size of its workgroups; also through
	// other constants.
	Used bool `json:"used"`

	ID   spirv.ID `json:"-"`
	Inst int      `json:"-"`
}

// Value is a scalar of some type.
type Value struct {
	Type Type
	Bits uint64
}

// Any returns the value as a bool, int64, uint64 or float64; floats of 16 bits
// and of other encodings as their bits.
func (v Value) Any() any {
	switch v.Type.Kind {
	case Bool:
		return v.Bits != 0
	case Int:
		shift := 64 - max(min(v.Type.Width, 64), 1)
		return int64(v.Bits<<shift) >> shift
	case Float:
		switch {
		case v.Type.Width == 32:
			return float64(math.Float32frombits(uint32(v.Bits)))
		case v.Type.Width == 64:
			return math.Float64frombits(v.Bits)
		}
	}
	return v.Bits
}

// MarshalJSON writes the number or Boolean; an infinity or NaN as its bits.
func (v Value) MarshalJSON() ([]byte, error) {
	if f, ok := v.Any().(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return json.Marshal(v.Bits)
	}
	return json.Marshal(v.Any())
}

// constants adds the specialization constants of the module to the entry point.
func (e *Entry) constants(m *facts.Module, specialized []int, used []bool) {
	for _, i := range specialized {
		k := &m.Consts[i]
		t := typeOf(m, k.Type)
		e.Constants = append(e.Constants, Constant{k.SpecID, nameOf(m, k.ID), t, Value{t, k.Bits}, used[i], k.ID, k.Index})
	}
}
