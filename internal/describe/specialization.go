package describe

import (
	"fmt"
	"math"
	"strconv"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
)

// SpecBits parses the value of a specialization constant: a Boolean, a whole number in any
// base of Go's syntax, or a float, for which it returns the 32 bits.
func SpecBits(s string) (uint64, bool) {
	switch s {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n), true
	}
	if n, err := strconv.ParseUint(s, 0, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 32)
	return uint64(math.Float32bits(float32(f))), err == nil
}

// Values are values of specialization constants as they are written, by SpecId.
type Values map[uint32]string

// Spec is SpecBits for each value; nil if there are none.
func (v Values) Spec() facts.Spec {
	if len(v) == 0 {
		return nil
	}
	out := facts.Spec{}
	for id, s := range v {
		if bits, ok := SpecBits(s); ok {
			out[id] = bits
		}
	}
	return out
}

// Fit is Spec for the constants of an entry point: a value that is written as a float has
// the bits of its constant. It reports whether there is a float constant that does not have
// 32 bits; the error names a constant that is no float.
func (v Values) Fit(e *iface.Entry) (spec facts.Spec, other bool, err error) {
	spec = v.Spec()
	other, err = v.fit(spec, e.Constants)
	return spec, other, err
}

func (v Values) fit(spec facts.Spec, constants []iface.Constant) (other bool, err error) {
	for i := range constants {
		k := &constants[i]
		s, given := v[k.SpecID]
		if !given || !isFloat(s) {
			continue
		}
		f, _ := strconv.ParseFloat(s, 64)
		switch {
		case k.Type.Kind != iface.Float:
			return false, at(fmt.Sprintf("specialization.%d", k.SpecID), "%s for %s, which is %s; must be of its type", s, k.Name, k.Type)
		case k.Type.Width == 64:
			spec[k.SpecID], other = math.Float64bits(f), true
		case k.Type.Width != 32 || k.Type.Name != "":
			return false, at(fmt.Sprintf("specialization.%d", k.SpecID), "%s for %s, which is %s; must be its bits, as a whole number", s, k.Name, k.Type)
		}
	}
	return other, nil
}

// isFloat reports whether a value is written as a float.
func isFloat(s string) bool {
	if s == "true" || s == "false" {
		return false
	}
	_, err := strconv.ParseInt(s, 0, 64)
	_, err2 := strconv.ParseUint(s, 0, 64)
	return err != nil && err2 != nil
}
