package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// registry is the part of vk.xml that the C interface needs.
type registry struct {
	version    string // of the header
	types      map[string]*typ
	structs    []*typ // in order of the registry, each after the structs that it contains
	constants  map[string]string
	order      []string // names of constants
	commands   map[string]*command
	enums      map[string][]string // the names of the values of each enumeration
	features   []*block            // the versions of Vulkan
	extensions []*block
	needTypes  map[string]bool
}

// typ is a type: its category is struct, union, enum, bitmask, basetype, handle or funcpointer.
type typ struct {
	name, category, alias string
	base                  string // of a bitmask or a basetype
	bits                  string // the enumeration with the bits of a bitmask
	repeats               bool   // a chain may have several of the struct
	dispatchable          bool   // of a handle
	fields                []field
	stype                 string // the constant of sType
	extends               []string
	size, align           int // of a struct or union
	known                 bool
}

// field is a member of a struct, or a parameter of a command.
type field struct {
	name, typ string
	pointers  int
	dims      []string
	bits      int    // of a bit-field
	length    string // the expression of the registry for the length of an array
	constant  bool   // a pointer to const
	optional  bool   // it may be 0 or nil
	nullable  bool   // it points to values that may be 0
	implicit  bool   // Vulkan states its implicit valid usage
	selector  string // of a union: the member that selects one of its members
	selection string // of a member of a union: the value that selects it
	offset    int
}

type command struct {
	name, alias, result string
	params              []field
	codes               []string // the values of a VkResult that the command may return
}

// block is a version of Vulkan or an extension.
type block struct {
	name      string // "VK_VERSION_1_1", "VK_KHR_swapchain"
	version   string // "1.1"; of an extension the number of its revision
	instance  bool   // an extension of the instance
	promoted  string // the version that contains the extension
	depends   string
	commands  []string
	structs   []string // required types
	supported []feature
}

// feature is a feature that all devices with a version or an extension support.
type feature struct{ name, structure string }

// platforms are the platforms of extensions that the interface has; "" is none.
var platforms = map[string]bool{"": true, "provisional": true, "xcb": true, "xlib": true, "wayland": true}

// read reads a registry.
func read(r io.Reader) (*registry, error) {
	var root node
	if err := xml.NewDecoder(r).Decode(&root); err != nil {
		return nil, err
	}
	reg := &registry{types: map[string]*typ{}, constants: map[string]string{}, commands: map[string]*command{}, enums: map[string][]string{}, needTypes: map[string]bool{}}
	root.each("types", func(n *node) { n.each("type", reg.addType) })
	root.each("enums", func(n *node) { n.each("enum", func(e *node) { reg.addEnumerant(n.attr("name"), e, "0") }) })
	root.each("commands", func(n *node) { n.each("command", reg.addCommand) })
	root.each("feature", func(n *node) { reg.features = append(reg.features, reg.block(n, n.attr("number"), "0")) })
	root.each("extensions", func(n *node) {
		n.each("extension", func(e *node) {
			if listed(e.attr("supported"), "vulkan") && platforms[e.attr("platform")] && e.attr("type") != "" {
				reg.extensions = append(reg.extensions, reg.block(e, "", e.attr("number")))
			}
		})
	})
	for _, x := range reg.extensions {
		x.version = reg.constants[strings.ToUpper(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(x.name, "${1}_$2"))+"_SPEC_VERSION"]
	}
	sort.Slice(reg.extensions, func(i, j int) bool { return reg.extensions[i].name < reg.extensions[j].name })
	return reg, reg.layout()
}

// addType adds a type.
func (r *registry) addType(n *node) {
	t := &typ{name: n.attr("name"), category: n.attr("category"), alias: n.attr("alias"), extends: strings.Split(n.attr("structextends"), ",")}
	if t.name == "" {
		t.name = n.word("name")
	}
	if proto := n.kid("proto"); t.name == "" && proto != nil {
		t.name = proto.word("name")
	}
	switch t.category {
	case "define":
		if t.name == "VK_HEADER_VERSION" {
			f := strings.Fields(n.Inner)
			r.version = f[len(f)-1]
		}
		return
	case "handle":
		t.dispatchable = strings.Contains(n.Inner, ">VK_DEFINE_HANDLE<")
	case "bitmask", "basetype":
		t.base = n.word("type")
		if t.bits = n.attr("bitvalues"); t.bits == "" {
			t.bits = n.attr("requires")
		}
	case "struct", "union":
		t.repeats = n.attr("allowduplicate") == "true"
		n.each("member", func(m *node) {
			t.fields = append(t.fields, parseField(m))
			if m.attr("values") != "" && m.word("name") == "sType" {
				t.stype = m.attr("values")
			}
		})
	case "enum", "funcpointer":
	default:
		return
	}
	r.types[t.name] = t
	if t.category == "struct" || t.category == "union" {
		r.structs = append(r.structs, t)
	}
}

