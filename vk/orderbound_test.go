package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// TestManyEvents: a queue keeps the signals of so many events, whether they are reset or not, and forgets destroyed events. An
// event that it does not keep orders everything; one that it keeps is exact when it is set again.
func TestManyEvents(t *testing.T) {
	u := newCompared(t, nil)
	o := u.dev.queues[0].order
	var events []*Event
	for range 3 * maxSignals {
		events = append(events, must(u.dev.NewEvent())(t))
	}
	first, last := events[0], events[len(events)-1]
	toCompute := MemoryDependency{SourceStages: computeShader, SourceAccess: shaderWrite, TargetStages: computeShader, TargetAccess: shaderRead | shaderWrite}
	fills := MemoryDependency{SourceStages: clearing, TargetStages: computeShader, TargetAccess: shaderRead | shaderWrite}
	submit := func(record func(c *CommandBuffer)) int {
		t.Helper()
		u.reports = nil
		if err := u.submit(t, u.record(t, record)); err != nil {
			t.Fatal(err)
		}
		return len(u.reports)
	}
	n := submit(func(c *CommandBuffer) {
		for _, e := range events {
			c.SetEvent(e)
		}
		c.Barrier(toCompute)
		u.saxpyOf(t, c, u.x, u.y)
		c.SetEvent(last, fills) // it is not kept
		c.WaitEvent(last, fills)
		u.saxpyOf(t, c, u.x, u.y)
	})
	if n > 0 || len(o.signals) > maxSignals {
		t.Errorf("%d reports, and %d signals are kept; must be at most %d", n, len(o.signals), maxSignals)
	}
	n = submit(func(c *CommandBuffer) {
		c.Barrier(toCompute)
		c.ResetEvent(first)
		u.saxpyOf(t, c, u.x, u.y)
		c.SetEvent(first, fills)
		c.SetEvent(first, fills) // again
		c.WaitEvent(first, fills)
		u.saxpyOf(t, c, u.x, u.y)
	})
	if n == 0 {
		t.Error("an event of another stage orders two dispatches")
	}
	for _, e := range events {
		e.Close()
	}
	if len(o.signals) > 0 {
		t.Errorf("%d signals of destroyed events are kept", len(o.signals))
	}
}

// TestForgottenOrigin: a queue does not compare an access of another queue that the other one does not keep any more: no semaphore would order it.
func TestForgottenOrigin(t *testing.T) {
	reports := 0
	p := &printer{reports: func(Report) { reports++ }}
	all := &queueOrders{}
	from, to := all.add(), all.add()
	bytes := make([]byte, 1<<17) // too large for the stack, which moves
	write := func(o *commandOrder, at int) {
		o.add(p, []*commandAccess{{name: "test", stage: stageCopy, access: accessTransferWrite, Access: exec.Access{Write: true, Spans: spanOf(bytes[at:][:4])}}}, o.now())
	}
	var semaphore timeline
	from.begin(1, nil)
	write(from, 0)
	from.signalled(&semaphore, 1, everyFlag, false)
	to.begin(1, nil)
	to.awaited(&semaphore, 1, stageClear, false)
	for i := range maxCompared {
		write(from, 4*(i+1))
	}
	from.signalled(&semaphore, 2, everyFlag, false)
	to.begin(2, nil)
	to.awaited(&semaphore, 2, everyFlag, false)
	if write(to, 0); reports > 0 {
		t.Errorf("%d reports of a write after a wait for the other one", reports)
	}
}

// TestGraphNodes: the nodes of a graph are one command, whose mesh nodes add their accesses at the end of the rendering. They are not compared
// with each other, but with those of another dispatch.
func TestGraphNodes(t *testing.T) {
	reports := 0
	p := &printer{reports: func(Report) { reports++ }}
	o := (&queueOrders{}).add()
	bytes := make([]byte, 1<<17) // too large for the stack, which moves
	write := func(graph uint64) {
		o.add(p, []*commandAccess{{name: "test", graph: graph, stage: stageComputeShader, access: accessShaderStorageWrite, Access: exec.Access{Write: true, Spans: spanOf(bytes[:4])}}}, o.now())
	}
	o.begin(1, nil)
	o.beginGraph()
	first := o.inGraph()
	write(first)
	o.endGraph(p, nil)
	if write(first); reports > 0 || o.inGraph() != 0 {
		t.Errorf("%d reports of the nodes of one dispatch", reports)
	}
	o.beginGraph()
	if write(o.inGraph()); reports != 1 {
		t.Errorf("%d reports of the nodes of two dispatches; must be 1", reports)
	}
}

// TestManyTimelines: the signals of many semaphores store at most maxKept accesses, and none of a completed comparison. A wait for a signal
// without stored accesses synchronizes with all earlier submissions; a wait for another signal is exact.
func TestManyTimelines(t *testing.T) {
	var reports []Report
	p := &printer{reports: func(r Report) { reports = append(reports, r) }}
	all := &queueOrders{}
	from, to := all.add(), all.add()
	bytes := make([]byte, 1<<17) // too large for the stack, which moves
	write := func(o *commandOrder, at int) {
		o.add(p, []*commandAccess{{name: "test", stage: stageCopy, access: accessTransferWrite, Access: exec.Access{Write: true, Spans: spanOf(bytes[at:][:4])}}}, o.now())
	}
	from.begin(1, nil)
	for i := range maxCompared {
		write(from, 4*i)
	}
	timelines := make([]timeline, 3*maxKept/maxCompared)
	for i := range timelines {
		for value := range uint64(maxMarks) {
			from.signalled(&timelines[i], value+1, stageClear, false)
		}
	}
	if all.kept > maxKept || len(all.recent)*maxCompared > maxKept {
		t.Errorf("%d signals keep %d accesses; must be at most %d", len(all.recent), all.kept, maxKept)
	}
	for i, races := range map[int]bool{0: false, len(timelines) - 1: true} { // the signal is of another stage than the accesses
		o := all.add()
		o.begin(1, nil)
		o.awaited(&timelines[i], maxMarks, everyFlag, false)
		reports = nil
		if write(o, 0); len(reports) > 0 != races {
			t.Errorf("after a wait for semaphore %d: %d reports; must be a race: %v", i, len(reports), races)
		}
		all.queues = all.queues[:2]
	}
	kept := from.accesses[0]
	for i := range maxCompared {
		write(from, 4*(maxCompared+i))
	}
	if !kept.gone || kept.Spans != nil {
		t.Error("a signal keeps the spans of an access that is not compared any more")
	}
	to.awaited(&timelines[len(timelines)-1], maxMarks, everyFlag, false)
	if len(to.accesses) != 0 {
		t.Errorf("a wait brings %d accesses that are not compared any more", len(to.accesses))
	}
	for i := range timelines { // the timelines go on, and release their signals
		for value := range uint64(maxMarks + 1) {
			to.signalled(&timelines[i], 100+value, everyFlag, true)
		}
	}
	if all.kept != 0 || len(all.recent) != 0 {
		t.Errorf("%d signals keep %d accesses that no timeline has", len(all.recent), all.kept)
	}
}
