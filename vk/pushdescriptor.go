package vk

import "github.com/chiaro-gpu/chiaro/enum"

// pushedSets are the push descriptors of a recording. Each push makes a set, so that commands recorded before it have the
// descriptors from before it.
type pushedSets struct {
	current [numBindPoints][maxSets]*Set // by bind point and set number; nil if nothing is pushed
	sets    []*Set                       // the first inUse belong to the recording, the others are free for it
	inUse   int
}

// reset frees the sets for another recording.
func (p *pushedSets) reset() {
	p.current, p.inUse = [numBindPoints][maxSets]*Set{}, 0
}

// forget drops the pushed descriptors of n sets from set number first on.
func (p *pushedSets) forget(point BindPoint, first, n int) {
	for i := first; i < first+n && i < maxSets; i++ {
		p.current[point][i] = nil
	}
}

// set returns a set of null descriptors.
func (p *pushedSets) set(d *Device, l *SetLayout) *Set {
	if p.inUse == len(p.sets) {
		p.sets = append(p.sets, nil)
	}
	s := p.sets[p.inUse]
	if s == nil || s.layout != l {
		s = newPushedSet(d, l)
		p.sets[p.inUse] = s
	} else {
		s.clear()
	}
	p.inUse++
	return s
}

// pushedKind is the kind of sets that command buffers own.
const pushedKind = "push descriptors"

// newPushedSet makes a set of null descriptors that is no object of the device by itself.
func newPushedSet(d *Device, l *SetLayout) *Set {
	s := newSet(l, 0)
	s.dev, s.kind = d, pushedKind
	return s
}

// clear makes all descriptors null, apart from immutable samplers.
func (s *Set) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.content {
		for at := range s.count(i) {
			s.empty(i, at)
		}
		s.fixSamplers(i)
	}
	s.renew(0)
	s.version++
}

// pushLayout returns the set layout for push descriptors of a pipeline layout.
func pushLayout(d *Device, point BindPoint, l *PipelineLayout, set int) (*SetLayout, error) {
	if err := point.check(); err != nil {
		return nil, err
	}
	if err := check(d, "the layout", l); err != nil {
		return nil, err
	}
	if set < 0 || set >= len(l.sets) || l.sets[set] == nil {
		return nil, usage("VUID-vkCmdPushDescriptorSet-set-00364", "the push descriptors are of set %d; must be of one of the %d sets of the layout", set, len(l.sets))
	}
	s := l.sets[set]
	if s.link.Flags&enum.SetFlagsPushDescriptor == 0 {
		return nil, usage("VUID-vkCmdPushDescriptorSet-set-00365", "set %d of the layout is not for push descriptors; must be", set)
	}
	return s, nil
}

// PushDescriptors writes descriptors of a set without an object of it. Descriptors that were pushed before stay.
func (c *CommandBuffer) PushDescriptors(point BindPoint, l *PipelineLayout, set int, writes ...Write) {
	if !c.begin() || !c.mayEndHeaps("VUID-vkCmdPushDescriptorSet-commandBuffer-11295", "VUID-vkCmdPushDescriptorSet-commandBuffer-11296") {
		return
	}
	layout, err := pushLayout(c.dev, point, l, set)
	if err != nil {
		c.fail(err)
		return
	}
	s := c.pushed.set(c.dev, layout)
	if old := c.pushed.current[point][set]; old != nil && old.layout.same(layout) {
		for i := range layout.slots {
			list, _ := (&Copy{Source: old, SourceBinding: layout.slots[i].number, Count: old.count(i)}).read()
			s.paste(i, 0, list)
		}
	}
	if err := s.Update(writes...); err != nil { // s.epoch grows before addSet
		c.fail(err)
		return
	}
	c.pushed.current[point][set] = s
	c.bindOwn(point, l, set, s)
}

// PushDescriptorsWithTemplate is PushDescriptors with the descriptors of a template.
func (c *CommandBuffer) PushDescriptorsWithTemplate(t *UpdateTemplate, l *PipelineLayout, set int, data *TemplateData) {
	if !c.begin() || !c.mayEndHeaps("VUID-vkCmdPushDescriptorSetWithTemplate-commandBuffer-11295", "VUID-vkCmdPushDescriptorSetWithTemplate-commandBuffer-11296") {
		return
	}
	if err := check(c.dev, "the template", t); err != nil {
		c.fail(err)
		return
	}
	if !t.push || t.set != set {
		c.fail(usage("VUID-vkCmdPushDescriptorSetWithTemplate-set-07305", "%v is not for the push descriptors of set %d; must be", &t.object, set))
		return
	}
	layout, err := pushLayout(c.dev, t.point, l, set)
	if err != nil {
		c.fail(err)
		return
	}
	writes, err := t.writes(c.dev, layout, data)
	if err != nil {
		c.fail(err)
		return
	}
	c.PushDescriptors(t.point, l, set, writes...)
}
