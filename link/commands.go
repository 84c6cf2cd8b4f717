package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Commands are the commands that are recorded with the pipeline or the shader objects bound:
// those that set push constants and states, and then one that dispatches, draws or traces rays.
type Commands struct {
	Push  []PushCommand `yaml:"push_constants"`   // vkCmdPushConstants
	Push2 []PushCommand `yaml:"push_constants_2"` // vkCmdPushConstants2
	Data  []PushCommand `yaml:"push_data"`        // vkCmdPushDataEXT

	// Sets is the vkCmdBindDescriptorSets commands in their order, Framebuffer the views of the
	// framebuffer and Inputs the views of input attachments in the bound sets; nil if they are
	// not known.
	Sets        *[]SetsCommand `yaml:"-"`
	Framebuffer *[]View        `yaml:"framebuffer"`
	Inputs      *[]InputView   `yaml:"input_views"`

	// Set is the states that vkCmdSet* commands have set and that later commands have not
	// invalidated, nil if they are not known. Their values are in the states of the description;
	// Enabled is the states of Set that no description has otherwise, if their value is not
	// VK_FALSE or NONE: viewport_w_scaling_enable, coverage_modulation_mode. Bound is the stages
	// that vkCmdBindShadersEXT commands name, be it for no shader; nil if they are not known.
	Set     *[]enum.DynamicState `yaml:"set"`
	Enabled []enum.DynamicState  `yaml:"enabled"`
	Bound   *[]Stages            `yaml:"bind_shaders"`

	Dispatch    *Dispatch   `yaml:"dispatch"`
	Draw        bool        `yaml:"draw"` // a draw of vertices
	DrawMesh    *[3]uint32  `yaml:"draw_mesh_tasks"`
	DrawMeshNV  *DrawMeshNV `yaml:"draw_mesh_tasks_nv"`
	TraceRays   *TraceRays  `yaml:"trace_rays"`
	TraceRaysNV *TraceRays  `yaml:"trace_rays_nv"`
}

// PushCommand is a command that sets bytes of push constants or of push data.
type PushCommand struct {
	Offset uint32   `yaml:"offset"`
	Size   uint32   `yaml:"size"`
	Stages []Stages `yaml:"stages"` // none for push data
	Bank   *uint32  `yaml:"bank"`   // VkPushConstantBankInfoNV, nil if there is none
}

// stages is the set of the stages of a command.
func (p *PushCommand) stages() (out Stages) {
	for _, s := range p.Stages {
		out |= s
	}
	return out
}

// pushCodes are the rules on a command that sets push constants: vkCmdPushConstants, or
// VkPushConstantsInfo.
var pushCodes = [2]struct{ offset, size, offsetLimit, sizeLimit, covered, whole, someSize, someStage string }{
	{vuid.VkCmdPushConstants_offset_00368, vuid.VkCmdPushConstants_size_00369, vuid.VkCmdPushConstants_offset_00370, vuid.VkCmdPushConstants_size_00371,
		vuid.VkCmdPushConstants_offset_01795, vuid.VkCmdPushConstants_offset_01796, vuid.VkCmdPushConstants_size_arraylength, vuid.VkCmdPushConstants_stageFlags_requiredbitmask},
	{vuid.VkPushConstantsInfo_offset_00368, vuid.VkPushConstantsInfo_size_00369, vuid.VkPushConstantsInfo_offset_00370, vuid.VkPushConstantsInfo_size_00371,
		vuid.VkPushConstantsInfo_offset_01795, vuid.VkPushConstantsInfo_offset_01796, vuid.VkPushConstantsInfo_size_arraylength, vuid.VkPushConstantsInfo_stageFlags_requiredbitmask},
}

