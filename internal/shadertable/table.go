package shadertable

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Table is the tests of a file.
type Table struct {
	File  string
	Tests []*Test
}

// Test is one test: a dispatch or a draw with the expected results.
type Test struct {
	Name     string
	File     string            // of the table
	Line     int               // of its name in the table
	Shaders  map[string]string // files by the stage's name in AmberScript
	Sanitize ir.Sanitizers     // that find the expected findings; none: those of the run

	body *testBody
	outs []output
}

// document is a table as it is written.
type document struct {
	Shader  text            `yaml:"shader"`
	Shaders map[string]text `yaml:"shaders"`
	Entry   text            `yaml:"entry"`
	Tests   []testBody      `yaml:"tests"`
}

// testBody is a test as it is written.
type testBody struct {
	Name     text                  `yaml:"name"`
	Shader   text                  `yaml:"shader"`
	Shaders  map[string]text       `yaml:"shaders"`
	Entry    text                  `yaml:"entry"`
	Groups   texts                 `yaml:"groups"`
	Draw     *drawBody             `yaml:"draw"`
	Subgroup text                  `yaml:"subgroup-size"`
	Push     *bufferBody           `yaml:"push"`
	Spec     map[string]specBody   `yaml:"spec"`
	Buffers  map[string]bufferBody `yaml:"buffers"`
	Images   map[string]imageBody  `yaml:"images"`
	Findings texts                 `yaml:"findings"`
	// Permitted: the results, and the expected values, must be among those that Vulkan permits.
	Permitted bool `yaml:"permitted"`
}

// specBody is the value of a specialization constant.
type specBody struct {
	Type  text `yaml:"type"`
	Value text `yaml:"value"`
}

// bufferBody is a buffer, or the push constants.
type bufferBody struct {
	Kind      text      `yaml:"kind"` // of the descriptor: storage, uniform
	Type      text      `yaml:"type"`
	Layout    text      `yaml:"layout"` // std140, std430, scalar
	Data      texts     `yaml:"data"`
	Size      text      `yaml:"size"` // elements
	Fill      text      `yaml:"fill"`
	File      text      `yaml:"file"` // bytes
	Expect    texts     `yaml:"expect"`
	Tolerance tolerance `yaml:"tolerance"`
}

// imageBody is an image, or an attachment.
type imageBody struct {
	Kind      text             `yaml:"kind"` // of the descriptor: storage, sampled, combined
	Format    text             `yaml:"format"`
	Size      texts            `yaml:"size"` // width, height
	Fill      text             `yaml:"fill"`
	Data      texts            `yaml:"data"`
	File      text             `yaml:"file"` // PNG
	Filter    text             `yaml:"filter"`
	Expect    text             `yaml:"expect"` // PNG
	Tolerance pictureTolerance `yaml:"tolerance"`
}

// drawBody is a draw into one color attachment.
type drawBody struct {
	Rectangle texts                 `yaml:"rectangle"` // x, y, width, height
	Topology  text                  `yaml:"topology"`
	Count     text                  `yaml:"count"`
	Vertices  map[string]bufferBody `yaml:"vertices"` // by location
	Indices   texts                 `yaml:"indices"`
	Clear     texts                 `yaml:"clear"` // red, green, blue, alpha: 0 to 255
	Target    imageBody             `yaml:"target"`
}

// output is a buffer or an image of the script with an expected result.
type output struct {
	name    string // in the script
	title   string // in messages
	buffer  *bufferBody
	picture *imageBody
}

// maxTests bounds the tests of a table.
const maxTests = 1 << 12

// Read reads a table. Its errors have the file and the line.
func Read(file string, data []byte) (*Table, error) {
	var d document
	if err := describe.ReadYAML(data, file, &d); err != nil {
		return nil, err
	}
	switch n := len(d.Tests); {
	case n == 0:
		return nil, fmt.Errorf("%s:1:1: no tests; must have at least one", file)
	case n > maxTests:
		return nil, fmt.Errorf("%s:1:1: %d tests; must be at most %d", file, n, maxTests)
	}
	t := &Table{File: file}
	for i := range d.Tests {
		b := &d.Tests[i]
		x := &Test{Name: b.Name.value, File: file, Line: max(b.Name.line, 1), body: b}
		if err := x.read(&d); err != nil {
			return nil, fmt.Errorf("%s:%d:1: test %q: %w", file, x.Line, x.Name, err)
		}
		if slices.ContainsFunc(t.Tests, func(o *Test) bool { return o.Name == x.Name }) {
			return nil, fmt.Errorf("%s:%d:1: test %q is there twice; must have a name of its own", file, x.Line, x.Name)
		}
		t.Tests = append(t.Tests, x)
	}
	return t, nil
}

