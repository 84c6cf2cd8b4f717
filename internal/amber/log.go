package amber

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// MaxLog bounds the bytes of the log of a script.
const MaxLog = 4 << 20

// hear adds the printed output of the invocations of a dispatch or a draw to the script's log.
func (r *runner) hear(log *exec.Log) {
	for _, text := range shader.Printed(log, MaxLog-r.logged) {
		r.say(text)
	}
}

func (r *runner) say(text string) {
	r.log = append(r.log, text)
	r.logged += len(text)
}