// pushRules are the rules on commands that set push constants and push data.
var pushRules = func() []Rule {
	out := []Rule{
		{vuid.VkPushConstantBankInfoNV_bank_12342, "push data for graphics is in one of maxGraphicsPushDataBanks banks"},
		{vuid.VkPushConstantBankInfoNV_bank_12343, "push data for compute is in one of maxComputePushDataBanks banks"},
		{vuid.VkPushConstantBankInfoNV_bank_12344, "push constants of a graphics stage are in one of maxGraphicsPushConstantBanks banks"},
		{vuid.VkPushConstantBankInfoNV_bank_12345, "push constants of a compute stage are in one of maxComputePushConstantBanks banks"},
		{vuid.VkPushDataInfoEXT_offset_11418, "the offset of push data is a multiple of 4"},
		{vuid.VkPushDataInfoEXT_data_11419, "the size of push data is a multiple of 4"},
		{vuid.VkPushDataInfoEXT_offset_11243, "push data ends within maxPushDataSize"},
		{vuid.VkCmdDraw_None_08601, "commands have set the push constants that a stage uses"},
		{vuid.VkCmdDraw_None_11376, "commands have set the push data that a stage for descriptor heaps uses as push constants"},
	}
	for n, c := range pushCodes {
		command := [...]string{"vkCmdPushConstants", "vkCmdPushConstants2"}[n]
		out = append(out, Rule{c.offset, "the offset of " + command + " is a multiple of 4"}, Rule{c.size, "the size of " + command + " is a multiple of 4"},
			Rule{c.offsetLimit, "the offset of " + command + " is less than maxPushConstantsSize"}, Rule{c.sizeLimit, command + " ends within maxPushConstantsSize"},
			Rule{c.covered, "for each byte and stage of " + command + " the layout has a push constant range"},
			Rule{c.whole, command + " has all stages of each push constant range that it overlaps"},
			Rule{c.someSize, "the size of " + command + " is greater than 0"}, Rule{c.someStage, command + " is for a stage"})
	}
	return out
}()

// commands checks the recorded commands.
func (l *linker) commands() {
	c := l.d.Commands
	if c == nil {
		return
	}
	at := func(path string) []Side { return []Side{{Stage: "commands", path: "commands." + path}} }
	var have [len(stageOrder)][]span
	if l.d.Layout != nil {
		for k := range have {
			have[k] = spans(l.d.Layout.Push, 1<<k)
		}
	}
	for i := range c.Push {
		l.push(0, &c.Push[i], &have, at(fmt.Sprintf("push_constants[%d]", i)))
	}
	for i := range c.Push2 {
		l.push(1, &c.Push2[i], &have, at(fmt.Sprintf("push_constants_2[%d]", i)))
	}
	for i := range c.Data {
		l.pushData(&c.Data[i], at(fmt.Sprintf("push_data[%d]", i)))
	}
	if c.Draw || c.Dispatch != nil || c.DrawMesh != nil || c.DrawMeshNV != nil || c.TraceRays != nil || c.TraceRaysNV != nil {
		l.unset(c)
		l.boundResources(c)
	}
	l.recordedStates(c, at)
	l.actions(c, at)
}

// push checks a command that sets push constants; have is the push constants of the layout by
// stage.
func (l *linker) push(n int, p *PushCommand, have *[len(stageOrder)][]span, side []Side) {
	c, stages := &pushCodes[n], p.stages()
	end := uint64(p.Offset) + uint64(p.Size)
	if p.Offset%4 != 0 {
		l.fail(c.offset, side, "push constants from byte %d on are set; must be a multiple of 4", p.Offset)
	}
	if p.Size%4 != 0 {
		l.fail(c.size, side, "%d bytes of push constants are set; must be a multiple of 4", p.Size)
	}
	if p.Size == 0 {
		l.fail(c.someSize, side, "no bytes of push constants are set; must be some")
	}
	if stages == 0 {
		l.fail(c.someStage, side, "push constants of no stage are set; must be of one")
	}
	if most, known := l.d.limit("maxPushConstantsSize"); known {
		if uint64(p.Offset) >= most {
			l.fail(c.offsetLimit, side, "push constants from byte %d on are set; must be less than maxPushConstantsSize, %d", p.Offset, most)
		} else if end > most {
			l.fail(c.sizeLimit, side, "push constants to byte %d are set; must be at most maxPushConstantsSize, %d", end, most)
		}
	}
	if p.Bank != nil {
		if stages&(1<<(fragment+1)-1) != 0 {
			l.pushBank(vuid.VkPushConstantBankInfoNV_bank_12344, "maxGraphicsPushConstantBanks", *p.Bank, side)
		}
		if stages&(1<<compute) != 0 {
			l.pushBank(vuid.VkPushConstantBankInfoNV_bank_12345, "maxComputePushConstantBanks", *p.Bank, side)
		}
	}
	if l.d.Layout == nil {
		return
	}
	missing := Stages(0)
	for _, r := range l.d.Layout.Push {
		if uint64(r.Offset) < end && uint64(p.Offset) < uint64(r.Offset)+uint64(r.Size) {
			missing |= r.Stages &^ stages
		}
	}
	if missing != 0 {
		l.fail(c.whole, side, "bytes %d to %d of push constants are set for %s, and ranges of the layout with these bytes are for %s too; must be for all", p.Offset, end, stages, missing)
	}
	for k := range stageOrder {
		if stages>>k&1 != 0 && !covers(have[k], uint64(p.Offset), end) {
			l.fail(c.covered, side, "bytes %d to %d of push constants are set for the %s stage; the layout must have ranges for them", p.Offset, end, stageOrder[k].name)
		}
	}
}

