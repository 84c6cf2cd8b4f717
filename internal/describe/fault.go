package describe

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// fault is an error in a value of a document.
type fault struct {
	at      *token.Token // nil if it has no position
	path    string       // of the value: "layout.sets.0.1.type"
	schema  string       // the required value, as a path in the schema
	message string
}

func (f *fault) error(name string) error {
	if f.at != nil {
		name = fmt.Sprintf("%s:%d:%d", name, f.at.Position.Line, f.at.Position.Column)
	}
	if f.path != "" {
		name += ": " + f.path
	}
	if f.schema != "" {
		return fmt.Errorf("%s: %s (schema %s)", name, f.message, f.schema)
	}
	return fmt.Errorf("%s: %s", name, f.message)
}

// syntax describes the error in a text that is no YAML.
func syntax(name string, err error) error {
	var of yaml.Error
	if errors.As(err, &of) && of.GetToken() != nil {
		return (&fault{at: of.GetToken(), message: of.GetMessage()}).error(name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// documentSchemas are the schemas of documents and their definitions, by type.
var documentSchemas sync.Map // reflect.Type → [2]map[string]any

// conform checks a document against the schema of a type. The YAML reader accepts more
// documents: it truncates 1.5 to an integer, and reads a quoted number.
func conform(root ast.Node, t reflect.Type) *fault {
	s, ok := documentSchemas.Load(t)
	if !ok {
		b := &schemaBuilder{defs: map[string]any{}}
		s, _ = documentSchemas.LoadOrStore(t, [2]map[string]any{b.of(t), b.defs})
	}
	schema := s.([2]map[string]any)
	return (&checker{schema[1]}).value(root, schema[0], "", "#", 0)
}

// faultOf describes the error in a document that conforms to the schema and cannot be read.
func faultOf(root ast.Node, name string, err error) error {
	var value *enum.ValueError
	if errors.As(err, &value) {
		w := &textFinder{text: value.Text}
		ast.Walk(w, root)
		return (&fault{at: w.at, message: value.Error()}).error(name)
	}
	var over *yaml.OverflowError
	if errors.As(err, &over) && over.GetToken() != nil {
		return (&fault{at: over.GetToken(), message: fmt.Sprintf("the number %s; must be a whole number of %d bits", over.SrcNum, over.DstType.Bits())}).error(name)
	}
	return syntax(name, err)
}

// textFinder looks for a text or a number among the values of a document.
type textFinder struct {
	text string
	at   *token.Token
}

// Visit looks at one node.
func (w *textFinder) Visit(n ast.Node) ast.Visitor {
	if t := n.GetToken(); (n.Type() == ast.StringType || n.Type() == ast.FloatType) && w.at == nil && t.Value == w.text {
		w.at = t
	}
	return w
}

// checker holds a document against a schema, and stops at the first fault.
type checker struct{ defs map[string]any }

// value checks one value. Schemas are the ones that schemaBuilder makes.
func (c *checker) value(n ast.Node, s map[string]any, path, at string, depth int) *fault {
	if ref, ok := s["$ref"].(string); ok {
		def, _ := c.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		s, at = def, ref
	}
	switch n.(type) {
	case nil, *ast.NullNode, *ast.TagNode:
		return nil // every value may be absent; tags are left to the YAML reader
	}
	fail := func(format string, args ...any) *fault {
		return &fault{start(n), path, at, fmt.Sprintf(format, args...)}
	}
	if depth > maxNesting {
		return fail("deeper than %d", maxNesting)
	}
	if choice, ok := s["oneOf"].([]any); ok {
		return c.choice(n, choice, path, at, depth)
	}
	if names, ok := s["enum"].([]string); ok {
		if v, ok := n.(*ast.StringNode); !ok || !slices.Contains(names, v.Value) {
			return fail("%s; must be one of %s", called(n), strings.Join(names, ", "))
		}
		return nil
	}
	if want, ok := s["const"].(string); ok {
		if v, ok := n.(*ast.StringNode); !ok || v.Value != want {
			return fail("%s; must be %q", called(n), want)
		}
		return nil
	}
	want, _ := s["type"].(string)
	if want == "" {
		return nil
	}
	if !isType(n, want, s) {
		words := typeNames[want]
		if _, signed := integerRange(s); signed && want == "integer" {
			words = "a whole number"
		}
		return fail("%s; must be %s", called(n), words)
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		return c.list(n, s, path, at, depth)
	case *ast.MappingNode:
		return c.members(n.Values, s, path, at, depth)
	case *ast.MappingValueNode:
		return c.members([]*ast.MappingValueNode{n}, s, path, at, depth)
	}
	return nil
}

// choice checks a value with several allowed forms. If none fits, the error is from the
// form that is most similar to the value.
func (c *checker) choice(n ast.Node, choice []any, path, at string, depth int) *fault {
	var names []string
	var near *fault
	for i, one := range choice {
		s, _ := one.(map[string]any)
		f := c.value(n, s, path, fmt.Sprintf("%s/oneOf/%d", at, i), depth+1)
		if f == nil {
			return nil
		}
		if ref, ok := s["$ref"].(string); ok {
			s, _ = c.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		kind, _ := s["type"].(string)
		_, text := n.(*ast.StringNode)
		if isType(n, kind, nil) || kind == "" && text {
			near = f
		}
		if kind == "" {
			kind = "string"
		}
		names = append(names, typeNames[kind])
	}
	if near != nil {
		return near
	}
	return &fault{start(n), path, at, fmt.Sprintf("%s; must be %s", called(n), strings.Join(names, " or "))}
}

// list checks the elements of a list.
func (c *checker) list(n *ast.SequenceNode, s map[string]any, path, at string, depth int) *fault {
	if least, ok := s["minItems"].(int); ok && len(n.Values) != least {
		return &fault{start(n), path, at, fmt.Sprintf("a list of %d; must be one of %d", len(n.Values), least)}
	}
	items, _ := s["items"].(map[string]any)
	for i, v := range n.Values {
		if f := c.value(v, items, fmt.Sprintf("%s[%d]", path, i), at+"/items", depth+1); f != nil {
			return f
		}
	}
	return nil
}

// members checks the members of a mapping.
func (c *checker) members(list []*ast.MappingValueNode, s map[string]any, path, at string, depth int) *fault {
	properties, _ := s["properties"].(map[string]any)
	more, open := s["additionalProperties"].(map[string]any)
	names, _ := s["propertyNames"].(map[string]any)
	for _, m := range list {
		key := keyOf(m)
		here := key
		if path != "" {
			here = path + "." + key
		}
		one, known := properties[key].(map[string]any)
		below := at + "/properties/" + key
		switch {
		case m.Key.Type() == ast.MergeKeyType, known:
		case !open:
			return &fault{m.Key.GetToken(), here, at, fmt.Sprintf("unknown member; must be one of %s", strings.Join(slices.Sorted(maps.Keys(properties)), ", "))}
		default:
			if names["pattern"] == numberKey && (key == "" || strings.Trim(key, "0123456789") != "") {
				return &fault{m.Key.GetToken(), here, at + "/propertyNames", fmt.Sprintf("the key %q; must be a number from 0", key)}
			}
			one, below = more, at+"/additionalProperties"
		}
		if f := c.value(m.Value, one, here, below, depth+1); f != nil {
			return f
		}
	}
	return nil
}

// keyOf is the key of a member as it is written, without quotes.
func keyOf(m *ast.MappingValueNode) string { return m.Key.GetToken().Value }

// typeNames are how messages call the types of JSON Schema.
var typeNames = map[string]string{
	"string": "a text", "integer": "a whole number from 0", "number": "a number", "boolean": "true or false", "array": "a list", "object": "a mapping",
}

// isType reports whether a value is of a type of JSON Schema; s has the range of numbers,
// or is nil if the range does not matter.
func isType(n ast.Node, want string, s map[string]any) bool {
	switch n := n.(type) {
	case *ast.StringNode:
		if want == "string" {
			return true
		}
		// The YAML reader leaves a number such as 1e3 a text until it reads it into a field.
		v, err := strconv.ParseFloat(n.Value, 64)
		plain := err == nil && n.Token.Type == token.StringType && !math.IsInf(v, 0) && !math.IsNaN(v)
		return plain && (want == "number" || want == "integer" && (s == nil || wholeInRange(v, s)))
	case *ast.LiteralNode:
		return want == "string"
	case *ast.BoolNode:
		return want == "boolean"
	case *ast.FloatNode:
		return want == "number" || want == "integer" && (s == nil || wholeInRange(n.Value, s))
	case *ast.InfinityNode, *ast.NanNode:
		return want == "number"
	case *ast.IntegerNode:
		return want == "number" || want == "integer" && (s == nil || inRange(n, s))
	case *ast.SequenceNode:
		return want == "array"
	case *ast.MappingNode, *ast.MappingValueNode:
		return want == "object"
	}
	return true
}

// inRange reports whether a number is in the range of a schema.
func inRange(n *ast.IntegerNode, s map[string]any) bool {
	most, signed := integerRange(s)
	switch v := n.Value.(type) {
	case int64:
		return v >= 0 && uint64(v) <= most || v < 0 && signed
	case uint64:
		return v <= most
	}
	return false
}

// wholeInRange reports whether a number with a fraction or an exponent is whole, as 1.0 and
// 1e3 are, and in the range of a schema.
func wholeInRange(v float64, s map[string]any) bool {
	most, signed := integerRange(s)
	return v == math.Trunc(v) && (v >= 0 || signed && v >= math.MinInt64) && v < 1<<63 && uint64(max(v, 0)) <= most
}

// integerRange returns the greatest integer of a schema, and whether it allows negative
// ones.
func integerRange(s map[string]any) (most uint64, signed bool) {
	if _, bounded := s["minimum"]; !bounded {
		return math.MaxInt64, true
	}
	if m, ok := s["maximum"].(int64); ok {
		return uint64(m), false
	}
	return math.MaxUint64, false
}

// called is how a message calls a value.
func called(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return "the text " + strconv.Quote(short(n.Value))
	case *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "the number " + short(n.GetToken().Value)
	case *ast.BoolNode:
		return strconv.FormatBool(n.Value)
	case *ast.SequenceNode:
		return "a list"
	}
	return "a mapping"
}

// short cuts a text that a message shows.
func short(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

// start returns the first token of a value.
func start(n ast.Node) *token.Token {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return n.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return n.Key.GetToken()
	}
	return n.GetToken()
}

// pathError is an error in a value that satisfies the schema.
type pathError struct {
	path string
	err  error
}

func (p *pathError) Error() string { return p.path + ": " + p.err.Error() }
func (p *pathError) Unwrap() error { return p.err }

// at is an error about the value at a path.
func at(path, format string, args ...any) error { return &pathError{path, fmt.Errorf(format, args...)} }

// inside prefixes a path to the path of an error.
func inside(path string, err error) error {
	var p *pathError
	if errors.As(err, &p) {
		return &pathError{path + "." + p.path, p.err}
	}
	return &pathError{path, err}
}

// find adds the position in the file to an error.
func find(data []byte, name string, err error) error {
	var p *pathError
	if err == nil || !errors.As(err, &p) {
		return err
	}
	root, _ := parse(data, name)
	if t := member(root, p.path); t != nil {
		name = fmt.Sprintf("%s:%d:%d", name, t.Position.Line, t.Position.Column)
	}
	return fmt.Errorf("%s: %s: %w", name, p.path, p.err)
}

// member returns the first token of the member or element at a path; if the path does not
// exist, of the longest existing prefix.
func member(n ast.Node, path string) (at *token.Token) {
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		var next ast.Node
		var values []*ast.MappingValueNode
		switch n := n.(type) {
		case *ast.MappingNode:
			values = n.Values
		case *ast.MappingValueNode:
			values = []*ast.MappingValueNode{n}
		case *ast.SequenceNode:
			if i, err := strconv.Atoi(key); err == nil && i < len(n.Values) {
				next, at = n.Values[i], start(n.Values[i])
			}
		}
		for _, m := range values {
			if keyOf(m) == key {
				next, at = m.Value, m.Key.GetToken()
			}
		}
		if next == nil {
			return at
		}
		n = next
	}
	return at
}
