package web

import (
	"cmp"
	"encoding/json"
	"slices"
)

// heat has the counts of a profile: chiaro profile --format json.
type heat struct {
	Lines  []heatLine  `json:"lines"`
	Stages []heatStage `json:"stages"`
}

// heatLine has the counts of a line.
type heatLine struct {
	File         string `json:"file"`
	Line         int    `json:"line"`
	Executed     uint64 `json:"executed"`     // of its most executed instruction
	Instructions uint64 `json:"instructions"` // the sum over its instructions
	Divergent    uint64 `json:"divergent"`
	Read         uint64 `json:"read"`
	Written      uint64 `json:"written"`
}

// heatStage has the counts of the instructions of a stage.
type heatStage struct {
	Entry        string            `json:"entryPoint"`
	Model        string            `json:"model"`
	Instructions []heatInstruction `json:"instructions"`
}

// heatInstruction has the count of an instruction.
type heatInstruction struct {
	Number   int    `json:"n"` // in the module, from 1
	Op       string `json:"op"`
	Executed uint64 `json:"executed"`
}

// heatOf sums the counts of a profile by line: a line has several instructions, in several functions and stages. A line executes as
// often as its most executed instruction.
func heatOf(profile []byte) (*heat, error) {
	var p struct {
		Stages []struct {
			EntryPoint, Model string
			Functions         []struct {
				Blocks []struct {
					Instructions []struct {
						Instruction, Line   int
						File, Op            string
						Executed, Divergent uint64
						Read                uint64 `json:"bytesRead"`
						Written             uint64 `json:"bytesWritten"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(profile, &p); err != nil {
		return nil, err
	}
	type place struct {
		file string
		line int
	}
	at := map[place]*heatLine{}
	h := &heat{Lines: []heatLine{}, Stages: []heatStage{}}
	for _, stage := range p.Stages {
		counts := heatStage{stage.EntryPoint, stage.Model, []heatInstruction{}}
		for _, f := range stage.Functions {
			for _, b := range f.Blocks {
				for _, i := range b.Instructions {
					counts.Instructions = append(counts.Instructions, heatInstruction{i.Instruction + 1, i.Op, i.Executed})
					if i.Line == 0 {
						continue
					}
					k := place{i.File, i.Line}
					if at[k] == nil {
						at[k] = &heatLine{File: i.File, Line: i.Line}
					}
					l := at[k]
					l.Executed = max(l.Executed, i.Executed)
					l.Instructions += i.Executed
					l.Divergent += i.Divergent
					l.Read += i.Read
					l.Written += i.Written
				}
			}
		}
		h.Stages = append(h.Stages, counts)
	}
	for _, l := range at {
		h.Lines = append(h.Lines, *l)
	}
	slices.SortFunc(h.Lines, func(a, b heatLine) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return h, nil
}
