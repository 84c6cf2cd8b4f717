package link

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// boundRules are the rules on the descriptors that commands bind before a draw.
var boundRules = []Rule{
	{vuid.VkCmdDraw_None_08600, "each set that a stage uses is bound with a layout that is compatible for it with the layout of the pipeline"},
	{vuid.VkCmdDraw_None_07469, "the view that an input attachment reads is equivalent to the view in the framebuffer, and has the format of the subpass and the aspect that is read"},
}

// SetsCommand is vkCmdBindDescriptorSets.
type SetsCommand struct {
	Layout *Layout // nil: of the pipeline
	First  uint32
	Count  uint32
}

// View is the part of VkImageViewCreateInfo that rules on input attachments need.
type View struct {
	Image   string        `yaml:"image"` // any name, the same for the views of one image
	Type    enum.ViewType `yaml:"view_type"`
	Format  Format        `yaml:"format"`
	Aspects Aspects       `yaml:"aspects"` // 0: not specified
	Level   uint32        `yaml:"base_level"`
	Levels  uint32        `yaml:"levels"` // 0 means 1
	Layer   uint32        `yaml:"base_layer"`
	Layers  uint32        `yaml:"layers"` // 0 means 1
}

// InputView is the view of an input attachment in a bound descriptor set.
type InputView struct {
	Set     uint32 `yaml:"set"`
	Binding uint32 `yaml:"binding"`
	Element uint32 `yaml:"array_element"`
	View    View   `yaml:"view"`
}

// maxBoundSteps bounds the sets that the check of bound sets compares, so that a hostile
// description does not take the square of the time.
const maxBoundSteps = 1 << 20

// boundResources checks the sets and the views that commands have bound.
func (l *linker) boundResources(c *Commands) {
	if c.Sets != nil {
		l.boundSets(*c.Sets)
	}
	if p := l.subpass(); p != nil && c.Framebuffer != nil && c.Inputs != nil {
		l.inputViews(c, p)
	}
}

// boundSets checks each set that a stage uses, once for each stage. It looks for the last
// command that binds the set, then for later ones that disturb it.
func (l *linker) boundSets(list []SetsCommand) {
	patience := maxBoundSteps
	for _, s := range l.stages {
		if l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0 || s.Object&enum.ObjectFlagsDescriptorHeap != 0 {
			continue
		}
		seen := map[uint32]bool{}
		for i := range s.Entry.Resources {
			r := &s.Entry.Resources[i]
			if !r.Used || r.MissingSet || seen[r.Set] {
				continue
			}
			seen[r.Set] = true
			if patience -= len(list) + 1; patience < 0 {
				return
			}
			l.boundSet(s, r, list, &patience)
		}
	}
}

// boundSet checks one set that a stage uses, through the first of its resources.
func (l *linker) boundSet(s *Shader, r *iface.Resource, list []SetsCommand, patience *int) {
	const code = vuid.VkCmdDraw_None_08600
	layout := func(k int) *Layout {
		if list[k].Layout != nil {
			return list[k].Layout
		}
		return l.d.Layout
	}
	binds := func(k int) bool { return r.Set >= list[k].First && r.Set-list[k].First < list[k].Count }
	at := len(list) - 1
	for at >= 0 && !binds(at) {
		at--
	}
	if at < 0 {
		l.fail(code, []Side{resourceSide(s, r)}, "%s uses set %d; commands must have bound it", r.Name, r.Set)
		return
	}
	side := func(k int) []Side {
		return []Side{resourceSide(s, r), {Stage: "commands", path: fmt.Sprintf("commands.bind_descriptor_sets[%d]", k)}}
	}
	have := layout(at)
	if have == nil || l.d.Layout == nil {
		return // not known
	}
	if !have.CompatibleFor(l.d.Layout, r.Set) {
		l.fail(code, side(at), "set %d, which %s uses, is bound with another layout than the layout of the pipeline; must be compatible for set %d", r.Set, r.Name, r.Set)
		return
	}
	for k := at + 1; k < len(list); k++ {
		p := layout(k)
		if list[k].Count == 0 || p == have {
			continue
		}
		if *patience -= len(p.Sets) + len(have.Sets) + len(p.Push) + len(have.Push); *patience < 0 {
			return
		}
		if last := list[k].First + list[k].Count - 1; !p.Keeps(have, r.Set, last) {
			l.fail(code, side(k), "set %d, which %s uses, is disturbed by a later command with a layout that is not compatible with its own; commands must have bound it again", r.Set, r.Name)
			return
		}
	}
}

// inputViews checks the views of the input attachments that the fragment stage reads.
func (l *linker) inputViews(c *Commands, p *Subpass) {
	f := l.stage(fragment)
	if f == nil {
		return
	}
	type place struct{ set, binding uint32 }
	read := map[place]*iface.Resource{}
	for i := range f.Entry.Resources {
		if r := &f.Entry.Resources[i]; r.Type == iface.InputAttachment && r.Used && r.Attachment != nil && r.Image != nil {
			read[place{r.Set, r.Binding}] = r
		}
	}
	for i := range *c.Inputs {
		v := &(*c.Inputs)[i]
		r := read[place{v.Set, v.Binding}]
		if r == nil || uint64(v.Element) >= max(r.Count, 1) {
			continue
		}
		index := uint64(*r.Attachment) + uint64(v.Element)
		if index >= uint64(len(p.Input)) || uint64(p.Input[index]) >= uint64(len(l.d.Pass.Attachments)) {
			continue // another rule covers it
		}
		l.inputView(f, r, v, c, int(p.Input[index]), fmt.Sprintf("commands.input_views[%d]", i))
	}
}

// inputView checks the view that an input attachment reads.
func (l *linker) inputView(f *Shader, r *iface.Resource, v *InputView, c *Commands, attachment int, path string) {
	const code = vuid.VkCmdDraw_None_07469
	sides := []Side{resourceSide(f, r), {Stage: "commands", path: path, Type: v.View.Format.String(), Decorations: v.View.Aspects.String()}}
	of := l.d.Pass.Attachments[attachment].Format
	if of != v.View.Format {
		l.fail(code, sides, "%s reads a view of %s, its attachment has %s; must have one format", r.Name, v.View.Format, of)
		return
	}
	if info := format.ByID(uint32(of)); info != nil && v.View.Aspects != 0 {
		if want := aspectRead(r, info); v.View.Aspects != want {
			l.fail(code, sides, "%s reads the aspect %s of a view of the aspects %s; must be equal", r.Name, want, v.View.Aspects)
		}
	}
	if attachment >= len(*c.Framebuffer) {
		l.fail(code, sides, "%s reads attachment %d, the framebuffer has %d views; must have one for it", r.Name, attachment, len(*c.Framebuffer))
		return
	}
	if (*c.Framebuffer)[attachment].whole() != v.View.whole() {
		l.fail(code, sides, "%s reads a view that is not the view %d of the framebuffer; must be equivalent but for its aspects", r.Name, attachment)
	}
}

// whole returns the view without its aspects, its counts specified.
func (v View) whole() View {
	v.Aspects, v.Levels, v.Layers = 0, max(v.Levels, 1), max(v.Layers, 1)
	return v
}
