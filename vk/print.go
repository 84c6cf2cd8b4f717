package vk

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// maxPrinted bounds the printed output of one command, in bytes.
const maxPrinted = 4 << 20

// printer passes the printed output of shaders to DeviceInfo.Print.
type printer struct {
	print func(text string) // nil if the device has no output
	most  int               // bytes of all commands together; 0 is no bound
	mu    sync.Mutex        // guards used and the calls of print: several queues may run
	used  int               // bytes so far
}

// log returns the log of a command that runs stages; nil if it needs none.
func (p *printer) log(stages ...*shader.Stage) *exec.Log {
	if p.print == nil {
		return nil
	}
	for _, s := range stages {
		if len(s.Program.Messages) > 0 {
			return &exec.Log{}
		}
	}
	return nil
}

// flush prints the messages of a log, which may be nil.
func (p *printer) flush(log *exec.Log) {
	if log == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	most := maxPrinted
	if p.most > 0 {
		most = p.most - p.used
	}
	for _, text := range shader.Printed(log, most) {
		p.used += len(text)
		p.print(text)
	}
}
