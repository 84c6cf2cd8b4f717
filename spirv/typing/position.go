package typing

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

//go:embed table.go
var rowSource string

//go:embed forms_table.go
var formSource string

// Position returns the file, below the root of the tree, and the line of the row or
// form of an instruction: "spirv/typing/table.go:31". It is "" if there is none.
func Position(op spirv.Op) string {
	if _, ok := table[op]; ok {
		return positionIn("spirv/typing/table.go", rowSource, op)
	}
	if _, ok := forms[op]; ok {
		return positionIn("spirv/typing/forms_table.go", formSource, op)
	}
	return ""
}

func positionIn(file, source string, op spirv.Op) string {
	before, _, _ := strings.Cut(source, "spirv."+op.String()+":")
	return fmt.Sprintf("%s:%d", file, strings.Count(before, "\n")+1)
}
