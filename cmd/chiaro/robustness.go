package main

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// robustStages are the stages of --robustness.
var robustStages = map[string]ir.Stage{
	"vertex": ir.Vertex, "tessellation_control": ir.TessControl, "tessellation_evaluation": ir.TessEval,
	"geometry": ir.Geometry, "fragment": ir.Fragment, "compute": ir.Compute,
}

// robust reads --robustness: the robustness of all stages, and of the stages that have one of their own. A stage has the
// robustness of all stages but for its own kinds, whatever the order of the flags.
func (f *pipelineFlags) robust() (r compute.Robustness, stages map[ir.Stage]*compute.Robustness, err error) {
	r.Bindings = map[compute.Binding]exec.Robustness{}
	type rest struct {
		stage ir.Stage
		kind  string
		level exec.Robustness
	}
	var later []rest
	for _, s := range f.robustness {
		what, name, some := strings.Cut(s, "=")
		if !some {
			what, name = "", s
		}
		level, ok := exec.ParseRobustness(name)
		if !ok {
			return r, nil, unreadable("--robustness %q; want one of %s", s, strings.Join(exec.RobustnessNames(), " "))
		}
		of, kind, _ := strings.Cut(what, ".")
		if stage, ok := robustStages[of]; ok && (kind == "" || setRobustness(&compute.Robustness{}, kind, level)) {
			later = append(later, rest{stage, kind, level})
			continue
		}
		if setRobustness(&r, what, level) {
			continue
		}
		var at compute.Binding
		var tail string
		if n, _ := fmt.Sscanf(what+" .", "%d.%d %s", &at.Set, &at.Binding, &tail); n != 3 || tail != "." {
			return r, nil, unreadable("--robustness %q; want storage, uniform, images, vertexInputs, a stage and one of them, or SET.BINDING before the =", s)
		}
		r.Bindings[at] = level
	}
	for _, x := range later {
		if stages == nil {
			stages = map[ir.Stage]*compute.Robustness{}
		}
		if stages[x.stage] == nil {
			own := r
			stages[x.stage] = &own
		}
		setRobustness(stages[x.stage], x.kind, x.level)
	}
	return r, stages, nil
}

// setRobustness sets the level of a kind of resources, or of all kinds if it is "". It returns false for other words.
func setRobustness(r *compute.Robustness, kind string, level exec.Robustness) bool {
	switch kind {
	case "":
		r.Storage, r.Uniform, r.Images, r.Vertex = level, level, level, level
	case "storage":
		r.Storage = level
	case "uniform":
		r.Uniform = level
	case "images":
		r.Images = level
	case "vertexInputs":
		r.Vertex = level
	default:
		return false
	}
	return true
}
