package exec_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// traced returns a program whose messages are events.
func traced(lanes uint32, events ...ir.Event) *ir.Program {
	p := &ir.Program{LocalSize: [3]uint32{lanes, 1, 1}, SubgroupSize: lanes}
	for i, e := range events {
		m := ir.Message{Kind: ir.Traced, Event: e, Site: ir.Site{Instruction: uint32(i + 1)}}
		if e.Kind == ir.AccessEvent {
			m.Args = []ir.Type{ir.I32, ir.I32}
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// logged logs an event of an invocation; an access is at an offset.
func logged(l *exec.Log, p *ir.Program, group, lane, event, offset uint32) {
	at := [3]uint32{group}
	l.Begin(p, at, lane, event)
	if len(p.Messages[event].Args) > 0 {
		l.AddArg(at, lane, uint64(offset))
		l.AddArg(at, lane, 0)
	}
}

// onBuffer and onShared are accesses of a word of a buffer and of workgroup memory.
func onBuffer(memory string) ir.Event {
	return ir.Event{Kind: ir.AccessEvent, Memory: memory, Size: 4, Domain: ir.EventBuffers}
}

func storing(e ir.Event) ir.Event { e.Write = true; return e }
func loading(e ir.Event) ir.Event { e.Read = true; return e }

// TestRaceOrder: the order of the races is the same in all runs, also of several events of one instruction: OpCopyMemory has
// two, and the parts of a structure have sizes of their own.
func TestRaceOrder(t *testing.T) {
	p := traced(2)
	for _, size := range []uint32{1, 2, 4, 8} {
		e := storing(onBuffer("data"))
		e.Size = size
		p.Messages = append(p.Messages, ir.Message{Kind: ir.Traced, Args: []ir.Type{ir.I32, ir.I32}, Site: ir.Site{Instruction: 7}, Event: e})
	}
	for range 50 {
		l := &exec.Log{}
		for lane := range uint32(2) {
			for n := range uint32(4) {
				logged(l, p, 0, lane, n, 8*n)
			}
		}
		list := l.Races()
		if len(list) != 4 {
			t.Fatalf("%d races; must be 4", len(list))
		}
		for i, r := range list {
			if r.Second.Number != uint32(i) {
				t.Fatalf("race %d is of message %d; must be in the order of the messages", i, r.Second.Number)
			}
		}
	}
}
