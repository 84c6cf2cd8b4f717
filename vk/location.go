package vk

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Location is the instruction of a shader at which a command stopped.
type Location struct {
	Model spirv.ExecutionModel // of the shader
	Op    spirv.Op

	// File and Line are the source position; Line is 0 if the module has no debug information there.
	File string
	Line uint32
}

// String returns the instruction and the source position, such as "OpLoopMerge, blur.comp:12".
func (l *Location) String() string {
	if l.Line == 0 {
		return l.Op.String()
	}
	return fmt.Sprintf("%v, %s:%d", l.Op, l.File, l.Line)
}

// locate returns the location of an error in the stages; nil if it has none.
func locate(stages []*shader.Stage, err error) *Location {
	for _, s := range stages {
		if at, ok := s.Locate(err); ok {
			l := &Location{Model: modelOf(s.Program.Stage), Op: at.Op}
			if at.HasSource {
				l.File, l.Line = at.Source.File, at.Source.Line
			}
			return l
		}
	}
	return nil
}
