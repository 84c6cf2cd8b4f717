package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/valid"
)

// maxFile bounds a file: 8 MiB. The output of vulkaninfo has about 2 MiB.
const maxFile = 8 << 20

// maxWarnings bounds the warnings that are kept of one file.
const maxWarnings = 100

// block is one block of capabilities, or several that were merged.
type block struct {
	features   map[string]bool
	limits     map[string]uint64
	extensions map[string]bool
	vertex     map[string]bool // formats of vertex buffers; nil if the block has no formats

	matrices map[valid.MatrixList][]valid.MatrixShape
	vectors  []valid.VectorProduct // nil if the block has no list
}

func newBlock() *block {
	return &block{features: map[string]bool{}, limits: map[string]uint64{}, extensions: map[string]bool{}, matrices: map[valid.MatrixList][]valid.MatrixShape{}}
}

// size is how many facts the block has.
func (b *block) size() int {
	n := len(b.features) + len(b.limits) + len(b.extensions) + len(b.vertex) + len(b.vectors)
	for _, list := range b.matrices {
		n += len(list)
	}
	return n
}

// add merges the promises of another block.
func (b *block) add(o *block) {
	for n, on := range o.features {
		b.features[n] = b.features[n] || on
	}
	for n, v := range o.limits {
		if old, ok := b.limits[n]; ok {
			name, _, _ := strings.Cut(n, "[")
			v = properties[name].merge(old, v)
		}
		b.limits[n] = v
	}
	maps.Copy(b.extensions, o.extensions)
	b.addLists(o)
	if o.vertex != nil {
		if b.vertex == nil {
			b.vertex = map[string]bool{}
		}
		maps.Copy(b.vertex, o.vertex)
	}
}

// written is a profile as its file has it.
type written struct {
	name, label, description string
	version                  string     // of Vulkan
	blocks                   [][]string // each a choice of blocks
	required                 []string   // names of profiles
	from                     *file
}

// file is one file that was read.
type file struct {
	name     string
	blocks   map[string]*block
	profiles []*written
	warnings []string
	left     int // warnings beyond maxWarnings
}

// reader walks over a file. The first fault ends it, because the user corrects
// the faults of a file one at a time.
type reader struct {
	*file
	fault *fault
	odd   []fault // warnings
}

// fault is a fault in the file and its path.
type fault struct{ path, message string }

// fail reports a fault at a path.
func (r *reader) fail(path, format string, args ...any) {
	if r.fault == nil {
		r.fault = &fault{path, fmt.Sprintf(format, args...)}
	}
}

// warn reports an ignored part.
func (r *reader) warn(path, format string, args ...any) {
	if len(r.odd) == maxWarnings {
		r.left++
		return
	}
	r.odd = append(r.odd, fault{path, fmt.Sprintf(format, args...)})
}

// located turns faults into lines with their places: the file is read for them
// once more.
func (r *reader) located(data []byte) error {
	want := map[string]bool{}
	for _, f := range r.odd {
		want[f.path] = true
	}
	if r.fault != nil {
		want[r.fault.path] = true
	}
	if len(want) == 0 {
		return nil
	}
	at := positions(data, want)
	line := func(kind string, f fault) string {
		name := r.name
		if p, ok := at[f.path]; ok {
			name = fmt.Sprintf("%s:%d:%d", name, p[0], p[1])
		}
		return fmt.Sprintf("%s: %s: %s: %s", name, kind, f.path, f.message)
	}
	for _, f := range r.odd {
		r.warnings = append(r.warnings, line("warning", f))
	}
	if r.fault != nil {
		return errors.New(line("error", *r.fault))
	}
	return nil
}

// parse reads one file.
func parse(name string, data []byte) (*file, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: error: %d bytes, must be at most %d", name, len(data), maxFile)
	}
	r := &reader{file: &file{name: name, blocks: map[string]*block{}}}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all any
	err := d.Decode(&all)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = fmt.Errorf("more than one value, must be one object")
		}
	}
	if err != nil {
		return nil, syntax(name, data, d.InputOffset(), err)
	}
	top := r.object("$", all)
	if _, ok := top["capabilities"]; !ok {
		r.fail("$", "no member capabilities, must be a profile of the schema profiles-0.8, such as vulkaninfo --json writes")
	}
	caps := r.object("capabilities", top["capabilities"])
	for _, n := range keys(caps) {
		r.blocks[n] = r.block("capabilities."+n, caps[n])
	}
	profiles := r.object("profiles", top["profiles"])
	for _, n := range keys(profiles) {
		r.profiles = append(r.profiles, r.profile(n, profiles[n]))
	}
	return r.file, r.located(data)
}

