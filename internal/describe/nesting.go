package describe

import (
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// maxIndent bounds the indentation of a line, and with it the nesting depth of a document
// without brackets.
const maxIndent = 1024

// tooDeep returns the position at which a YAML text nests deeper than any description, or
// nil if there is none. The memory use of YAML readers grows with the square of the depth,
// so that this check comes first.
func tooDeep(data []byte) *token.Token {
	depth, chain, line := 0, 0, 0
	for _, t := range lexer.Tokenize(string(data)) {
		if at := t.Position; depth == 0 && at.Line != line {
			if line, chain = at.Line, 0; at.Column > maxIndent {
				return t
			}
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth, chain = depth+1, 0
		case token.SequenceEndType, token.MappingEndType:
			depth, chain = max(depth-1, 0), 0
		case token.CollectEntryType:
			chain = 0
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			chain++ // each may hold the next: "- - -", "a: b: c:"
		}
		if depth > maxNesting || chain > maxNesting {
			return t
		}
	}
	return nil
}
