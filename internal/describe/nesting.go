package describe

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

// The bounds of a description. People write descriptions by hand, and the largest ones have
// some thousands of values. The time of the YAML reader is linear in the tokens of a text,
// except that it copies the rest of a block mapping for each member; its memory is linear
// too, except that each value stores the keys on the way to it. Those two have bounds of
// their own.
const (
	maxDescription = 4 << 20  // bytes of the text: 32 for each mark
	maxMarks       = 1 << 17  // characters that may begin a token
	maxMembers     = 2048     // of one block mapping; Vulkan has fewer features and limits
	maxKey         = 256      // bytes, VK_MAX_EXTENSION_NAME_SIZE
	maxPaths       = 32 << 20 // bytes of the keys on the way to all values
	maxNesting     = 64       // brackets in brackets, and levels of indentation
	maxNodes       = 1 << 17  // values, with an anchored value counted at each alias
)

// marks are the characters that begin a token of YAML, apart from texts. Between two texts
// there is at least one, so that a description has at most two tokens for each mark.
const marks = "-?:,[]{}#&*!|>'\"%@`<."

// tooMany returns the line and column at which a text has more marks than any description,
// or zeros if there is no such position. The lexer returns all tokens at once, so that this
// check comes before it.
func tooMany(data []byte) (line, column int) {
	var isMark [256]bool
	for _, c := range []byte(marks) {
		isMark[c] = true
	}
	line, start, n := 1, 0, 0
	for i, c := range data {
		switch {
		case c == '\n':
			line, start = line+1, i+1
		case isMark[c]:
			if n++; n > maxMarks {
				return line, i - start + 1
			}
		}
	}
	return 0, 0
}

// level is a collection that is open at a token: a block collection at a column, a flow
// collection, or a member of a flow mapping.
type level struct {
	column  int // of a block collection, otherwise 0
	members int // of a block mapping
	path    int // bytes of the keys on the way to the collection
	key     int // bytes of the last key
	chain   int // levels since the last bracket
	bracket bool
}

// nesting is the stack of open collections.
type nesting struct {
	open     []level
	brackets int
	paths    int
}

// check returns the first token at which the tokens break a bound, or nil. The YAML reader
// recurses, so that this check comes before it.
func (n *nesting) check(tokens token.Tokens) *fault {
	n.open = []level{{}}
	headers, ends := 0, 0
	for i, t := range tokens {
		switch t.Type {
		case token.DocumentHeaderType:
			headers++
		case token.DocumentEndType:
			ends++
		case token.SequenceStartType, token.MappingStartType:
			n.push(level{bracket: true})
			n.brackets++
		case token.SequenceEndType, token.MappingEndType:
			if n.toBracket(); n.brackets > 0 {
				n.open = n.open[:len(n.open)-1]
				n.brackets--
			}
		case token.CollectEntryType:
			n.toBracket()
		case token.SequenceEntryType, token.MappingKeyType:
			n.enter(t.Position.Column)
		case token.MappingValueType:
			key := tokens[max(i-1, 0)]
			n.enter(key.Position.Column)
			top := n.top()
			top.members++
			if top.key = len(key.Value); top.key > maxKey {
				return &fault{at: key, message: fmt.Sprintf("a key of %d bytes; must have at most %d", top.key, maxKey)}
			}
		}
		top := n.top()
		n.paths += top.path + top.key
		switch {
		case headers > 1 || ends > 1:
			return &fault{at: t, message: "another document; must be one"}
		case n.brackets > maxNesting || top.chain > maxNesting:
			return &fault{at: t, message: fmt.Sprintf("deeper than %d", maxNesting)}
		case top.members > maxMembers:
			return &fault{at: t, message: fmt.Sprintf("a mapping with more than %d members", maxMembers)}
		case n.paths > maxPaths:
			return &fault{at: t, message: fmt.Sprintf("the keys on the way to all values have more than %d bytes", maxPaths)}
		}
	}
	return nil
}

func (n *nesting) top() *level { return &n.open[len(n.open)-1] }

// push opens a collection inside the last one.
func (n *nesting) push(l level) {
	outer := n.top()
	l.path = outer.path + outer.key
	if !l.bracket {
		l.chain = outer.chain + 1
	}
	n.open = append(n.open, l)
}

// toBracket closes all collections inside the innermost bracket.
func (n *nesting) toBracket() {
	for n.brackets > 0 && !n.top().bracket {
		n.open = n.open[:len(n.open)-1]
	}
}

// enter goes on with the block collection at a column, or opens it. Inside brackets columns
// mean nothing, and each entry or key is a level of its own until the next comma.
func (n *nesting) enter(column int) {
	if n.brackets > 0 {
		n.push(level{})
		return
	}
	for n.top().column > column {
		n.open = n.open[:len(n.open)-1]
	}
	if n.top().column < column {
		n.push(level{column: column})
	}
}
