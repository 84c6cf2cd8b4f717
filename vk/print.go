package vk

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// maxPrinted bounds the printed output of one command, in bytes.
const maxPrinted = 4 << 20

// printer passes the printed output of shaders to DeviceInfo.Print, and the reports of undefined results to
// DeviceInfo.Undefined.
type printer struct {
	print     func(text string) // nil if the device has no output
	undefined func(text string) // nil if there is no reader
	sanitize  bool              // programs have reports, even those without messages; undefined is not nil
	most      int               // bytes of all commands together; 0 is no bound
	mu        sync.Mutex        // guards used and the calls of print: several queues may run
	used      int               // bytes so far
}

// drawLog is the log of a draw.
type drawLog struct {
	*exec.Log
	stages []*shader.Stage
}

// log returns the log of a command that runs stages; nil if it needs none.
func (p *printer) log(stages ...*shader.Stage) *exec.Log {
	if p.print == nil && !p.sanitize {
		return nil
	}
	for _, s := range stages {
		if p.sanitize || len(s.Program.Messages) > 0 {
			return &exec.Log{}
		}
	}
	return nil
}

// flush prints the messages of the log of a command that ran stages. The log may be nil.
func (p *printer) flush(log *exec.Log, stages ...*shader.Stage) {
	if log == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	lost := log.Dropped()
	if p.sanitize {
		lost = 0 // Undefined reports them
		for _, text := range shader.Undefined(log, stages) {
			p.undefined(text)
		}
	}
	if p.print == nil {
		return
	}
	most := maxPrinted
	if p.most > 0 {
		most = p.most - p.used
	}
	for _, text := range shader.Printed(log, most, lost) {
		p.used += len(text)
		p.print(text)
	}
}
