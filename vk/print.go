package vk

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// maxPrinted bounds the printed output of one command, in bytes.
const maxPrinted = 4 << 20

// Report is a finding of a sanitizer.
type Report = shader.Report

// Reported collects reports: those of one instruction and fault in several commands are one.
type Reported = shader.Reported

// Sanitizers is a set of the checks that shaders have of their execution; docs/sanitizers.md describes them.
type Sanitizers = ir.Sanitizers

// The sanitizers.
const (
	SanitizeBounds    = ir.SanitizeBounds
	SanitizeUninit    = ir.SanitizeUninit
	SanitizeRace      = ir.SanitizeRace
	SanitizeFloat     = ir.SanitizeFloat
	SanitizeUniform   = ir.SanitizeUniform
	SanitizeInterface = ir.SanitizeInterface
	SanitizeUndefined = ir.SanitizeUndefined
	SanitizeFaults    = ir.SanitizeFaults // all but SanitizeFloat and SanitizeRace
	SanitizeAll       = ir.SanitizeAll
)

// printer passes the printed output of shaders to DeviceInfo.Print, and the reports of sanitizers to DeviceInfo.Reports.
type printer struct {
	print      func(text string) // nil if the device has no output
	reports    func(Report)      // nil if there is no reader
	sanitize   bool              // programs have reports, even those without messages; reports is not nil
	interfaces bool              // inputs that the stage before does not write are reports
	queues     *queueOrders      // compares the accesses of commands; nil without the sanitizer race
	most       int               // bytes of all commands together; 0 is no bound
	mu         sync.Mutex        // guards used and the calls of print: several queues may run
	used       int               // bytes so far
}

// drawLog is the log of a draw.
type drawLog struct {
	*exec.Log
	stages   []*shader.Stage
	barriers int    // of the submission, before the draw
	graph    uint64 // the number of the dispatch of a graph that draws; else 0
}

// log returns the log of a command that runs stages; nil if it needs none.
func (p *printer) log(stages ...*shader.Stage) *exec.Log {
	if p.print == nil && !p.sanitize {
		return nil
	}
	for _, s := range stages {
		if p.sanitize || len(s.Program.Messages) > 0 {
			return &exec.Log{Commands: p.queues != nil}
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
	if p.sanitize {
		for _, r := range shader.Reports(log, stages, p.interfaces) {
			p.reports(r)
		}
	}
	if p.print == nil {
		return
	}
	most := maxPrinted
	if p.most > 0 {
		most = p.most - p.used
	}
	for _, text := range shader.Printed(log, most) {
		p.used += len(text)
		p.print(text)
	}
}
