package describe

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Positions finds the parts of a description in its text.
type Positions struct{ root ast.Node }

// NewPositions parses a description for At. It finds nothing in a text that is no
// description.
func NewPositions(data []byte) Positions {
	root, err := parse(data, "")
	if err != nil {
		root = nil
	}
	return Positions{root}
}

// At returns the line and the column, in characters from 1, of the part at a path such as
// "layout.sets.0.1". If there is no such part, it returns the position of its innermost
// part that exists; a state may also have another name. Otherwise it is the position of the whole. It returns 0 if the
// text is no description.
func (p Positions) At(path string) (line, column int) {
	if p.root == nil {
		return 0, 0
	}
	at := member(p.root, path)
	if at == nil {
		for _, k := range [...][2]string{{"vertex_input.attributes", "vertex_attributes"}, {"vertex_input", "vertex_attributes"}, {"rendering", "render_pass"}, {"render_pass", "rendering"}, {"layout", "no_layout"}} {
			if rest, ok := strings.CutPrefix(path, k[0]); ok && at == nil {
				at = member(p.root, k[1]+rest)
			}
		}
	}
	if at == nil {
		at = start(p.root)
	}
	return at.Position.Line, at.Position.Column
}
