package describe

import (
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// maxIndent bounds where a line may begin, and with it how deep a document nests
// without brackets.
const maxIndent = 1024

// tooDeep returns where a text of YAML nests deeper than any description, nil where
// it does not. Readers take room by the square of the depth, so that it is asked
// before they begin.
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
