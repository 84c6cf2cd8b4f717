package enum

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"
)

// Name is a name of a value as a description has it: Vulkan's name in lower case, without
// the common prefix of the enumeration.
type Name struct {
	Value uint64
	Text  string
}

// Names are the names of an enumeration, or of the flags of a set.
type Names []Name

// List returns the names in order of the values.
func (n Names) List() []string {
	out := make([]string, len(n))
	for i, x := range n {
		out[i] = x.Text
	}
	return out
}

// String returns the name of a value, or its number if it has none.
func (n Names) String(v uint64) string {
	for _, x := range n {
		if x.Value == v {
			return x.Text
		}
	}
	return strconv.FormatUint(v, 10)
}

// Flags returns the names of the flags in v, with commas, "none" for 0. Flags without a name
// are a hexadecimal number.
func (n Names) Flags(v uint64) string {
	var out []string
	for _, x := range n {
		if v&x.Value != 0 {
			out = append(out, x.Text)
			v &^= x.Value
		}
	}
	if v != 0 {
		out = append(out, fmt.Sprintf("%#x", v))
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, ", ")
}

// Lookup returns the value of a name. The error is a *ValueError.
func (n Names) Lookup(text string) (uint64, error) {
	for _, x := range n {
		if x.Text == text {
			return x.Value, nil
		}
	}
	return 0, &ValueError{text, strings.Join(n.List(), ", ")}
}

// ReadFlags reads a list of names, or one name alone, for UnmarshalYAML.
func (n Names) ReadFlags(read func(any) error, v *uint64) error {
	var list []string
	var one string
	if err := read(&list); err != nil {
		if read(&one) != nil {
			return err
		}
		list = []string{one}
	}
	*v = 0
	for _, name := range list {
		if name == "none" {
			continue
		}
		f, err := n.Lookup(name)
		if err != nil {
			return err
		}
		*v |= f
	}
	return nil
}

// read sets v to the value of a name, to 0 if there is none.
func (n Names) read(text []byte, v *uint32) error {
	x, err := n.Lookup(string(text))
	*v = uint32(x)
	return err
}

// ValueError reports a value in a description that is not one of the accepted values.
type ValueError struct {
	Text string // as it is written
	Want string
}

// Error describes the value and the accepted ones.
func (e *ValueError) Error() string { return fmt.Sprintf("%q: must be %s", e.Text, e.Want) }

// ReadName reads the name of one value for UnmarshalYAML. Types implement UnmarshalYAML because the YAML reader is slow with
// UnmarshalText: for each value it prints the node again and maps all tokens of the document.
func ReadName(read func(any) error, to encoding.TextUnmarshaler) error {
	var name string
	if err := read(&name); err != nil {
		return err
	}
	return to.UnmarshalText([]byte(name))
}
