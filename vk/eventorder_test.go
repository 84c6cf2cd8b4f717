package vk

import "testing"

// TestEventRaces: an event orders the commands before its signal, in the stages of the signal, and the commands after the wait (Vulkan,
// "Events"). What other barriers order between the two does not chain with it.
func TestEventRaces(t *testing.T) {
	type step = func(u *unwritten, c *CommandBuffer, e *Event, t *testing.T)
	dependency := func(source, sourceAccess, target, targetAccess uint64) MemoryDependency {
		return MemoryDependency{SourceStages: source, SourceAccess: sourceAccess, TargetStages: target, TargetAccess: targetAccess}
	}
	saxpy := func(u *unwritten, c *CommandBuffer, e *Event, t *testing.T) { u.saxpyOf(t, c, u.x, u.y) }
	set := func(d ...MemoryDependency) step {
		return func(u *unwritten, c *CommandBuffer, e *Event, t *testing.T) { c.SetEvent(e, d...) }
	}
	wait := func(d ...MemoryDependency) step {
		return func(u *unwritten, c *CommandBuffer, e *Event, t *testing.T) { c.WaitEvent(e, d...) }
	}
	barrier := func(d ...MemoryDependency) step {
		return func(u *unwritten, c *CommandBuffer, e *Event, t *testing.T) { c.Barrier(d...) }
	}
	reset := func(u *unwritten, c *CommandBuffer, e *Event, t *testing.T) { c.ResetEvent(e) }
	host := func(u *unwritten, c *CommandBuffer, e *Event, t *testing.T) {
		if err := e.Set(); err != nil {
			t.Fatal(err)
		}
	}
	compute := dependency(computeShader, shaderWrite, computeShader, shaderRead|shaderWrite)
	fills := dependency(clearing, transferWrite, computeShader, shaderRead|shaderWrite)
	for _, k := range []struct {
		name  string
		steps []step
		races bool
	}{
		{"set and wait", []step{saxpy, set(compute), wait(compute), saxpy}, false},
		{"the stages of the signal alone", []step{saxpy, set(MemoryDependency{SourceStages: computeShader}), wait(compute), saxpy}, false},
		{"a signal of all stages", []step{saxpy, set(), wait(compute), saxpy}, false},
		{"a wait of all stages", []step{saxpy, set(), wait(), saxpy}, false},
		{"after the signal", []step{set(compute), saxpy, wait(compute), saxpy}, true},
		{"after the signal, a wait of all stages", []step{set(), saxpy, wait(), saxpy}, true},
		{"another stage of the signal", []step{saxpy, set(fills), wait(compute), saxpy}, true},
		{"another stage of the wait", []step{saxpy, set(compute), wait(fills), saxpy}, true},
		{"an execution dependency alone", []step{saxpy, set(compute), wait(dependency(computeShader, 0, computeShader, 0)), saxpy}, true},
		{"no wait", []step{saxpy, set(compute), saxpy}, true},
		{"set by the host", []step{host, saxpy, wait(compute), saxpy}, true},
		{"reset and set again", []step{set(compute), saxpy, reset, set(compute), wait(compute), saxpy}, false},
		{"set twice", []step{saxpy, set(compute), set(compute), wait(compute), saxpy}, false},
		{"a chain before the signal", []step{
			saxpy, barrier(dependency(computeShader, shaderWrite, copying, transferRead)), set(dependency(copying, 0, computeShader, 0)),
			wait(dependency(copying, 0, computeShader, shaderRead|shaderWrite)), saxpy,
		}, false},
		{"no chain with a barrier after the signal", []step{
			saxpy, set(dependency(copying, 0, computeShader, 0)), barrier(dependency(computeShader, shaderWrite, copying, transferRead)),
			wait(dependency(copying, 0, computeShader, shaderRead|shaderWrite)), saxpy,
		}, true},
		{"a chain from the wait", []step{
			saxpy, set(dependency(computeShader, shaderWrite, copying, transferRead)), wait(dependency(computeShader, shaderWrite, copying, transferRead)),
			barrier(dependency(copying, 0, computeShader, shaderRead|shaderWrite)), saxpy,
		}, false},
	} {
		u := newCompared(t, nil)
		e := must(u.dev.NewEvent())(t)
		err := u.submit(t, u.record(t, func(c *CommandBuffer) {
			for _, s := range k.steps {
				s(u, c, e, t)
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		if is := len(u.reports) > 0; is != k.races {
			t.Errorf("%s: the reports %+v; must be a race: %v", k.name, u.reports, k.races)
		}
	}
}

// TestSubpassRaces: a dependency of subpasses is on the commands of its source alone, and a render pass without one orders nothing
// (Vulkan, "Render Pass Creation"). A is before the render pass, 0 to 2 are its subpasses, Z is after it.
func TestSubpassRaces(t *testing.T) {
	const fragmentShader = 0x80
	between := func(source, target uint32, stages, access uint64) Dependency {
		return Dependency{Source: source, Target: target, SourceStages: fragmentShader, SourceAccess: access, TargetStages: stages, TargetAccess: shaderRead | shaderWrite}
	}
	first := between(External, 1, fragmentShader, shaderWrite)
	first.SourceStages, first.SourceAccess = copying, transferWrite
	for _, k := range []struct {
		name         string
		dependencies []Dependency
		steps        string // two accesses
		races        bool
	}{
		{"no dependency", nil, "01", true},
		{"from a subpass to the next", []Dependency{between(0, 1, fragmentShader, shaderWrite)}, "01", false},
		{"from a subpass to a later one", []Dependency{between(0, 2, fragmentShader, shaderWrite)}, "02", false},
		{"from another subpass", []Dependency{between(1, 2, fragmentShader, shaderWrite)}, "02", true},
		{"a chain of subpasses", []Dependency{between(0, 1, fragmentShader, shaderWrite), between(1, 2, fragmentShader, 0)}, "02", false},
		{"a chain of subpasses by another stage", []Dependency{between(0, 1, copying, shaderWrite), {Source: 1, Target: 2, SourceStages: copying, TargetStages: fragmentShader, TargetAccess: shaderWrite}}, "02", false},
		{"a broken chain of subpasses", []Dependency{between(0, 1, copying, shaderWrite), {Source: 1, Target: 2, SourceStages: clearing, TargetStages: fragmentShader, TargetAccess: shaderWrite}}, "02", true},
		{"to another stage", []Dependency{between(0, 1, copying, shaderWrite)}, "01", true},
		{"without the access", []Dependency{between(0, 1, fragmentShader, 0)}, "01", true},
		{"a subpass on itself", []Dependency{between(1, 1, fragmentShader, shaderWrite)}, "01", true},
		{"from outside", []Dependency{first}, "A1", false},
		{"from outside to another subpass", []Dependency{first}, "A0", true},
		{"not from a subpass", []Dependency{first}, "01", true},
		{"to outside", []Dependency{between(1, External, copying, shaderWrite)}, "1Z", true},
		{"to outside for reads and writes of transfers", []Dependency{{Source: 1, Target: External, SourceStages: fragmentShader, SourceAccess: shaderWrite, TargetStages: copying, TargetAccess: transferWrite}}, "1Z", false},
		{"to outside from another subpass", []Dependency{{Source: 0, Target: External, SourceStages: fragmentShader, SourceAccess: shaderWrite, TargetStages: copying, TargetAccess: transferWrite}}, "1Z", true},
		{"across the render pass", nil, "AZ", true},
	} {
		reports := 0
		p := &printer{reports: func(Report) { reports++ }}
		o, bytes := (&queueOrders{}).add(), make([]byte, 1<<17) // too large for the stack, which moves
		pass := &RenderPass{info: RenderPassInfo{Subpasses: make([]Subpass, 3), Dependencies: k.dependencies}, subpasses: make([]subpassForm, 3)}
		access := func(at byte) {
			for _, s := range []byte(k.steps) {
				switch a := (&commandAccess{name: "test", stage: fragmentShader, access: storageWrite}); {
				case s != at:
				case at == 'A' || at == 'Z':
					o.transfer(p, "copy", nil, bytes, copying)
				default:
					a.Write, a.Spans = true, spanOf(bytes)
					o.add(p, []*commandAccess{a}, o.now())
				}
			}
		}
		access('A')
		for i := range pass.subpasses {
			s := &pass.subpasses[i]
			s.pass, s.index = pass, i
			o.beginSubpass(s)
			access('0' + byte(i))
			o.endSubpass(s)
		}
		access('Z')
		if is := reports > 0; is != k.races {
			t.Errorf("%s: %d reports; must be a race: %v", k.name, reports, k.races)
		}
	}
}
