package shadertable

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Source is the name under which the script of a test opens the module of a stage, in SPIR-V.
func Source(stage string) string { return "module:" + stage }

// writer writes a script. The first error counts.
type writer struct {
	strings.Builder
	test *Test
	err  error
}

func (w *writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = err
	}
}

func (w *writer) word(t text) string {
	s, err := t.word()
	w.failAt(t.line, err)
	return s
}

func (w *writer) words(l texts) string {
	s, err := l.words()
	w.failAt(l.line(), err)
	return s
}

// failAt is fail with an error of a line; nil for none.
func (w *writer) failAt(line int, err error) {
	if err != nil {
		w.fail(fmt.Errorf("line %d: %w", line, err))
	}
}

// among returns a text, or the first of the permitted ones if it is absent.
func (w *writer) among(what string, t text, permitted ...string) string {
	if t.value == "" {
		return permitted[0]
	}
	if !slices.Contains(permitted, t.value) {
		w.failAt(t.line, fmt.Errorf("%s %q; must be one of %s", what, t.value, strings.Join(permitted, ", ")))
	}
	return t.value
}

// Script returns the test as AmberScript. It opens the modules under the names of Source, and other files under their own names.
func (x *Test) Script() (string, error) {
	w := &writer{test: x}
	x.outs = nil
	fmt.Fprintln(w, "#!amber")
	stages := slices.Sorted(maps.Keys(x.Shaders))
	for _, s := range stages {
		fmt.Fprintf(w, "SHADER %s s_%[1]s SPIRV-BIN FILE %s\n", w.word(text{value: s, line: x.Line}), Source(s))
	}
	b := x.body
	if b.Draw != nil && len(b.Draw.Rectangle) > 0 && x.Shaders["vertex"]+x.Shaders["mesh"] == "" {
		fmt.Fprintln(w, "SHADER vertex s_vertex PASSTHROUGH")
		stages = append(stages, "vertex")
	}
	var binds strings.Builder
	for _, name := range slices.Sorted(maps.Keys(b.Buffers)) {
		w.buffer(&binds, name, b.Buffers[name])
	}
	for _, name := range slices.Sorted(maps.Keys(b.Images)) {
		w.image(&binds, name, b.Images[name])
	}
	if p := b.Push; p != nil {
		if len(p.Expect) > 0 {
			w.fail(errors.New("push constants with expect; only buffers and images have results"))
		}
		w.contents("push", *p)
		fmt.Fprintln(&binds, "  BIND BUFFER push AS push_constant")
	}
	run := w.dispatch
	if b.Draw != nil {
		run = w.draw
	}
	run(stages, binds.String())
	return w.String(), w.err
}

// place reads SET.BINDING, or a binding of set 0.
func (w *writer) place(name string) (set, binding uint32, id string) {
	first, second, two := strings.Cut(name, ".")
	if !two {
		first, second = "0", first
	}
	numbers := [2]uint32{}
	for i, t := range []string{first, second} {
		n, err := strconv.ParseUint(t, 10, 32)
		if err != nil {
			w.fail(fmt.Errorf("binding %q; must be SET.BINDING, or a binding of set 0", name))
		}
		numbers[i] = uint32(n)
	}
	return numbers[0], numbers[1], fmt.Sprintf("b_%d_%d", numbers[0], numbers[1])
}

// aliases are the types of chiaro run, which AmberScript calls otherwise.
var aliases = map[string]string{"int": "int32", "uint": "uint32"}

