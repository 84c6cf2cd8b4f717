package host

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/vk"
)

func TestCauses(t *testing.T) {
	limit, malformed, plain := &exec.LimitError{Quantity: "x"}, &lower.Malformed{Message: "m"}, errors.New("plain")
	for i, c := range []struct{ got, want error }{
		{Cause(nil), nil},
		{Cause(plain), plain},
		{Cause(&vk.LostError{Cause: plain}), plain},
		{Cause(&vk.LostError{Cause: &vk.UsageError{Cause: limit}}), limit},
		{Cause(&vk.UnsupportedError{Cause: plain}), plain},
		{CompileCause(nil), nil},
		{CompileCause(plain), plain},
		{CompileCause(&vk.StageError{Cause: &vk.UnsupportedError{Cause: plain}}), plain},
		{CompileCause(&vk.StageError{Cause: &vk.InvalidModuleError{Cause: fmt.Errorf("in main: %w", malformed)}}), malformed},
	} {
		if c.got != c.want {
			t.Errorf("case %d: %v; want %v", i, c.got, c.want)
		}
	}
	rule := &vk.UsageError{Rule: "VUID"}
	if got := Cause(rule); got != error(rule) {
		t.Errorf("a rule without a cause: %v; want the rule", got)
	}
}

func TestPush(t *testing.T) {
	e := &iface.Entry{PushConstants: []iface.Push{{Used: true}, {Used: true, Bank: 1}, {}}}
	e.PushConstants[0].Size, e.PushConstants[1].Size, e.PushConstants[2].Size = 8, 16, 32
	var job *exec.JobError
	if err := CheckPush(e, 7); !errors.As(err, &job) {
		t.Errorf("7 bytes for a block of 8: %v; want a *exec.JobError", err)
	}
	if err := CheckPush(e, 8); err != nil {
		t.Errorf("8 bytes; other banks and blocks that are not used do not count: %v", err)
	}
	var limit *exec.LimitError
	if err := CheckBank(3, vk.MaxPushBytes+1); !errors.As(err, &limit) {
		t.Errorf("a bank of a byte too many: %v; want a *exec.LimitError", err)
	}
	if err := CheckBank(3, vk.MaxPushBytes); err != nil {
		t.Error(err)
	}
	if got := WholeWords([]byte{1, 2, 3, 4, 5}); !bytes.Equal(got, []byte{1, 2, 3, 4, 5, 0, 0, 0}) {
		t.Errorf("whole words: %v", got)
	}
}
