package exec

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// derivingProgram has an event for the start of a fragment, and one for a derivative.
func derivingProgram() *ir.Program {
	event := func(kind ir.EventKind) ir.Message {
		return ir.Message{Kind: ir.Traced, Args: []ir.Type{ir.I64, ir.I32}, Event: ir.Event{Kind: kind}}
	}
	return &ir.Program{Stage: ir.Fragment, Messages: []ir.Message{event(ir.PrimitiveEvent), event(ir.DerivativeEvent)}}
}

// TestDerivativeCounts: a derivative is in uniform control flow if all invocations of the primitive execute the dynamic instance.
func TestDerivativeCounts(t *testing.T) {
	const starts, derives = 0, 1
	p := derivingProgram()
	l := &Log{}
	// Two quads of primitive 0 and one of primitive 1, each in its own subgroup.
	values := func(primitive uint64) []uint64 {
		return []uint64{primitive << 32, primitive<<32 | 1, primitive<<32 | 1<<16, primitive<<32 | 1<<16 | 1}
	}
	log := func(message uint32, primitive, path uint64, lanes int) {
		l.Event(p, [3]uint32{}, 0, FirstLanes(uint32(lanes)), message, values(primitive), []uint64{path, path, path, path})
	}
	for _, primitive := range []uint64{0, 0, 1} {
		log(starts, primitive, 0, 4)
	}
	log(derives, 0, 7, 4) // by one quad of primitive 0
	log(derives, 1, 7, 4) // by all of primitive 1
	log(derives, 0, 8, 4)
	log(derives, 0, 8, 4) // by all, in two subgroups
	list, unchecked := l.Derivatives()
	if len(list) != 1 || unchecked != nil || list[0].Count != 4 || list[0].Size != 8 || list[0].Times != 1 {
		t.Fatalf("%+v, %v; must be 4 of 8 invocations", list, unchecked)
	}
	l.EndPrimitives()
	log(starts, 0, 0, 4) // another primitive with the number
	log(derives, 0, 7, 3)
	if list, _ := l.Derivatives(); len(list) != 1 || list[0].Times != 2 || list[0].Size != 8 {
		t.Errorf("%+v; must be the first report, for the second time", list)
	}
}

// TestInterruptedDerivatives: a run that ends early has no report of a derivative that its other invocations might reach.
func TestInterruptedDerivatives(t *testing.T) {
	p, l := derivingProgram(), &Log{}
	log := func(message uint32, lanes int) {
		l.Event(p, [3]uint32{}, 0, FirstLanes(uint32(lanes)), message, []uint64{0, 1, 1 << 16, 1<<16 | 1}, []uint64{7, 7, 7, 7})
	}
	log(0, 4)
	log(1, 3)
	l.Interrupt()
	l.EndPrimitives()
	if list, unchecked := l.Derivatives(); len(list) != 0 || unchecked != nil {
		t.Errorf("%+v, %v; must be none", list, unchecked)
	}
}

// TestDerivativeBound ends the check at the bound of instances, and reports where.
func TestDerivativeBound(t *testing.T) {
	p := derivingProgram()
	l := &Log{}
	for i := range uint64(maxInstances + 1) {
		l.Event(p, [3]uint32{}, 0, FirstLanes(1), 1, []uint64{i << 32}, []uint64{0})
	}
	if list, unchecked := l.Derivatives(); len(list) != 0 || unchecked == nil || l.Heeds(p, 1) {
		t.Errorf("%d reports, unchecked %v; must be none, and an end", len(list), unchecked)
	}
}

// TestDerivativeBoundOrder ends the check at the same derivative, whatever the order of the events.
func TestDerivativeBoundOrder(t *testing.T) {
	p := derivingProgram()
	p.Messages = append(p.Messages, p.Messages[1])
	p.Messages[1].Instruction, p.Messages[2].Instruction = 9, 5
	for _, reversed := range []bool{false, true} {
		l := &Log{}
		for i := range uint64(maxInstances + 2) {
			if reversed {
				i = maxInstances + 1 - i
			}
			l.Event(p, [3]uint32{}, 0, FirstLanes(1), 1+uint32(i%2), []uint64{i<<32 | (maxInstances-i)>>5}, []uint64{0})
		}
		l.EndPrimitives()
		if _, unchecked := l.Derivatives(); unchecked == nil || unchecked.Number != 2 || uint32(unchecked.Args[0]) != 0 || unchecked.Args[0]>>32 != maxInstances-31 {
			t.Errorf("reversed %v: the check ends at %+v; must be at the least pixel of instruction 5", reversed, unchecked)
		}
	}
}

// TestDerivativeOrder: a report does not depend on the order of the tiles.
func TestDerivativeOrder(t *testing.T) {
	p := derivingProgram()
	for _, pixels := range [][]uint64{{2 << 16, 1<<16 | 5}, {1<<16 | 5, 2 << 16}} {
		l := &Log{}
		for _, primitive := range []uint64{4, 3} {
			for _, at := range pixels {
				l.Event(p, [3]uint32{}, 0, FirstLanes(1), 0, []uint64{primitive<<32 | at}, []uint64{0})
			}
			l.Event(p, [3]uint32{}, 0, FirstLanes(1), 1, []uint64{primitive<<32 | pixels[primitive-3]}, []uint64{0})
		}
		list, _ := l.Derivatives()
		if len(list) != 1 || list[0].Times != 2 || uint32(list[0].First.Args[0]) != 1<<16|5 {
			t.Errorf("pixels %#x: %+v; must be one report at pixel (5, 1) for two primitives", pixels, list)
		}
	}
}

// TestDerivativeRestore goes back to a state in the middle of a primitive: its counts are lost, so it has no report. The next one has.
func TestDerivativeRestore(t *testing.T) {
	p := derivingProgram()
	l := &Log{}
	log := func(message uint32, pixel uint64) {
		l.Event(p, [3]uint32{}, 0, FirstLanes(1), message, []uint64{pixel}, []uint64{0})
	}
	log(0, 0)
	s := l.State()
	rest := func() {
		log(0, 1)
		log(0, 2)
		for pixel := range uint64(3) {
			log(1, pixel)
		}
		l.EndPrimitives()
	}
	rest()
	l.Restore(s)
	rest()
	if list, _ := l.Derivatives(); len(list) > 0 {
		t.Errorf("%+v; must be none", list)
	}
	log(0, 0)
	log(0, 1)
	log(1, 0)
	if list, _ := l.Derivatives(); len(list) != 1 {
		t.Errorf("%+v; must be one report", list)
	}
}
