package profile

// The JSON form of a profile.
type (
	jsonStage struct {
		Entry        string         `json:"entryPoint"`
		Model        string         `json:"model"`
		SubgroupSize uint32         `json:"subgroupSize"`
		Functions    []jsonFunction `json:"functions"`
	}
	jsonFunction struct {
		Name   string      `json:"name"`
		File   string      `json:"file"`
		Line   int         `json:"line"`
		Calls  uint64      `json:"calls"`
		Blocks []jsonBlock `json:"blocks"`
	}
	jsonBlock struct {
		Label        uint32            `json:"label"`
		Instructions []jsonInstruction `json:"instructions"`
		Branches     []jsonBranch      `json:"branches,omitempty"`
	}
	jsonInstruction struct {
		Index     int    `json:"instruction"`
		Op        string `json:"op"`
		File      string `json:"file"`
		Line      int    `json:"line"`
		Executed  uint64 `json:"executed"`
		Subgroups uint64 `json:"subgroups"`
		Divergent uint64 `json:"divergent,omitempty"`
		Read      uint64 `json:"bytesRead,omitempty"`
		Written   uint64 `json:"bytesWritten,omitempty"`
	}
	jsonBranch struct {
		To    uint32 `json:"to"`
		Taken uint64 `json:"taken"`
	}
)

// JSON returns the counts of each instruction as a value for encoding/json.
func (p *Profile) JSON() any {
	stages := []jsonStage{}
	for _, s := range p.Stages {
		stage := jsonStage{Entry: s.Entry, Model: s.Model, SubgroupSize: s.SubgroupSize}
		for _, f := range s.Functions {
			out := jsonFunction{Name: f.Name, File: f.At.File, Line: f.At.Line, Calls: f.Calls}
			for _, b := range f.Blocks {
				block := jsonBlock{Label: b.Label, Instructions: []jsonInstruction{}}
				for _, in := range b.Instructions {
					block.Instructions = append(block.Instructions, jsonInstruction{
						in.Index, in.Op.String(), in.At.File, in.At.Line, in.Executed, in.Subgroups, in.Divergent, in.Read, in.Written,
					})
				}
				for _, way := range b.Branches {
					block.Branches = append(block.Branches, jsonBranch(way))
				}
				out.Blocks = append(out.Blocks, block)
			}
			stage.Functions = append(stage.Functions, out)
		}
		stages = append(stages, stage)
	}
	return map[string]any{"stages": stages}
}
