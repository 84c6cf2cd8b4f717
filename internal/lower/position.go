package lower

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Position returns the file, relative to the root of the tree, and the line of the rule
// that lowers an instruction: "internal/lower/memory.go:31". It is "" if the
// instruction has no rule of its own in this package.
func Position(op spirv.Op) string {
	r := ruleOf[op]
	if r == nil {
		if inControl[op] || ignored(op) {
			return positionOf(reflect.ValueOf((*function).instruction))
		}
		return ""
	}
	return positionOf(reflect.ValueOf(r))
}

func positionOf(fn reflect.Value) string {
	file, line := runtime.FuncForPC(fn.Pointer()).FileLine(fn.Pointer())
	if i := strings.LastIndex(file, "internal/lower/"); i >= 0 {
		file = file[i:]
	}
	return fmt.Sprintf("%s:%d", file, line)
}
