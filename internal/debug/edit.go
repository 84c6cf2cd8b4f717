package debug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// edit is a change of a scalar by the controller. It belongs to a step: a run again makes it there.
type edit struct {
	step  uint64
	fn    int
	lane  uint32
	place lower.Place
	bits  uint64
}

// maxEdits bounds the changes in a command.
const maxEdits = 1 << 12

// Assign changes a variable that is a scalar or a vector, or such a part of one, at the stop. The value is an expression in a frame; its
// numbers are converted as by a constructor of the type. It returns the new text.
func (s *Session) Assign(f Frame, variable, value string) (string, error) {
	s.state.Lock()
	defer s.state.Unlock()
	x := s.view(f)
	if x == nil {
		return "", errors.New("the shader is not stopped")
	}
	to, err := x.evaluate(variable)
	if err != nil {
		return "", err
	}
	n, err := parse(value, x)
	if err != nil {
		return "", err
	}
	from, err := n.numbers(x)
	if err != nil {
		return "", err
	}
	v := to.variable
	if v != nil && v.image != nil {
		return "", fmt.Errorf("%s is of an image, whose texels the debugger does not change", variable)
	}
	if v == nil || v.t == nil || v.t.Scalar() == nil {
		return "", fmt.Errorf("%s is not a variable with numbers", variable)
	}
	places, err := v.places()
	switch {
	case err != nil:
		return "", err
	case len(places) != len(from.numbers):
		return "", fmt.Errorf("%d numbers; %s has %d", len(from.numbers), variable, len(places))
	case len(x.edits[x.now.group])+len(places) > maxEdits:
		return "", fmt.Errorf("more than %d changes", maxEdits)
	}
	list := make([]edit, len(places))
	for i, p := range places {
		bits, err := bitsOf(v.t.Scalar(), from.numbers[i], from.kind)
		bits &= p.Type.Mask()
		if err == nil {
			err = x.writable(p)
		}
		if err != nil {
			return "", err
		}
		list[i] = edit{x.now.step, x.fn, x.lane, p, bits}
	}
	for i := range list {
		list[i].make(x.hook, x.at)
	}
	if x.edits == nil {
		x.hook.edits = map[uint64][]edit{}
	}
	x.edits[x.now.group] = append(x.edits[x.now.group], list...)
	x.history.forget(x.now)
	v.fill()
	return v.Value, nil
}

// writable returns an error if the memory of a place cannot change.
func (x *view) writable(p lower.Place) error {
	switch p.Kind {
	case lower.InRegister:
		return errors.New("a value, which does not change; want a variable")
	case lower.InPush, lower.InTable:
		return errors.New("a constant, which does not change")
	case lower.InLaunch, lower.InRecord:
		return errors.New("an input, which does not change")
	case lower.InVariable, lower.InPrivate, lower.InWorkgroup, lower.InFrame, lower.InPayload, lower.InBytes:
		return nil
	case lower.InAddress:
		_, err := x.read(p)
		return err
	}
	if r := p.Resource + x.own().Resources; r < uint64(len(x.program.Res)) && (x.program.Res[r].NonWritable || x.program.Res[r].Kind == ir.UniformBuffer) {
		return errors.New("the buffer is not writable")
	}
	_, err := x.read(p)
	return err
}

// bitsOf converts a number to a type.
func bitsOf(t *facts.Type, n number, from kind) (uint64, error) {
	to := kindOf(t)
	n = n.to(from, to)
	switch {
	case to != float:
		return uint64(n.i), nil
	case t.Width == 32:
		return uint64(math.Float32bits(float32(n.f))), nil
	case t.Width == 64:
		return math.Float64bits(n.f), nil
	}
	return 0, fmt.Errorf("a float of %d bits; must have 32 or 64", t.Width)
}

// make changes the scalar.
func (e *edit) make(h *hook, s *exec.Step) {
	x := view{h, s, Frame{fn: e.fn, lane: e.lane}}
	p := e.place
	if p.Kind == lower.InBytes {
		x.setPrivateBytes(p, e.bits)
		return
	}
	at := x.offset(p)
	switch p.Kind {
	case lower.InVariable, lower.InPrivate, lower.InFrame, lower.InPayload:
		s.WritePrivate(at, e.lane, uint32(e.bits))
		if p.Type.Bits() > 32 {
			s.WritePrivate(at+1, e.lane, uint32(e.bits>>32))
		}
		return
	}
	b, size := x.memory(p), uint64(p.Type.Size())
	if at <= uint64(len(b)) && size <= uint64(len(b))-at {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], e.bits)
		copy(b[at:at+size], word[:])
	}
}

// redo makes the changes of a step in a run again.
func (h *hook) redo(s *exec.Step) {
	if len(h.edits) == 0 {
		return
	}
	for i, list := 0, h.edits[h.now.group]; i < len(list); i++ {
		if list[i].step == h.now.step {
			list[i].make(h, s)
		}
	}
}
