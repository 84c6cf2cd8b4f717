package profile

import (
	"io"
	"math"
	"strings"

	"github.com/google/pprof/profile"
)

// sampleTypes are the values of a sample.
var sampleTypes = []*profile.ValueType{
	{Type: "instructions", Unit: "count"}, // executed by invocations
	{Type: "subgroup_instructions", Unit: "count"},
	{Type: "divergent_branches", Unit: "count"},
	{Type: "read", Unit: "bytes"},
	{Type: "written", Unit: "bytes"},
}

// Pprof writes the profile for go tool pprof. Each executed instruction is a sample. Its stack has the instruction, the call of
// its function, the call of the caller, and so on up to a function with several call sites: the counters do not distinguish
// call sites. The bottom is the stage.
func (p *Profile) Pprof(w io.Writer) error {
	b := builder{functions: map[functionKey]*profile.Function{}, out: &profile.Profile{SampleType: sampleTypes, DefaultSampleType: "instructions"}}
	for n, s := range p.Stages {
		b.stage(n, s)
	}
	if err := b.out.CheckValid(); err != nil {
		return err
	}
	return b.out.Write(w)
}

// builder makes the profile.
type builder struct {
	out       *profile.Profile
	functions map[functionKey]*profile.Function
	locations map[locationKey]*profile.Location // of one stage
	mapping   *profile.Mapping
	base      uint64 // the address before the stage's first instruction
}

type functionKey struct {
	stage, start int
	name, file   string
}

type locationKey struct {
	function *Function // nil for the stage
	index    int
}

// span is the range of addresses of a stage: module instructions and the stage itself.
const span = 1 << 32

// stage adds the samples of a stage.
func (b *builder) stage(n int, s *Stage) {
	b.locations = map[locationKey]*profile.Location{}
	b.base = uint64(n+1) * span
	file := "" // of the entry point
	if len(s.Functions) > 0 {
		file = s.Functions[0].File
	}
	b.mapping = &profile.Mapping{ID: uint64(n + 1), Start: b.base, Limit: b.base + span, File: text(file), HasFunctions: true, HasFilenames: true, HasLineNumbers: true}
	b.out.Mapping = append(b.out.Mapping, b.mapping)
	root := b.location(n, locationKey{nil, -1}, s.Model+" "+s.Entry, file, 0, 0)
	for _, f := range s.Functions {
		stack := b.callers(n, f)
		for _, block := range f.Blocks {
			for _, in := range block.Instructions {
				if in.Executed == 0 {
					continue
				}
				at := b.location(n, locationKey{f, in.Index}, f.Name, in.File, f.Line, in.Line)
				b.out.Sample = append(b.out.Sample, &profile.Sample{
					Location: append(append([]*profile.Location{at}, stack...), root),
					Value:    []int64{signed(in.Executed), signed(in.Subgroups), signed(in.Divergent), signed(in.Read), signed(in.Written)},
				})
			}
		}
	}
}

// maxStack bounds the locations of a sample.
const maxStack = 64

// callers returns the calls that lead to a function, the last one first.
func (b *builder) callers(n int, f *Function) (stack []*profile.Location) {
	for len(f.callers) == 1 && len(stack) < maxStack {
		c := f.callers[0]
		stack = append(stack, b.location(n, locationKey{c.function, c.index}, c.function.Name, c.at.File, c.function.Line, c.at.Line))
		f = c.function
	}
	return stack
}

// location returns the location of an instruction.
func (b *builder) location(n int, k locationKey, name, file string, start, line int) *profile.Location {
	if at := b.locations[k]; at != nil {
		return at
	}
	if file == "" && k.function != nil {
		file = k.function.File
	}
	key := functionKey{n, start, name, file}
	f := b.functions[key]
	if f == nil {
		name = text(name)
		f = &profile.Function{ID: uint64(len(b.out.Function) + 1), Name: name, SystemName: name, Filename: text(file), StartLine: int64(start)}
		b.functions[key] = f
		b.out.Function = append(b.out.Function, f)
	}
	at := &profile.Location{
		ID: uint64(len(b.out.Location) + 1), Mapping: b.mapping, Address: b.base + uint64(k.index+2),
		Line: []profile.Line{{Function: f, Line: int64(line)}},
	}
	b.locations[k] = at
	b.out.Location = append(b.out.Location, at)
	return at
}

// text returns a name as UTF-8, which protocol buffers require.
func text(name string) string { return strings.ToValidUTF8(name, "\ufffd") }

// signed returns a count in the type of pprof.
func signed(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
