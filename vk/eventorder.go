package vk

import "slices"

// The dependencies of events and subpasses are on some of the earlier commands: those before the signal of the event, or those of
// one subpass (Vulkan, "Events", "Subpass Dependency"). Other barriers are on all of them.

// signal is the first half of the dependency of an event: the accesses before it, as they were then. What other barriers
// order between the signal and the wait does not chain with the event.
type signal struct {
	stages   uint64 // the first synchronization scope, expanded
	accesses []signaled
}

// signaled is an access before a signal.
type signaled struct {
	of        *commandAccess
	reached   uint64 // with the stage of the access
	available bool
}

// maxSignals bounds the events whose accesses are kept. A wait for another event orders everything.
const maxSignals = 64

// signal notes that a command sets an event. The dependencies have its stages; without one it is of all stages.
func (o *commandOrder) signal(e *Event, list []MemoryDependency) {
	if o == nil {
		return
	}
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	s := &signal{}
	for _, d := range list {
		s.stages |= d.expanded().first
	}
	if len(list) == 0 {
		s.stages = everyFlag
	}
	if old := o.signals[e]; old != nil { // the event is set already: one of the two signals it
		s.stages |= old.stages
	}
	if o.signals == nil {
		o.signals = map[*Event]*signal{}
	}
	if _, again := o.signals[e]; !again && len(o.signals) >= maxSignals {
		o.everySignal = true
		return
	}
	s.accesses = o.states()
	o.signals[e] = s
}

// states returns the accesses as they are.
func (o *commandOrder) states() (list []signaled) {
	for _, a := range o.accesses {
		list = append(list, signaled{a, a.scope(), a.available})
	}
	return list
}

// unsignal notes that a command resets an event.
func (o *commandOrder) unsignal(e *Event) {
	if o == nil {
		return
	}
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	delete(o.signals, e)
}

// wait adds the second half of the dependency of an event. An event that the host set orders what the host
// had seen before.
func (o *commandOrder) wait(e *Event, list []MemoryDependency) {
	if o == nil {
		return
	}
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	s := o.signals[e]
	switch {
	case s == nil && o.everySignal:
		o.ordered(everything)
		return
	case s == nil: // the host set it
		o.after(o.all.seen)
		return
	case len(list) == 0:
		list = everything
	}
	b := make([]dependency, len(list))
	for i := range list {
		b[i] = list[i].expanded()
		b[i].first &= s.stages
		b[i].SourceStages &= s.stages
	}
	for _, x := range s.accesses {
		if !x.of.gone {
			x.of.applyFrom(b, x.reached, x.available)
		}
	}
}

// beginSubpass adds the dependencies to a subpass, at its beginning.
func (o *commandOrder) beginSubpass(s *subpassForm) {
	if o == nil {
		return
	}
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	p, subpass := &s.pass.info, s.index
	if subpass == 0 {
		o.subpasses = o.subpasses[:0]
	}
	o.subpasses = append(o.subpasses, o.serial)
	o.subpassDependencies(p, uint32(subpass))
	if len(s.loads) > 0 && !p.dependsOn(External, uint32(subpass)) {
		o.implicitDependency(MemoryDependency{SourceStages: stageTopOfPipe, TargetStages: stageAllCommands, TargetAccess: attachmentAccesses})
	}
}

// The implicit dependencies of a render pass are from External to a subpass that uses an attachment first, and from one that uses it last to External,
// if the render pass has no such dependency and changes the layout of the attachment (Vulkan, "Render Pass Creation"). They are taken for all
// layouts and all memory: an order too many is no report.
const attachmentAccesses = accessInputAttachmentRead | accessColorAttachmentRead | accessColorAttachmentWrite | accessDepthStencilAttachmentRead | accessDepthStencilAttachmentWrite

// implicitDependency applies an implicit dependency to all accesses.
func (o *commandOrder) implicitDependency(d MemoryDependency) {
	b := []dependency{d.expanded()}
	for _, a := range o.accesses {
		a.apply(b)
	}
}

// dependsOn reports whether the render pass has a dependency from a subpass to another; either may be External.
func (p *RenderPassInfo) dependsOn(source, target uint32) bool {
	return slices.ContainsFunc(p.Dependencies, func(d Dependency) bool { return d.Source == source && d.Target == target })
}

// endSubpass adds the dependencies to the commands after the render pass, at the end of its last subpass.
func (o *commandOrder) endSubpass(s *subpassForm) {
	if o != nil && s.index+1 == len(s.pass.subpasses) {
		o.all.mu.Lock()
		defer o.all.mu.Unlock()
		o.subpassDependencies(&s.pass.info, External)
		last := func(f subpassForm) bool {
			return len(f.stores) > 0 && !s.pass.info.dependsOn(uint32(f.index), External)
		}
		if slices.ContainsFunc(s.pass.subpasses, last) {
			o.implicitDependency(MemoryDependency{SourceStages: stageAllCommands, TargetStages: stageBottomOfPipe, SourceAccess: attachmentAccesses})
		}
	}
}

// subpassDependencies applies the dependencies to a subpass, or to External, to the accesses of their sources.
func (o *commandOrder) subpassDependencies(p *RenderPassInfo, target uint32) {
	for i := range p.Dependencies {
		d := &p.Dependencies[i]
		if d.Target != target || d.Source == target {
			continue // a subpass that depends on itself permits barriers, and orders nothing by itself
		}
		from, to := uint64(0), o.serial
		if d.Source == External {
			to = o.subpasses[0]
		} else if n := int(d.Source); n < len(o.subpasses) {
			if from = o.subpasses[n]; n+1 < len(o.subpasses) {
				to = o.subpasses[n+1]
			}
		}
		b := []dependency{MemoryDependency{SourceStages: d.SourceStages, TargetStages: d.TargetStages, SourceAccess: d.SourceAccess, TargetAccess: d.TargetAccess}.expanded()}
		chained := []dependency{b[0]} // of accesses that a dependency before orders before the source
		chained[0].SourceAccess = 0
		for _, a := range o.accesses {
			switch {
			case a.serial < from, a.origin != nil && d.Source != External: // an access of another queue is before the render pass
				a.applyFrom(chained, a.reached, a.available)
			case a.serial < to, a.origin != nil:
				a.apply(b)
			}
		}
	}
}
