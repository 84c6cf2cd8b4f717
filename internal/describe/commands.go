package describe

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/link"
)

// commandsFile is the recorded commands as they are written.
type commandsFile struct {
	link.Commands `yaml:",inline"`
	Sets          *[]setsFile `yaml:"bind_descriptor_sets"`
}

// setsFile is vkCmdBindDescriptorSets as it is written.
type setsFile struct {
	Layout *layoutFile `yaml:"layout"`
	First  uint32      `yaml:"first_set"`
	Count  *uint32     `yaml:"count"`
}

// commands converts the parsed commands.
func (in *commandsFile) commands() (*link.Commands, error) {
	out := &in.Commands
	if in.Sets == nil {
		return out, nil
	}
	sets := make([]link.SetsCommand, len(*in.Sets))
	for i, c := range *in.Sets {
		sets[i] = link.SetsCommand{First: c.First, Count: 1}
		if c.Count != nil {
			sets[i].Count = *c.Count
		}
		if c.Layout == nil {
			continue
		}
		var err error
		if sets[i].Layout, err = c.Layout.layout(); err != nil {
			return nil, inside(fmt.Sprintf("bind_descriptor_sets[%d].layout", i), err)
		}
	}
	out.Sets = &sets
	return out, nil
}
