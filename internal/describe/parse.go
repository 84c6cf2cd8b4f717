package describe

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
)

// ReadYAML reads the document of a YAML text into a value. An unknown field, and a text with too many or too deep values, is an
// error. Errors have the file name, and the line and the column if there is one.
func ReadYAML(data []byte, name string, to any) error {
	root, err := parse(data, name)
	if err != nil || root == nil {
		return err
	}
	if err := yaml.NodeToValue(root, to, yaml.DisallowUnknownField()); err != nil {
		return syntax(name, err)
	}
	return nil
}

// parse returns the document of a YAML text, with each alias replaced by its value, or nil
// for a text without values. name is the file name in errors.
func parse(data []byte, name string) (ast.Node, error) {
	if len(data) > maxDescription {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxDescription)
	}
	if line, column := tooMany(data); line > 0 {
		return nil, fmt.Errorf("%s:%d:%d: more than %d punctuation characters", name, line, column, maxMarks)
	}
	tokens := lexer.Tokenize(string(data))
	if f := new(nesting).check(tokens); f != nil {
		return nil, f.error(name)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, syntax(name, err)
	}
	var root ast.Node
	for _, d := range file.Docs {
		if _, directive := d.Body.(*ast.DirectiveNode); directive || d.Body == nil {
			continue
		}
		if root != nil {
			return nil, (&fault{at: start(d.Body), message: "another document; must be one"}).error(name)
		}
		root = d.Body
	}
	r := resolver{anchors: map[string]anchor{}}
	if root = r.node(root); r.bad != nil {
		return nil, r.bad.error(name)
	}
	return root, nil
}

// anchor is a value with a name.
type anchor struct {
	value ast.Node
	size  int // number of nodes
}

// resolver replaces aliases by their values, so that no reader follows one without end. An
// alias refers to the last anchor of its name before it (YAML 1.2.2, section 3.2.2.2); an
// alias inside of its own anchor has no such value and is refused.
type resolver struct {
	anchors map[string]anchor
	size    int    // number of nodes so far
	bad     *fault // the first
}

// node resolves a value and all values inside of it.
func (r *resolver) node(n ast.Node) ast.Node {
	if n == nil || r.bad != nil {
		return n
	}
	if r.size++; r.size > maxNodes {
		r.bad = &fault{at: n.GetToken(), message: fmt.Sprintf("more than %d values, with the values of aliases", maxNodes)}
		return n
	}
	switch n := n.(type) {
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		a, ok := r.anchors[name]
		if !ok {
			r.bad = &fault{at: n.GetToken(), message: fmt.Sprintf("the alias %s; must be the name of an anchor before it", short(name))}
			return n
		}
		r.size += a.size
		return a.value
	case *ast.AnchorNode:
		name, before := n.Name.GetToken().Value, r.size
		value := r.node(n.Value)
		r.anchors[name] = anchor{value, r.size - before}
		return value
	case *ast.TagNode:
		if _, again := n.Value.(*ast.TagNode); again {
			r.bad = &fault{at: n.Value.GetToken(), message: "a second tag; must be at most one"}
		}
		n.Value = r.node(n.Value)
	case *ast.SequenceNode:
		for i := range n.Values {
			n.Values[i] = r.node(n.Values[i])
		}
	case *ast.MappingNode:
		for _, m := range n.Values {
			r.member(m)
		}
	case *ast.MappingValueNode:
		r.member(n)
	}
	return n
}

// member resolves a member of a mapping. Its key must be a text.
func (r *resolver) member(m *ast.MappingValueNode) {
	switch key := r.node(m.Key).(type) {
	case ast.MapKeyNode:
		m.Key = key
	default:
		r.bad = &fault{at: m.Key.GetToken(), message: "a list or a mapping as a key; must be a text"}
	}
	m.Value = r.node(m.Value)
}
