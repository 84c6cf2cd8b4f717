package shadertable

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/oracle"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Permitted reports whether Judge is to judge the results.
func (x *Test) Permitted() bool { return x.body.Permitted }

// Judge judges the contents of the buffers after the run of a compute shader, and the expected values, by the values that Vulkan permits.
// module is the module of the shader.
func (x *Test) Judge(ctx context.Context, s *amber.Script, r *amber.Result, module *spirv.Module) (list []Failure, err error) {
	stage := &s.Pipelines[0].Stages[0]
	spec := facts.Spec{}
	for _, c := range stage.Specialize {
		spec[c.ID] = c.Bits
	}
	m := facts.Gather(module, spec)
	job := &oracle.Job{Module: m, Entry: m.EntryPoint(stage.EntryPoint, spirv.ExecutionModelGLCompute), Buffers: map[oracle.Place][]byte{}}
	if job.Entry == nil {
		return nil, fmt.Errorf("the shader has no compute entry point %s", stage.EntryPoint)
	}
	job.Groups = [3]uint32{1, 1, 1}
	for i, t := range x.body.Groups {
		job.Groups[i], _ = t.count() // the script has checked it
	}
	if b := s.Buffer("push"); b != nil {
		job.Push = b.Data
	}
	results, expected := map[oracle.Place][]byte{}, map[oracle.Place][]byte{}
	names := map[oracle.Place]string{}
	for _, name := range slices.Sorted(maps.Keys(x.body.Buffers)) {
		set, binding, id := new(writer).place(name)
		at, b, body := oracle.Place{Set: set, Binding: binding}, s.Buffer(id), x.body.Buffers[name]
		names[at] = name
		job.Buffers[at], results[at] = b.Data, r.Contents[id]
		if len(body.Expect) > 0 {
			if expected[at], err = b.With(r.Contents[id], len(body.Expect), func(k int) string { return body.Expect[k].value }); err != nil {
				return nil, fmt.Errorf("buffer %s: %w", name, err)
			}
		}
	}
	sets, err := oracle.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	if sets.Undecided != "" {
		return []Failure{x.failure(x.Line, "the permitted results are not known: %s, instruction %d", sets.Undecided, sets.Instruction)}, nil
	}
	add := func(what string, contents map[oracle.Place][]byte) {
		for _, v := range sets.Judge(contents) {
			by := ""
			if v.At > 0 {
				by = ", by " + m.Code.Inst(v.At-1).Op().String()
			}
			list = append(list, x.failure(x.Line, "%s: buffer %s, byte %d is %s; permitted: %s%s", what, names[v.Place], v.Offset, v.Text(v.Got), v.Permitted.String(), by))
		}
	}
	add("the result", results)
	add("the expected value", expected)
	return list[:min(len(list), maxShown)], nil
}
