package link

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"
)

// enumName is a name of an enumeration as a description has it: Vulkan's name in lower
// case, without the common prefix of the enumeration.
type enumName struct {
	value uint64
	name  string
}

func listNames(names []enumName) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n.name
	}
	return out
}

func enumString(names []enumName, v uint64) string {
	for _, n := range names {
		if n.value == v {
			return n.name
		}
	}
	return strconv.FormatUint(v, 10)
}

func flagString(names []enumName, v uint64) string {
	var out []string
	for _, n := range names {
		if v&n.value != 0 {
			out = append(out, n.name)
			v &^= n.value
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

// lookup finds the value of a name.
func lookup(names []enumName, text string) (uint64, error) {
	for _, n := range names {
		if n.name == text {
			return n.value, nil
		}
	}
	return 0, &ValueError{text, strings.Join(listNames(names), ", ")}
}

// ValueError reports a value in a description that is not one of the accepted values.
type ValueError struct {
	Text string // as it is written
	Want string
}

// Error describes the value and the accepted ones.
func (e *ValueError) Error() string { return fmt.Sprintf("%q: must be %s", e.Text, e.Want) }

func readEnum(names []enumName, text []byte, v *uint32) error {
	n, err := lookup(names, string(text))
	*v = uint32(n)
	return err
}

// readFlags reads a list of names, or one name alone.
func readFlags(names []enumName, read func(any) error, v *uint64) error {
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
		n, err := lookup(names, name)
		if err != nil {
			return err
		}
		*v |= n
	}
	return nil
}

// readName reads the name of one value. Types implement UnmarshalYAML because the YAML reader is slow with
// UnmarshalText: for each value it prints the node again and maps all tokens of the document.
func readName(read func(any) error, to encoding.TextUnmarshaler) error {
	var name string
	if err := read(&name); err != nil {
		return err
	}
	return to.UnmarshalText([]byte(name))
}
