package shader

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/printf"
)

// Printed returns the printed output of the invocations of a run, one text for each message. It leaves out the messages
// after more than most bytes. The last text counts them and the messages that the log lost.
func Printed(log *exec.Log, most int) (texts []string) {
	bytes, lost := 0, log.Dropped()
	for _, s := range log.Messages() {
		if bytes > most {
			lost++
			continue
		}
		text := ""
		switch m := s.Of(); m.Kind {
		case ir.Print:
			text = strings.TrimSuffix(printf.Format(m.Text, printed(m, s.Args)), "\n")
		case ir.Break:
			text = fmt.Sprintf("debug break in workgroup %d, invocation %d", s.Group, s.Local())
		default:
			continue
		}
		texts = append(texts, text)
		bytes += len(text)
	}
	if lost > 0 {
		texts = append(texts, fmt.Sprintf("%d messages more are not kept", lost))
	}
	return texts
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