var (
	tags   = regexp.MustCompile(`<comment>[^<]*</comment>|<[^>]*>`)
	tail   = regexp.MustCompile(`<name[^>]*>\w+</name>\s*((?:\[[^\]]*\]\s*)*)\s*(?::(\d+))?`)
	square = regexp.MustCompile(`\[([^\]]*)\]`)
)

// parseField reads a member or a parameter.
func parseField(n *node) field {
	f := field{typ: n.word("type"), name: n.word("name"), length: n.attr("len")}
	before, _, _ := strings.Cut(n.Inner, "<name")
	f.pointers = strings.Count(before, "*")
	f.constant = strings.Contains(before, "const")
	pointer, value, _ := strings.Cut(n.attr("optional"), ",")
	f.optional, f.nullable, f.implicit = pointer == "true", value == "true", n.attr("noautovalidity") != "true"
	f.selector, f.selection = n.attr("selector"), n.attr("selection")
	if alternative := n.attr("altlen"); alternative != "" {
		f.length = alternative
	}
	m := tail.FindStringSubmatch(n.Inner)
	for _, d := range square.FindAllStringSubmatch(m[1], -1) {
		f.dims = append(f.dims, strings.TrimSpace(tags.ReplaceAllString(d[1], "")))
	}
	if m[2] != "" {
		f.bits, _ = strconv.Atoi(m[2])
	}
	return f
}

// addEnumerant adds a constant of an enumeration.
func (r *registry) addEnumerant(enum string, e *node, extension string) {
	r.addConstant(e, extension)
	if name := e.attr("name"); enum != "" && !slices.Contains(r.enums[enum], name) {
		r.enums[enum] = append(r.enums[enum], name)
	}
}

// addConstant adds a constant with the value of the registry: a number or another name. The first of equal names remains.
func (r *registry) addConstant(e *node, extension string) {
	name, value := e.attr("name"), e.attr("value")
	switch {
	case e.attr("alias") != "":
		value = e.attr("alias")
	case e.attr("bitpos") != "":
		bit, _ := strconv.Atoi(e.attr("bitpos"))
		value = fmt.Sprintf("%#x", uint64(1)<<bit)
	case e.attr("offset") != "":
		if n := e.attr("extnumber"); n != "" {
			extension = n
		}
		number, _ := strconv.Atoi(extension)
		offset, _ := strconv.Atoi(e.attr("offset"))
		value = e.attr("dir") + strconv.Itoa(1_000_000_000+(number-1)*1000+offset)
	case value == "":
		return
	}
	value = strings.NewReplacer("(~0ULL)", "0xffffffffffffffff", "(~0U)", "0xffffffff", "(~1U)", "0xfffffffe", "(~2U)", "0xfffffffd").Replace(value)
	if value = strings.TrimSuffix(value, "ULL"); strings.Contains(value, ".") {
		value = strings.TrimRight(value, "Ff")
	}
	if _, ok := r.constants[name]; !ok {
		r.order = append(r.order, name)
		r.constants[name] = value
	}
}

// addCommand adds a command or an alias of one.
func (r *registry) addCommand(n *node) {
	if a := n.attr("alias"); a != "" {
		r.commands[n.attr("name")] = &command{name: n.attr("name"), alias: a}
		return
	}
	proto := n.kid("proto")
	c := &command{name: proto.word("name"), result: proto.word("type"), codes: strings.Split(n.attr("successcodes")+","+n.attr("errorcodes"), ",")}
	n.each("param", func(p *node) { c.params = append(c.params, parseField(p)) })
	r.commands[c.name] = c
}

// target follows aliases and returns the command with a name, or nil.
func (r *registry) target(name string) *command {
	c := r.commands[name]
	for c != nil && c.alias != "" {
		c = r.commands[c.alias]
	}
	return c
}

// block reads the requirements of a version or an extension.
func (r *registry) block(n *node, version, number string) *block {
	b := &block{name: n.attr("name"), version: version, instance: n.attr("type") == "instance", promoted: n.attr("promotedto"), depends: n.attr("depends")}
	n.each("require", func(q *node) {
		q.each("type", func(t *node) {
			r.needTypes[t.attr("name")] = true
			b.structs = append(b.structs, t.attr("name"))
		})
		q.each("command", func(c *node) { b.commands = append(b.commands, c.attr("name")) })
		q.each("enum", func(e *node) { r.addEnumerant(e.attr("extends"), e, number) })
		if q.attr("depends") == "" {
			q.each("feature", func(f *node) {
				if name := f.attr("name"); !strings.Contains(name, ",") { // a list is a choice
					b.supported = append(b.supported, feature{name, f.attr("struct")})
				}
			})
		}
	})
	return b
}
