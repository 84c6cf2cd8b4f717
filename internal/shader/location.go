package shader

import (
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Location is the instruction at which a run ended, and its source position if the module has debug information.
type Location struct {
	Op        spirv.Op
	Source    facts.Position
	HasSource bool
}

// String returns the instruction and the position, such as "OpLoopMerge, blur.comp:12".
func (l Location) String() string {
	if !l.HasSource {
		return l.Op.String()
	}
	return fmt.Sprintf("%v, %s:%d", l.Op, l.Source.File, l.Source.Line)
}

// Locate returns the location of the loop or call in which a run was stopped, if err has one.
func (s *Stage) Locate(err error) (Location, bool) {
	var budget *exec.BudgetError
	var interrupt *exec.InterruptError
	origin := int32(0)
	switch {
	case errors.As(err, &budget):
		origin = budget.Origin
	case errors.As(err, &interrupt):
		origin = interrupt.Origin
	}
	origin -= s.Origin
	known := s.Facts
	if known == nil && s.Source != nil && origin > 0 {
		known = s.Source()
	}
	if known == nil {
		return Location{}, false
	}
	n := known.Code.Len()
	if origin <= 0 || int(origin) > n {
		return Location{}, false
	}
	i := int(origin) - 1
	l := Location{Op: known.Code.Inst(i).Op()}
	const near = 8 // a label precedes the line of its block by a few instructions
	for j := i; j < min(i+near, n); j++ {
		if at, ok := known.Line(j); ok {
			l.Source, l.HasSource = at, true
			break
		}
	}
	return l, true
}