// span is the bytes from one offset to another.
type span struct{ from, to uint64 }

// spans returns the bytes that ranges have for a stage: disjoint, in ascending order. A
// description may have thousands of ranges and commands, so that a check of a command
// must not look at all ranges for each byte.
func spans(ranges []Range, stage Stages) []span {
	var out []span
	for _, r := range ranges {
		if r.Stages&stage != 0 && r.Size > 0 {
			out = append(out, span{uint64(r.Offset), uint64(r.Offset) + uint64(r.Size)})
		}
	}
	slices.SortFunc(out, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	n := 0
	for _, s := range out {
		if n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out[n] = s
		n++
	}
	return out[:n]
}

// covers reports whether spans have each byte from one to another.
func covers(list []span, from, to uint64) bool {
	i, _ := slices.BinarySearchFunc(list, from, func(s span, from uint64) int { return cmp.Compare(s.to, from+1) })
	return from >= to || i < len(list) && list[i].from <= from && to <= list[i].to
}

// pushBank checks the bank of push constants or of push data.
func (l *linker) pushBank(code, limit string, bank uint32, side []Side) {
	if most, known := l.d.limit(limit); known && uint64(bank) >= most {
		l.fail(code, side, "the bank is %d; must be less than %s, %d", bank, limit, most)
	}
}

// pushData checks a command that sets push data.
func (l *linker) pushData(p *PushCommand, side []Side) {
	if p.Offset%4 != 0 {
		l.fail(vuid.VkPushDataInfoEXT_offset_11418, side, "push data from byte %d on is set; must be a multiple of 4", p.Offset)
	}
	if p.Size%4 != 0 {
		l.fail(vuid.VkPushDataInfoEXT_data_11419, side, "%d bytes of push data are set; must be a multiple of 4", p.Size)
	}
	l.over(vuid.VkPushDataInfoEXT_offset_11243, "maxPushDataSize", uint64(p.Offset)+uint64(p.Size), side, "the end of the push data")
	if p.Bank == nil {
		return
	}
	switch l.kind() {
	case Graphics:
		l.pushBank(vuid.VkPushConstantBankInfoNV_bank_12342, "maxGraphicsPushDataBanks", *p.Bank, side)
	case Compute:
		l.pushBank(vuid.VkPushConstantBankInfoNV_bank_12343, "maxComputePushDataBanks", *p.Bank, side)
	}
}

// unset checks that the commands have set the push constants that stages use.
func (l *linker) unset(c *Commands) {
	type key struct {
		heap  bool
		stage int
	}
	set := map[key][]span{}
	for _, s := range l.stages {
		code, k := vuid.VkCmdDraw_None_08601, key{stage: StageOf(s.Entry.Model)}
		if l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0 || s.Object&enum.ObjectFlagsDescriptorHeap != 0 {
			code, k.heap = vuid.VkCmdDraw_None_11376, true
		}
		if _, ok := set[k]; !ok {
			set[k] = c.bytesSet(k.heap, 1<<k.stage)
		}
		for i := range s.Entry.PushConstants {
			p := &s.Entry.PushConstants[i]
			if !p.Used || p.Bank != 0 {
				continue
			}
			for n := range p.Members {
				m := &p.Members[n]
				if !m.Used || covers(set[k], m.Offset, m.Offset+m.Size) {
					continue
				}
				side := s.at(p.Inst)
				side.Name = p.Name
				l.fail(code, []Side{side}, "the %s stage uses bytes %d to %d of push constants; commands must have set them", side.Stage, m.Offset, m.Offset+m.Size)
				break
			}
		}
	}
}

// bytesSet returns the push constants of a stage that commands have set in bank 0, or the
// push data.
func (c *Commands) bytesSet(data bool, stage Stages) []span {
	commands := slices.Concat(c.Push, c.Push2)
	if data {
		commands = c.Data
	}
	var out []Range
	for i := range commands {
		k := &commands[i]
		if k.Bank == nil || *k.Bank == 0 {
			r := Range{Offset: k.Offset, Size: k.Size, Stages: k.stages()}
			if data {
				r.Stages = AllStages
			}
			out = append(out, r)
		}
	}
	return spans(out, stage)
}
