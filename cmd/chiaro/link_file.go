package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// pipelineFile is a pipeline as it is written.
type pipelineFile struct {
	Stages     map[string]stageFile `yaml:"stages"`
	Layout     *layoutFile          `yaml:"layout"`
	Attributes *[]struct {
		Location uint32 `yaml:"location"`
		Format   string `yaml:"format"`
	} `yaml:"vertex_attributes"`
	Features map[string]bool `yaml:"features"`
	Library  bool            `yaml:"library"`
}

// stageFile is a stage: the name of its file, or more than that.
type stageFile struct {
	File           string         `yaml:"file"`
	Entry          string         `yaml:"entry"`
	Specialization map[uint32]any `yaml:"specialization"`
}

// UnmarshalYAML takes a name alone, too.
func (s *stageFile) UnmarshalYAML(read func(any) error) error {
	if read(&s.File) == nil {
		return nil
	}
	type plain stageFile
	return read((*plain)(s))
}

// maxDescription bounds the text of a description: 16 MiB.
const maxDescription = 16 << 20

// readYAML reads a description; what is wrong in it is said with line and column.
func readYAML(file string, to any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return unreadable("%v", err)
	}
	if len(data) > maxDescription {
		return unreadable("%s: larger than %d bytes", file, maxDescription)
	}
	if err := yaml.UnmarshalWithOptions(data, to, yaml.DisallowUnknownField()); err != nil {
		return unreadable("%s: %s", file, yaml.FormatError(err, false, true))
	}
	return nil
}

// readPipeline reads the description of a pipeline and the modules it names.
func readPipeline(c console, file string, env *valid.Env) (*link.Description, error) {
	var in pipelineFile
	if err := readYAML(file, &in); err != nil {
		return nil, err
	}
	d := &link.Description{Features: in.Features, Library: in.Library}
	names := make([]string, 0, len(in.Stages))
	for n := range in.Stages {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		s := in.Stages[n]
		if _, ok := link.ParseStage(n); !ok {
			return nil, unreadable("%s: stages: stage %q: must be %s", file, n, strings.Join(link.StageNames()[2:], ", "))
		}
		spec := facts.Spec{}
		for id, v := range s.Specialization {
			bits, ok := specBits(fmt.Sprint(v))
			if !ok {
				return nil, unreadable("%s: stages.%s.specialization.%d: %v: must be a number or a Boolean", file, n, id, v)
			}
			spec[id] = bits
		}
		path := s.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		shader, err := linkShader(c, path, strings.ReplaceAll(n, "_", " "), s.Entry, spec, env)
		if err != nil {
			return nil, err
		}
		d.Stages = append(d.Stages, *shader)
	}
	if in.Attributes != nil {
		d.HasAttributes = true
		for _, a := range *in.Attributes {
			d.Attributes = append(d.Attributes, link.Attribute{Location: a.Location, Format: a.Format})
		}
	}
	if in.Layout != nil {
		var err error
		if d.Layout, err = in.Layout.layout(file); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// layoutFile is a pipeline layout as it is written.
type layoutFile struct {
	Sets map[uint32]map[uint32]struct {
		Type    link.DescriptorType   `yaml:"type"`
		Count   *uint32               `yaml:"count"`
		Stages  []string              `yaml:"stages"`
		Mutable []link.DescriptorType `yaml:"mutable"`
	} `yaml:"sets"`
	Push []struct {
		Offset uint32   `yaml:"offset"`
		Size   uint32   `yaml:"size"`
		Stages []string `yaml:"stages"`
	} `yaml:"push_constants"`
}

// layout turns what was written into a layout; file is for errors.
func (in *layoutFile) layout(file string) (*link.Layout, error) {
	out := &link.Layout{}
	for number, bindings := range in.Sets {
		set := link.Set{Number: number}
		for n, b := range bindings {
			stages, err := stagesOf(b.Stages)
			if err == nil {
				err = knownTypes(append(b.Mutable, b.Type))
			}
			if err != nil {
				return nil, unreadable("%s: set %d binding %d: %v", file, number, n, err)
			}
			k := link.Binding{Binding: n, Type: b.Type, Count: 1, Stages: stages, Mutable: b.Mutable}
			if b.Count != nil {
				k.Count = *b.Count
			}
			set.Bindings = append(set.Bindings, k)
		}
		out.Sets = append(out.Sets, set)
	}
	for i, p := range in.Push {
		stages, err := stagesOf(p.Stages)
		if err != nil {
			return nil, unreadable("%s: push constant range %d: %v", file, i, err)
		}
		out.Push = append(out.Push, link.Range{Offset: p.Offset, Size: p.Size, Stages: stages})
	}
	return out, nil
}

// stagesOf reads names of stages; none are all.
func stagesOf(names []string) (link.Stages, error) {
	if len(names) == 0 {
		return link.AllStages, nil
	}
	var out link.Stages
	for _, n := range names {
		s, ok := link.ParseStage(n)
		if !ok {
			return 0, fmt.Errorf("stage %q: must be %s", n, strings.Join(link.StageNames(), ", "))
		}
		out |= s
	}
	return out, nil
}

func knownTypes(list []link.DescriptorType) error {
next:
	for _, t := range list {
		for _, k := range link.DescriptorTypes() {
			if t == k {
				continue next
			}
		}
		return fmt.Errorf("type %q: must be one of %v", t, link.DescriptorTypes())
	}
	return nil
}