// contents declares a buffer.
func (w *writer) contents(id string, b bufferBody) {
	t := w.word(b.Type)
	if other, ok := aliases[t]; ok {
		t = other
	}
	layout := strings.ToUpper(w.among("layout", b.Layout, "std430", "std140", "scalar"))
	fmt.Fprintf(w, "BUFFER %s DATA_TYPE %s %s ", id, t, layout)
	if b.Size.value != "" {
		fmt.Fprintf(w, "SIZE %s ", w.word(b.Size))
	}
	given := 0
	for _, g := range []bool{len(b.Data) > 0, b.File.value != "", b.Fill.value != ""} {
		if g {
			given++
		}
	}
	switch {
	case given > 1:
		w.failAt(b.Type.line, errors.New("more than one of data, file and fill; must have one of them"))
	case len(b.Data) > 0:
		fmt.Fprintf(w, "DATA %s END\n", w.words(b.Data))
	case b.File.value != "":
		fmt.Fprintf(w, "FILE BINARY %s\n", w.word(b.File))
	case b.Fill.value != "":
		fmt.Fprintf(w, "FILL %s\n", w.word(b.Fill))
	default:
		fmt.Fprintln(w, "FILL 0")
	}
}

func (w *writer) buffer(binds *strings.Builder, name string, b bufferBody) {
	set, binding, id := w.place(name)
	w.contents(id, b)
	kind := w.among("kind", b.Kind, "storage", "uniform")
	fmt.Fprintf(binds, "  BIND BUFFER %s AS %s DESCRIPTOR_SET %d BINDING %d\n", id, kind, set, binding)
	if len(b.Expect) > 0 {
		w.test.outs = append(w.test.outs, output{name: id, title: "buffer " + name, buffer: &b})
	}
}

// texels declares an image.
func (w *writer) texels(id string, m imageBody) {
	format := "R8G8B8A8_UNORM"
	if m.Format.value != "" {
		format = w.word(m.Format)
	}
	if m.File.value != "" {
		fmt.Fprintf(w, "BUFFER %s FORMAT %s FILE PNG %s\n", id, format, w.word(m.File))
		return
	}
	if len(m.Size) != 2 {
		w.fail(fmt.Errorf("an image with a size of %d numbers; must have width and height, or file", len(m.Size)))
		return
	}
	fmt.Fprintf(w, "BUFFER %s DATA_TYPE %s WIDTH %s HEIGHT %s ", id, format, w.word(m.Size[0]), w.word(m.Size[1]))
	switch {
	case len(m.Data) > 0:
		fmt.Fprintf(w, "DATA %s END\n", w.words(m.Data))
	case m.Fill.value != "":
		fmt.Fprintf(w, "FILL %s\n", w.word(m.Fill))
	default:
		fmt.Fprintln(w, "FILL 0")
	}
}

// descriptors are the kinds of images in AmberScript.
var descriptors = map[string]string{"storage": "storage_image", "sampled": "sampled_image", "combined": "combined_image_sampler"}

func (w *writer) image(binds *strings.Builder, name string, m imageBody) {
	set, binding, id := w.place(name)
	w.texels(id, m)
	sampler := ""
	kind := w.among("kind", m.Kind, "storage", "sampled", "combined")
	if kind == "combined" {
		filter := w.among("filter", m.Filter, "linear", "nearest")
		fmt.Fprintf(w, "SAMPLER sampler_%s MAG_FILTER %[2]s MIN_FILTER %[2]s ADDRESS_MODE_U clamp_to_edge ADDRESS_MODE_V clamp_to_edge\n", id, filter)
		sampler = " SAMPLER sampler_" + id
	}
	fmt.Fprintf(binds, "  BIND BUFFER %s AS %s%s DESCRIPTOR_SET %d BINDING %d\n", id, descriptors[kind], sampler, set, binding)
	w.expect(id, "image "+name, &m)
}

func (w *writer) expect(id, title string, m *imageBody) {
	if m.Expect.value != "" {
		w.test.outs = append(w.test.outs, output{name: id, title: title, picture: m})
	}
}

