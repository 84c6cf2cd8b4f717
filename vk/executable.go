package vk

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// Executable describes the program of a stage of a pipeline (VkPipelineExecutablePropertiesKHR).
type Executable struct {
	Name, Description string
	Stages            uint32 // VkShaderStageFlags
	SubgroupSize      uint32
	program           *ir.Program
}

// Statistic is a number of an executable.
type Statistic struct {
	Name, Description string
	Value             uint64
}

// Executables returns the programs of a pipeline, in the order of the bits of their stages.
func (d *Device) Executables(p Pipeline) ([]Executable, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := d.checkPipeline(p); err != nil {
		return nil, err
	}
	var stages []*shader.Stage
	switch p := p.(type) {
	case *ComputePipeline:
		stages = []*shader.Stage{p.stage}
	case *GraphicsPipeline:
		stages = p.stages
	case *RayTracingPipeline:
		for _, s := range p.stages {
			stages = append(stages, s.stage)
		}
	}
	out := make([]Executable, 0, len(stages))
	for _, s := range stages {
		name := s.Program.Stage.String()
		out = append(out, Executable{name, "the optimized program of the stage " + name, 1 << stageNumbers[s.Program.Stage], s.Program.SubgroupSize, s.Program})
	}
	slices.SortStableFunc(out, func(a, b Executable) int { return cmp.Compare(a.Stages, b.Stages) })
	return out, nil
}

// Statistics returns numbers of the program.
func (e *Executable) Statistics() []Statistic {
	p := e.program
	if p == nil { // a zero value
		return nil
	}
	operations := 0
	for _, f := range p.Funcs {
		operations += len(f.Code)
	}
	return []Statistic{
		{"Operations", "Number of operations of the intermediate representation after all passes", uint64(operations)},
		{"Functions", "Number of functions after inlining, with those of texture accesses", uint64(len(p.Funcs))},
		{"Private memory", "Bytes of variables of one invocation that are not in registers", 4 * uint64(p.PrivateSlots())},
		{"Workgroup memory", "Bytes of memory that the invocations of a workgroup share", uint64(p.SharedBytes)},
		{"Bindings", "Number of descriptor bindings that the program accesses", uint64(len(p.Res))},
	}
}

// Representation returns the text of the program in the intermediate representation.
func (e *Executable) Representation() string {
	if e.program == nil {
		return ""
	}
	return e.program.String()
}