// read completes a test with the shaders of the table.
func (x *Test) read(d *document) error {
	b := x.body
	if x.Name == "" {
		return errors.New("no name; must have one")
	}
	if b.Entry.value == "" {
		b.Entry = d.Entry
	}
	one, several := b.Shader, b.Shaders
	if one.value == "" && len(several) == 0 {
		one, several = d.Shader, d.Shaders
	}
	switch {
	case one.value != "" && len(several) > 0:
		return errors.New("shader and shaders; must have one of them")
	case one.value != "":
		x.Shaders = map[string]string{"compute": one.value}
	case len(several) == 0:
		return errors.New("no shader; must have shader, or shaders by stage")
	default:
		x.Shaders = map[string]string{}
		for stage, file := range several {
			x.Shaders[stage] = file.value
		}
	}
	_, computes := x.Shaders["compute"]
	switch {
	case computes && len(x.Shaders) > 1:
		return errors.New("a compute shader with other stages; must be alone")
	case computes && b.Draw != nil:
		return errors.New("a draw of a compute shader; must have groups")
	case !computes && b.Draw == nil:
		return fmt.Errorf("shaders of the stages %s without draw; must have draw", strings.Join(slices.Sorted(maps.Keys(x.Shaders)), ", "))
	case !computes && len(b.Groups) > 0:
		return errors.New("groups of a draw; only a compute shader has groups")
	}
	return x.expectations()
}

// expectations checks the tolerances and the findings. A test without an expected result is a mistake.
func (x *Test) expectations() error {
	n := len(x.body.Findings)
	for name, b := range x.body.Buffers {
		if err := b.Tolerance.of().Check(); err != nil {
			return fmt.Errorf("buffer %s: %w", name, err)
		}
		n += len(b.Expect)
	}
	images := slices.Collect(maps.Values(x.body.Images))
	if d := x.body.Draw; d != nil {
		images = append(images, d.Target)
	}
	for _, m := range images {
		if m.Tolerance.Levels < 0 || m.Tolerance.Pixels < 0 {
			return errors.New("a negative tolerance; must be at least 0")
		}
		n += len(m.Expect.value)
	}
	if x.body.Permitted {
		if x.body.Draw != nil || len(x.body.Images) > 0 {
			return errors.New("permitted with a draw or with images; must be a compute shader with buffers")
		}
		n++
	}
	if n == 0 {
		return errors.New("nothing is expected; must have expect of a buffer or an image, findings, or permitted")
	}
	for _, f := range x.body.Findings {
		sanitizer, _, _ := strings.Cut(f.value, " ")
		s, _, ok := ir.ParseSanitizers(sanitizer)
		if !ok {
			return fmt.Errorf("line %d: finding %q; must begin with the name of a sanitizer: %s", f.line, f.value, strings.Join(ir.SanitizerNames(), ", "))
		}
		x.Sanitize |= s
	}
	return nil
}

// Files returns the names of the files that the test reads, as they are written: modules, contents and expected pictures.
func (x *Test) Files() []string {
	b := x.body
	buffers, images := slices.Collect(maps.Values(b.Buffers)), slices.Collect(maps.Values(b.Images))
	if b.Push != nil {
		buffers = append(buffers, *b.Push)
	}
	if d := b.Draw; d != nil {
		buffers = slices.AppendSeq(buffers, maps.Values(d.Vertices))
		images = append(images, d.Target)
	}
	names := map[string]bool{}
	for _, name := range x.Shaders {
		names[name] = true
	}
	for i := range buffers {
		names[buffers[i].File.value] = true
	}
	for i := range images {
		names[images[i].File.value], names[images[i].Expect.value] = true, true
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

// At returns the place of the test, as the beginning of a message.
func (x *Test) At() string { return fmt.Sprintf("%s:%d:1: %s: ", x.File, x.Line, x.Name) }
