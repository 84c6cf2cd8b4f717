package shadertable

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/chiaro-gpu/chiaro/internal/golden"
)

// text is a scalar as it is written, with its line.
type text struct {
	value string
	line  int
}

// UnmarshalYAML keeps the characters of a scalar: 0x10 and 1e3 stay as they are.
func (t *text) UnmarshalYAML(n ast.Node) error {
	s, ok := n.(ast.ScalarNode)
	if !ok {
		return &yaml.SyntaxError{Message: "a list or a mapping; must be a number or a word", Token: n.GetToken()}
	}
	t.value, t.line = strings.TrimSpace(s.GetToken().Value), n.GetToken().Position.Line
	return nil
}

// word returns the text if a script can have it as one word.
func (t text) word() (string, error) {
	bad := func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' || r == '\\' }
	if t.value == "" || strings.ContainsFunc(t.value, bad) {
		return "", fmt.Errorf("%q; must be one word without blanks, # and \\", t.value)
	}
	return t.value, nil
}

// count reads a whole number below 2³².
func (t text) count() (uint32, error) {
	n, err := strconv.ParseUint(t.value, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%q; must be a whole number from 0 to 2³²−1", t.value)
	}
	return uint32(n), nil
}

// texts is a list of scalars.
type texts []text

// words returns the texts as words of a script.
func (l texts) words() (string, error) {
	var list []string
	for _, t := range l {
		w, err := t.word()
		if err != nil {
			return "", err
		}
		list = append(list, w)
	}
	return strings.Join(list, " "), nil
}

// line returns the line of the first text, 0 if there is none.
func (l texts) line() int {
	if len(l) == 0 {
		return 0
	}
	return l[0].line
}

// tolerance is the permitted difference of numbers.
type tolerance struct {
	ULP      uint64  `yaml:"ulp"`
	Absolute float64 `yaml:"absolute"`
	Relative float64 `yaml:"relative"`
}

func (t tolerance) of() golden.Tolerance { return golden.Tolerance(t) }

// pictureTolerance is the permitted difference of pictures.
type pictureTolerance struct {
	Levels int `yaml:"levels"`
	Pixels int `yaml:"pixels"`
}
