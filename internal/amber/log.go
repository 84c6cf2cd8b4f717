package amber

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/printf"
)

// maxLog bounds the bytes that the log of a script has.
const maxLog = 4 << 20

// hear adds the printed output of the invocations of a dispatch to the script's log.
func (r *runner) hear(p *ir.Program, log *exec.Log) {
	lost := log.Dropped()
	for _, s := range log.Messages() {
		if r.logged > maxLog {
			lost++
			continue
		}
		switch m := &p.Messages[s.Number]; m.Kind {
		case ir.Print:
			r.say(strings.TrimSuffix(printf.Format(m.Text, printed(m, s.Args)), "\n"))
		case ir.Break:
			x, y := p.LocalSize[0], p.LocalSize[1]
			r.say(fmt.Sprintf("debug break in workgroup %d, invocation %d", s.Group, [3]uint32{s.Lane % x, s.Lane / x % y, s.Lane / x / y}))
		}
	}
	if lost > 0 {
		r.say(fmt.Sprintf("%d messages more are not kept", lost))
	}
}

func (r *runner) say(text string) {
	r.log = append(r.log, text)
	r.logged += len(text)
}

// printed pairs the values of a message with their types.
func printed(m *ir.Message, args []uint64) []printf.Arg {
	out := make([]printf.Arg, 0, len(args))
	for i, bits := range args {
		if i < len(m.Args) {
			out = append(out, printf.Arg{Bits: bits, Width: m.Args[i].Bits(), Float: m.Args[i].IsFloat()})
		}
	}
	return out
}
