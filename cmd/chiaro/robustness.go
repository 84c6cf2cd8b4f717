package main

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/vk"
)

// robustStages are the stages of --robustness.
var robustStages = map[string]vk.ShaderStage{
	"vertex": vk.StageVertex, "tessellation_control": vk.StageTessControl, "tessellation_evaluation": vk.StageTessEvaluation,
	"geometry": vk.StageGeometry, "fragment": vk.StageFragment, "compute": vk.StageCompute,
}

// robust reads --robustness: the robustness of all stages, and of the stages that have one of their own. A stage has the
// robustness of all stages but for its own kinds, whatever the order of the flags. A flag may have several levels, with
// commas between them.
func (f *pipelineFlags) robust() (r vk.Robustness, stages map[vk.ShaderStage]*vk.Robustness, err error) {
	r.Bindings = map[vk.SetBinding]vk.BufferBehavior{}
	type rest struct {
		stage vk.ShaderStage
		kind  string
		level exec.Robustness
	}
	var later []rest
	var list []string
	for _, s := range f.robustness {
		list = append(list, strings.Split(s, ",")...)
	}
	for _, s := range list {
		what, name, some := strings.Cut(s, "=")
		if !some {
			what, name = "", s
		}
		level, ok := exec.ParseRobustness(name)
		if !ok {
			return r, nil, unreadable("--robustness %q; want [WHAT=]LEVEL, several with commas between them, and one of %s as LEVEL", s, strings.Join(exec.RobustnessNames(), " "))
		}
		of, kind, _ := strings.Cut(what, ".")
		if stage, ok := robustStages[of]; ok && (kind == "" || setRobustness(&vk.Robustness{}, kind, level)) {
			later = append(later, rest{stage, kind, level})
			continue
		}
		if setRobustness(&r, what, level) {
			continue
		}
		var at vk.SetBinding
		var tail string
		if n, _ := fmt.Sscanf(what+" .", "%d.%d %s", &at.Set, &at.Binding, &tail); n != 3 || tail != "." {
			return r, nil, unreadable("--robustness %q; want storage, uniform, images, vertexInputs, a stage and one of them, or SET.BINDING before the =", s)
		}
		r.Bindings[at] = vk.BufferBehavior(level)
	}
	for _, x := range later {
		if stages == nil {
			stages = map[vk.ShaderStage]*vk.Robustness{}
		}
		if stages[x.stage] == nil {
			own := r
			stages[x.stage] = &own
		}
		setRobustness(stages[x.stage], x.kind, x.level)
	}
	return r, stages, nil
}

// imageBehaviors are the behaviors of images by level.
var imageBehaviors = [...]vk.ImageBehavior{
	exec.Strict: vk.RobustImageAccess2, exec.Robust2: vk.RobustImageAccess2, exec.Robust: vk.RobustImageAccess, exec.NotRobust: vk.NotRobustImages,
}

// setRobustness sets the level of a kind of resources, or of all kinds if it is "". It returns false for other words.
func setRobustness(r *vk.Robustness, kind string, level exec.Robustness) bool {
	buffers, images := vk.BufferBehavior(level), imageBehaviors[level]
	switch kind {
	case "":
		r.Storage, r.Uniform, r.Images, r.Vertex = buffers, buffers, images, buffers
	case "storage":
		r.Storage = buffers
	case "uniform":
		r.Uniform = buffers
	case "images":
		r.Images = images
	case "vertexInputs":
		r.Vertex = buffers
	default:
		return false
	}
	return true
}
