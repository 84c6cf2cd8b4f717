package describe

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chiaro-gpu/chiaro/link"
)

// graphFile is the graph of a data graph pipeline as it is written.
type graphFile struct {
	File           string                `yaml:"file"`
	Entry          string                `yaml:"entry"` // "" for the only graph
	Specialization map[uint32]any        `yaml:"specialization"`
	Constants      *[]link.GraphConstant `yaml:"constants"`
	Resources      *[]link.GraphResource `yaml:"resources"`
}

// addGraph adds the graph to a data graph pipeline. Other pipelines have none.
func (in *pipelineFile) addGraph(d *link.Description, load func(Stage) (*link.Shader, error)) error {
	switch {
	case in.Graph == nil && d.Kind != link.DataGraph:
		return nil
	case in.Graph == nil:
		return at("kind", "a data graph pipeline without data_graph; must have it")
	case d.Kind != link.DataGraph && d.Kind != link.Any:
		return at("data_graph", "must not be in a pipeline of the kind %s", in.Kind)
	case len(d.Stages) > 0 || len(d.Libraries) > 0:
		return at("data_graph", "must not be beside stages or libraries")
	case in.Graph.File == "":
		return at("data_graph", "no file; must have one")
	}
	values, err := specialization(in.Graph.Specialization)
	if err != nil {
		return inside("data_graph", err)
	}
	s, err := load(Stage{File: in.Graph.File, Specialization: values.Spec(), Graph: true})
	if err != nil {
		return inside("data_graph", err)
	}
	d.Kind = link.DataGraph
	s.Path = "data_graph"
	d.Graph = &link.Graph{Shader: *s, Name: in.Graph.Entry, Constants: in.Graph.Constants, Resources: in.Graph.Resources}
	return nil
}

// specialization reads the values of specialization constants.
func specialization(in map[uint32]any) (Values, error) {
	out := Values{}
	for _, id := range slices.Sorted(maps.Keys(in)) {
		v := fmt.Sprint(in[id])
		if _, ok := SpecBits(v); !ok {
			return nil, at(fmt.Sprintf("specialization.%d", id), "%s; must be a number, true or false", short(v))
		}
		out[id] = v
	}
	return out, nil
}
