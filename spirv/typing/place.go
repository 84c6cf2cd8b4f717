package typing

import (
	_ "embed"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

//go:embed table.go
var source string

// Line returns the line of table.go that has the instruction's row, 0 where
// there is none.
func Line(op spirv.Op) int {
	if _, ok := table[op]; !ok {
		return 0
	}
	at := strings.Index(source, "\tspirv."+op.String()+":")
	return strings.Count(source[:max(at, 0)], "\n") + 1
}