// keys returns the members of an object in order.
func keys(o map[string]any) []string { return slices.Sorted(maps.Keys(o)) }

// object returns a value as an object; null is an empty one.
func (r *reader) object(path string, v any) map[string]any {
	o, ok := v.(map[string]any)
	if !ok && v != nil {
		r.fail(path, "%s, must be an object", kindName(v))
	}
	return o
}

// text returns a value as a string; null is an empty one.
func (r *reader) text(path string, v any) string {
	s, ok := v.(string)
	if !ok && v != nil {
		r.fail(path, "%s, must be a string", kindName(v))
	}
	return s
}

// list returns a value as an array; null is an empty one.
func (r *reader) list(path string, v any) []any {
	l, ok := v.([]any)
	if !ok && v != nil {
		r.fail(path, "%s, must be an array", kindName(v))
	}
	return l
}

// kindName names the JSON type of an unexpected value in messages.
func kindName(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a Boolean"
	case json.Number:
		return "the number " + v.String()
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}

// profile reads a member of profiles.
func (r *reader) profile(name string, v any) *written {
	path := "profiles." + name
	o := r.object(path, v)
	w := &written{name: name, from: r.file, label: r.text(path+".label", o["label"]),
		description: r.text(path+".description", o["description"]), version: r.text(path+".api-version", o["api-version"])}
	for i, v := range r.list(path+".capabilities", o["capabilities"]) {
		at := fmt.Sprintf("%s.capabilities[%d]", path, i)
		names := []any{v}
		if l, ok := v.([]any); ok {
			names = l
		}
		var choice []string
		for _, n := range names {
			s, ok := n.(string)
			if !ok {
				r.fail(at, "%s, must be the name of a block or an array of names", kindName(n))
			} else if r.blocks[s] == nil {
				r.fail(at, "no block %q in capabilities", s)
			}
			choice = append(choice, s)
		}
		if len(choice) == 0 {
			r.fail(at, "an empty array, must be a choice of blocks")
		}
		w.blocks = append(w.blocks, choice)
	}
	for i, v := range r.list(path+".profiles", o["profiles"]) {
		w.required = append(w.required, r.text(fmt.Sprintf("%s.profiles[%d]", path, i), v))
	}
	if o["api-version"] == nil {
		r.fail(path, "no member api-version, must be one such as \"1.3.204\"")
	}
	return w
}

// block reads a member of capabilities.
func (r *reader) block(path string, v any) *block {
	b := newBlock()
	o := r.object(path, v)
	for _, n := range keys(o) {
		at := path + "." + n
		switch n {
		case "extensions":
			names := r.object(at, o[n])
			for _, name := range keys(names) {
				revision := names[name]
				if _, ok := revision.(json.Number); !ok {
					r.fail(at+"."+name, "%s, must be the number of its revision", kindName(revision))
				}
				b.extensions[name] = true
			}
		case "features":
			structs := r.object(at, o[n])
			for _, s := range keys(structs) {
				r.features(b, at+"."+s, structs[s], true)
			}
		case "properties":
			structs := r.object(at, o[n])
			for _, s := range keys(structs) {
				if isList(s) {
					r.cooperative(b, at+"."+s, s, structs[s])
					continue
				}
				r.properties(b, at+"."+s, s, structs[s], true)
			}
		case "formats":
			r.formats(b, at, o[n])
		case "queueFamiliesProperties", "videoProfiles":
		default:
			r.warn(at, "unknown member, ignored")
		}
	}
	return b
}

// formats reads the formats that vertex buffers may have. Each format has
// structs, VkFormatProperties or later ones, with the member bufferFeatures.
func (r *reader) formats(b *block, path string, v any) {
	b.vertex = map[string]bool{}
	all := r.object(path, v)
	for _, name := range keys(all) {
		at := path + "." + name
		structs := r.object(at, all[name])
		for _, s := range keys(structs) {
			in := r.object(at+"."+s, structs[s])
			for i, flag := range r.list(at+"."+s+".bufferFeatures", in["bufferFeatures"]) {
				switch r.text(fmt.Sprintf("%s.%s.bufferFeatures[%d]", at, s, i), flag) {
				case "VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT", "VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT", "VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT_KHR":
					b.vertex[strings.TrimPrefix(name, "VK_FORMAT_")] = true
				}
			}
		}
	}
}

