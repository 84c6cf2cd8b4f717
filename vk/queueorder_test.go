package vk

import (
	"context"
	"testing"
	"time"
)

// submissions is a device with two queues, and what a test does with them.
type submissions struct {
	*unwritten
	t   *testing.T
	ctx context.Context
}

// queue submits a command buffer that adds x to y to a queue, between barriers.
func (s *submissions) queue(n int, info SubmitInfo, barriers ...[]MemoryDependency) {
	s.t.Helper()
	s.commands(n, info, func(c *CommandBuffer) {
		for _, d := range barriers {
			c.Barrier(d...)
		}
		s.saxpyOf(s.t, c, s.x, s.y)
	})
}

// commands submits commands to a queue.
func (s *submissions) commands(n int, info SubmitInfo, record func(c *CommandBuffer)) {
	s.t.Helper()
	if record != nil {
		info.Commands = []*CommandBuffer{must(s.recordFor(s.t, s.dev.queues[n].family, record))(s.t)}
	}
	if err := s.dev.queues[n].Submit(info); err != nil {
		s.t.Fatal(err)
	}
}

func (s *submissions) fence() *Fence { return must(s.dev.NewFence(false))(s.t) }

// wait fails if a wait of the host does.
func (s *submissions) wait(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestSubmissionRaces: commands of different submissions are ordered by the barriers of their queue, by semaphores in their stages, and
// by what the host has seen finished before it submits (Vulkan, "Semaphores", "Fences", "Implicit Synchronization Guarantees").
func TestSubmissionRaces(t *testing.T) {
	compute := []MemoryDependency{{SourceStages: computeShader, SourceAccess: shaderWrite, TargetStages: computeShader, TargetAccess: shaderRead | shaderWrite}}
	toCompute := []MemoryDependency{{SourceStages: copying, TargetStages: computeShader, TargetAccess: shaderRead | shaderWrite}}
	plain := SubmitInfo{}
	at := func(s *Semaphore, value uint64) []SemaphoreValue { return []SemaphoreValue{{s, value}} }
	for _, k := range []struct {
		name  string
		run   func(s *submissions)
		races bool
	}{
		{"nothing between", func(s *submissions) { s.queue(0, plain); s.queue(0, plain) }, true},
		{"a barrier of the second", func(s *submissions) { s.queue(0, plain); s.queue(0, plain, compute) }, false},
		{"a barrier of another submission", func(s *submissions) {
			s.queue(0, plain)
			s.commands(0, plain, func(c *CommandBuffer) { c.Barrier(compute...) })
			s.queue(0, plain)
		}, false},
		{"a fence without a wait", func(s *submissions) { s.queue(0, SubmitInfo{Fence: s.fence()}); s.queue(0, plain) }, true},
		{"a fence", func(s *submissions) {
			f := s.fence()
			s.queue(0, SubmitInfo{Fence: f})
			s.wait(f.Wait(s.ctx))
			s.queue(0, plain)
		}, false},
		{"a fence among others", func(s *submissions) {
			f, g := s.fence(), s.fence()
			s.queue(0, SubmitInfo{Fence: f})
			s.wait(s.dev.WaitFences(s.ctx, false, f, g))
			s.queue(0, plain)
		}, false},
		{"a fence that the host polls", func(s *submissions) {
			f := s.fence()
			s.queue(0, SubmitInfo{Fence: f})
			for !f.Signaled() {
				time.Sleep(time.Millisecond)
			}
			s.queue(0, plain)
		}, false},
		{"a fence of a later submission", func(s *submissions) {
			f := s.fence()
			s.queue(0, plain)
			s.commands(0, SubmitInfo{Fence: f}, nil)
			s.wait(f.Wait(s.ctx))
			s.queue(0, plain)
		}, false},
		{"a fence of an earlier submission", func(s *submissions) {
			f := s.fence()
			s.commands(0, SubmitInfo{Fence: f}, nil)
			s.queue(0, plain)
			s.wait(f.Wait(s.ctx))
			s.queue(0, plain)
		}, true},
		{"submitted before the host waits", func(s *submissions) {
			f := s.fence()
			s.queue(0, SubmitInfo{Fence: f})
			s.queue(0, plain)
			s.wait(f.Wait(s.ctx))
		}, true},
		{"an idle queue", func(s *submissions) {
			s.queue(0, plain)
			s.wait(s.dev.queues[0].WaitIdle(s.ctx))
			s.queue(0, plain)
		}, false},
		{"two queues", func(s *submissions) { s.queue(0, plain); s.queue(1, plain) }, true},
		{"two queues, a barrier", func(s *submissions) {
			f := s.fence()
			s.queue(0, plain)
			s.queue(1, SubmitInfo{Fence: f}, compute)
			s.wait(f.Wait(s.ctx))
		}, true},
		{"two queues, a fence", func(s *submissions) {
			f := s.fence()
			s.queue(0, SubmitInfo{Fence: f})
			s.wait(f.Wait(s.ctx))
			s.queue(1, plain)
		}, false},
		{"two queues, the other fence", func(s *submissions) {
			f := s.fence()
			s.queue(0, plain)
			s.commands(1, SubmitInfo{Fence: f}, nil)
			s.wait(f.Wait(s.ctx))
			s.queue(1, plain)
		}, true},
		{"a semaphore", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.queue(1, SubmitInfo{Wait: at(x, 0)})
		}, false},
		{"a semaphore of one queue", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.queue(0, SubmitInfo{Wait: at(x, 0)})
		}, false},
		{"a semaphore of a later submission", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, plain)
			s.commands(0, SubmitInfo{Signal: at(x, 0)}, nil)
			s.queue(1, SubmitInfo{Wait: at(x, 0)})
		}, false},
		{"a semaphore of an earlier submission", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.commands(0, SubmitInfo{Signal: at(x, 0)}, nil)
			s.queue(0, plain)
			s.queue(1, SubmitInfo{Wait: at(x, 0)})
		}, true},
		{"the stage of the wait", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.queue(1, SubmitInfo{Wait: at(x, 0), WaitStages: []uint64{computeShader}})
		}, false},
		{"another stage of the wait", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.queue(1, SubmitInfo{Wait: at(x, 0), WaitStages: []uint64{copying}})
		}, true},
		{"another stage of the wait, one queue", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.queue(0, SubmitInfo{Wait: at(x, 0), WaitStages: []uint64{copying}})
		}, true},
		{"a chain from the wait", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.queue(1, SubmitInfo{Wait: at(x, 0), WaitStages: []uint64{copying}}, toCompute)
		}, false},
		{"no chain from the stage of another queue", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.queue(1, SubmitInfo{Wait: at(x, 0), WaitStages: []uint64{copying}}, compute)
		}, true},
		{"the stage of the signal", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0), SignalStages: []uint64{computeShader}})
			s.queue(1, SubmitInfo{Wait: at(x, 0)})
		}, false},
		{"another stage of the signal", func(s *submissions) {
			x := must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0), SignalStages: []uint64{copying}})
			s.queue(1, SubmitInfo{Wait: at(x, 0)})
		}, true},
		{"a chain over a queue", func(s *submissions) {
			x, y := must(s.dev.NewBinarySemaphore())(s.t), must(s.dev.NewBinarySemaphore())(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.commands(1, SubmitInfo{Wait: at(x, 0), Signal: at(y, 0)}, nil)
			s.queue(0, SubmitInfo{Wait: at(y, 0)})
		}, false},
		{"a fence after a semaphore", func(s *submissions) {
			x, f := must(s.dev.NewBinarySemaphore())(s.t), s.fence()
			s.queue(0, SubmitInfo{Signal: at(x, 0)})
			s.commands(1, SubmitInfo{Wait: at(x, 0), Fence: f}, nil)
			s.wait(f.Wait(s.ctx))
			s.queue(0, plain)
		}, false},
		{"a timeline", func(s *submissions) {
			x := must(s.dev.NewSemaphore(0))(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 3)})
			s.queue(1, SubmitInfo{Wait: at(x, 2)})
		}, false},
		{"a timeline that the host awaits", func(s *submissions) {
			x := must(s.dev.NewSemaphore(0))(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 3)})
			s.wait(x.Wait(s.ctx, 2))
			s.queue(1, plain)
		}, false},
		{"a timeline that the host reads", func(s *submissions) {
			x := must(s.dev.NewSemaphore(0))(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 3)})
			for x.Value() < 3 {
				time.Sleep(time.Millisecond)
			}
			s.queue(1, plain)
		}, false},
		{"an earlier value of a timeline", func(s *submissions) {
			x := must(s.dev.NewSemaphore(0))(s.t)
			s.commands(0, SubmitInfo{Signal: at(x, 1)}, nil)
			s.queue(0, SubmitInfo{Signal: at(x, 2)})
			s.queue(1, SubmitInfo{Wait: at(x, 1)})
		}, true},
		{"a signal of the host after its wait", func(s *submissions) {
			x, f := must(s.dev.NewSemaphore(0))(s.t), s.fence()
			s.queue(1, SubmitInfo{Wait: at(x, 1)})
			s.queue(0, SubmitInfo{Fence: f})
			s.wait(f.Wait(s.ctx))
			s.wait(x.Signal(1))
		}, false},
		{"a signal of the host", func(s *submissions) {
			x := must(s.dev.NewSemaphore(0))(s.t)
			s.queue(1, SubmitInfo{Wait: at(x, 1)})
			s.queue(0, plain)
			s.wait(x.Signal(1))
		}, true},
		{"many signals of a timeline", func(s *submissions) {
			x := must(s.dev.NewSemaphore(0))(s.t)
			s.queue(0, SubmitInfo{Signal: at(x, 1)})
			for i := range uint64(3 * maxMarks) {
				s.commands(0, SubmitInfo{Signal: at(x, i+2)}, nil)
			}
			s.queue(1, SubmitInfo{Wait: at(x, 1)})
		}, false},
		{"an event of the first", func(s *submissions) {
			e := must(s.dev.NewEvent())(s.t)
			s.commands(0, plain, func(c *CommandBuffer) { s.saxpyOf(s.t, c, s.x, s.y); c.SetEvent(e, compute...) })
			s.commands(0, plain, func(c *CommandBuffer) { c.WaitEvent(e, compute...); s.saxpyOf(s.t, c, s.x, s.y) })
		}, false},
		{"two reads", func(s *submissions) {
			read := func(c *CommandBuffer) { c.CopyBuffer(s.y, s.buffer(s.t), []BufferCopy{{0, 0, 32}}) }
			s.commands(0, plain, read)
			s.commands(1, plain, read)
		}, false},
	} {
		u := &unwritten{}
		u.rig = newRig(t, DeviceInfo{Sanitize: SanitizeRace, Queues: []QueueInfo{{0, 1}, {1, 1}}, Reports: func(r Report) { u.reports = append(u.reports, r) }}, storage)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		k.run(&submissions{unwritten: u, t: t, ctx: ctx})
		if err := u.dev.WaitIdle(ctx); err != nil {
			t.Fatal(k.name, err)
		}
		cancel()
		if is := len(u.reports) > 0; is != k.races {
			t.Errorf("%s: the reports %+v; must be a race: %v", k.name, u.reports, k.races)
		}
	}
}

// TestFreedMemory: another allocation may have the addresses of one that is freed, and its accesses.
func TestFreedMemory(t *testing.T) {
	all := &queueOrders{}
	o, p := all.add(), &printer{reports: func(r Report) { t.Errorf("the report %+v; must be none", r) }}
	memory := make([]byte, 1<<17) // too large for the stack, which moves when it grows: spans are addresses
	for i := range uint64(2) {
		o.begin(i+1, nil)
		o.transfer(p, "fill", nil, memory[64:128], stageClear)
		all.drop(memory[:1<<16])
	}
	if len(o.accesses) != 0 || o.spans != 0 {
		t.Errorf("%d accesses with %d spans are left; must be none", len(o.accesses), o.spans)
	}
}