// attach attaches the shaders, with the specialization constants, which all of them have.
func (w *writer) attach(stages []string) {
	b := w.test.body
	entry := "main"
	if b.Entry.value != "" {
		entry = w.word(b.Entry)
	}
	for _, s := range stages {
		if w.test.Shaders[s] == "" { // the vertex shader of a rectangle
			fmt.Fprintf(w, "  ATTACH s_%s\n", s)
			continue
		}
		fmt.Fprintf(w, "  ATTACH s_%s ENTRY_POINT %s", s, entry)
		for _, id := range slices.Sorted(maps.Keys(b.Spec)) {
			v := b.Spec[id]
			t := w.word(v.Type)
			if other, ok := aliases[t]; ok {
				t = other
			}
			fmt.Fprintf(w, " SPECIALIZE %s AS %s %s", w.word(text{value: id, line: v.Type.line}), t, w.word(v.Value))
		}
		fmt.Fprintln(w)
		if b.Subgroup.value != "" {
			fmt.Fprintf(w, "  SUBGROUP s_%s\n    REQUIRED_SIZE %s\n  END\n", s, w.word(b.Subgroup))
		}
	}
}

// dispatch writes the pipeline and the run of a compute shader.
func (w *writer) dispatch(stages []string, binds string) {
	fmt.Fprintln(w, "PIPELINE compute p")
	w.attach(stages)
	fmt.Fprintf(w, "%sEND\n", binds)
	groups := [3]uint32{1, 1, 1}
	list := w.test.body.Groups
	if len(list) > 3 {
		w.failAt(list.line(), fmt.Errorf("%d numbers of groups; must be at most 3", len(list)))
		return
	}
	for i, t := range list {
		n, err := t.count()
		if err != nil {
			w.failAt(t.line, fmt.Errorf("groups: %w", err))
		}
		groups[i] = n
	}
	fmt.Fprintf(w, "RUN p %d %d %d\n", groups[0], groups[1], groups[2])
}

// draw writes the pipeline and the run of a draw.
func (w *writer) draw(stages []string, binds string) {
	d := w.test.body.Draw
	w.texels("target", d.Target)
	w.expect("target", "target", &d.Target)
	var inputs strings.Builder
	for _, at := range slices.Sorted(maps.Keys(d.Vertices)) {
		_, location, _ := w.place(at)
		w.contents(fmt.Sprintf("v_%d", location), d.Vertices[at])
		fmt.Fprintf(&inputs, "  VERTEX_DATA v_%d LOCATION %[1]d\n", location)
	}
	if len(d.Indices) > 0 {
		fmt.Fprintf(w, "BUFFER indices DATA_TYPE uint32 DATA %s END\n", w.words(d.Indices))
		fmt.Fprintln(&inputs, "  INDEX_DATA indices")
	}
	fmt.Fprintln(w, "PIPELINE graphics p")
	w.attach(stages)
	if len(d.Target.Size) == 2 {
		fmt.Fprintf(w, "  FRAMEBUFFER_SIZE %s\n", w.words(d.Target.Size))
	}
	fmt.Fprintf(w, "  BIND BUFFER target AS color LOCATION 0\n%s%sEND\n", inputs.String(), binds)
	if len(d.Clear) > 0 {
		fmt.Fprintf(w, "CLEAR_COLOR p %s\n", w.words(d.Clear))
	}
	fmt.Fprintln(w, "CLEAR p")
	switch {
	case len(d.Rectangle) == 4 && d.Topology.value == "":
		r := d.Rectangle
		fmt.Fprintf(w, "RUN p DRAW_RECT POS %s %s SIZE %s %s\n", w.word(r[0]), w.word(r[1]), w.word(r[2]), w.word(r[3]))
	case len(d.Rectangle) == 0 && d.Topology.value != "":
		fmt.Fprintf(w, "RUN p DRAW_ARRAY AS %s", strings.ToUpper(w.word(d.Topology)))
		if len(d.Indices) > 0 {
			fmt.Fprint(w, " INDEXED")
		}
		if d.Count.value != "" {
			fmt.Fprintf(w, " START_IDX 0 COUNT %s", w.word(d.Count))
		}
		fmt.Fprintln(w)
	default:
		w.fail(errors.New("a draw without geometry; must have either rectangle: [x, y, width, height] or topology"))
	}
}