// features reads one struct of features. A struct may have another in it, as
// VkPhysicalDeviceFeatures2 has.
func (r *reader) features(b *block, path string, v any, outer bool) {
	o := r.object(path, v)
	for _, n := range keys(o) {
		switch v := o[n].(type) {
		case bool:
			if !features[n] {
				r.warn(path+"."+n, "unknown feature")
			}
			b.features[n] = b.features[n] || v
		case map[string]any:
			if !outer {
				r.fail(path+"."+n, "an object, must be true or false")
				return
			}
			r.features(b, path+"."+n, v, false)
		default:
			r.fail(path+"."+n, "%s, must be true or false", kindName(v))
		}
	}
}

// properties reads one struct of properties. VkPhysicalDeviceProperties and
// VkPhysicalDeviceProperties2 contain further structs.
func (r *reader) properties(b *block, path, in string, v any, outer bool) {
	o := r.object(path, v)
	for _, n := range keys(o) {
		at := path + "." + n
		if inner, ok := o[n].(map[string]any); ok && (n == "limits" || n == "sparseProperties" || n == "properties") && outer {
			r.properties(b, at, in, inner, n == "properties")
			continue
		}
		value := o[n]
		n = PropertyName(in, n)
		p, known := properties[in+"::"+n]
		name := in + "::" + n
		if !known {
			name = n
			p, known = properties[n]
		}
		if !known && !unranked[n] {
			r.warn(at, "unknown property, ignored")
		}
		r.property(b, at, name, p, value)
	}
}

// property reads the value of a property.
func (r *reader) property(b *block, path, name string, p property, v any) {
	switch p.kind {
	case truth:
		on, ok := v.(bool)
		if !ok {
			r.fail(path, "%s, must be true or false", kindName(v))
		}
		b.keep(name, p, 0)
		if on {
			b.keep(name, p, 1)
		}
	case whole, signed:
		values := []any{v}
		if l, ok := v.([]any); ok {
			values = l
		}
		for i, v := range values {
			n, ok := number(v, p.kind == signed)
			if !ok {
				r.fail(path, "%s, must be a whole number%s", kindName(v), map[bool]string{false: " from 0"}[p.kind == signed])
				return
			}
			at := name
			if len(values) > 1 {
				at = fmt.Sprintf("%s[%d]", name, i)
			}
			b.keep(at, p, n)
		}
	case floating:
		values := []any{v}
		if l, ok := v.([]any); ok {
			values = l
		}
		for i, v := range values {
			n, ok := v.(json.Number)
			if !ok {
				r.fail(path, "%s, must be a number", kindName(v))
				return
			}
			x, err := strconv.ParseFloat(string(n), 64)
			if err != nil {
				r.fail(path, "%s, must be in the range of floating-point numbers", n)
				return
			}
			at := name
			if len(values) > 1 {
				at = fmt.Sprintf("%s[%d]", name, i)
			}
			b.keep(at, p, math.Float64bits(x))
		}
	case extent:
		o := r.object(path, v)
		for i, side := range []string{"width", "height"} {
			n, ok := number(o[side], false)
			if !ok {
				r.fail(path+"."+side, "%s, must be a whole number from 0", kindName(o[side]))
			}
			b.keep(fmt.Sprintf("%s[%d]", name, i), p, n)
		}
	case flags:
		b.keep(name, p, r.flags(path, v))
	case choice:
		b.keep(name, p, r.flag(path, r.text(path, v)))
	}
}

// flags reads a list of names of bits, or their number.
func (r *reader) flags(path string, v any) (sum uint64) {
	if n, ok := number(v, false); ok {
		return n
	}
	switch v := v.(type) {
	case string:
		return r.flag(path, v)
	case []any:
		for i, one := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			sum |= r.flag(at, r.text(at, one))
		}
	default:
		r.fail(path, "%s, must be an array of names of flags", kindName(v))
	}
	return sum
}

// flag returns the bit of a name.
func (r *reader) flag(path, name string) uint64 {
	v, ok := bits[name]
	if !ok {
		r.warn(path, "unknown flag %q", name)
	}
	return v
}

// keep adds a limit that several structs may say.
func (b *block) keep(name string, p property, v uint64) {
	if old, ok := b.limits[name]; ok {
		v = p.merge(old, v)
	}
	b.limits[name] = v
}

// number returns a whole number; a negative one as two's complement.
func number(v any, signed bool) (uint64, bool) {
	s, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseUint(string(s), 10, 64); err == nil {
		return n, !signed || n <= math.MaxInt64
	}
	n, err := strconv.ParseInt(string(s), 10, 64)
	return uint64(n), err == nil && signed
}
