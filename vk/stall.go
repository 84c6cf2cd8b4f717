package vk

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// stall ends the context of a queue if a command that runs shaders makes no progress. A nil stall does nothing.
//
// A goroutine looks a few times within the limit whether the command or its progress has changed. Between two looks counts the time of
// the clock or, if it is less, the processor time of the process: other processes do not make a shader late. Time without a run of a
// shader, such as that of a compilation, does not count.
//
// It is no timer: the runtime opens files for its first timer, and ends the process of a program that has none left.
type stall struct {
	ctx   *exec.StopContext
	limit time.Duration

	commands atomic.Uint64 // begun and ended: odd while one runs
	watched  atomic.Bool   // the goroutine runs

	// The rest is of the goroutine.
	seen stallLook // the first one without progress since then
	last stallLook
	used time.Duration // from seen to last
}

// stallLook is one observation of the goroutine.
type stallLook struct {
	commands, progress uint64
	clock              time.Time
	processor          time.Duration
}

// stallLooks is the number of looks within the limit.
const stallLooks = 8

// newStall returns the stall of a queue; nil without a limit.
func newStall(ctx *exec.StopContext, limit time.Duration) *stall {
	if limit <= 0 {
		return nil
	}
	return &stall{ctx: ctx, limit: limit}
}

// begin begins a command.
func (s *stall) begin() {
	if s == nil {
		return
	}
	s.commands.Add(1)
	if !s.watched.Load() && !s.watched.Swap(true) {
		go s.watch()
	}
}

// end ends the command that has begun.
func (s *stall) end() {
	if s != nil {
		s.commands.Add(1)
	}
}

func (s *stall) running() bool { return s.commands.Load()&1 != 0 }

// watch looks until no command runs, or the context has ended.
func (s *stall) watch() {
	for again := true; again; again = s.look() {
		doze(s.limit / stallLooks)
	}
}

// look ends the context if the command has used up its time without progress. It returns false if there is no more to look at.
func (s *stall) look() bool {
	now := stallLook{s.commands.Load(), s.ctx.Progress(), time.Now(), cputime.Now()}
	if now.commands != s.seen.commands || now.progress != s.seen.progress || !s.ctx.Running() { // such as in a compilation
		s.seen, s.used = now, 0
	} else {
		s.used += min(now.clock.Sub(s.last.clock), now.processor-s.last.processor)
	}
	s.last = now
	switch {
	case !s.running():
		s.watched.Store(false)
		return s.running() && !s.watched.Swap(true) // a command that has begun since then is watched here, or by begin
	case s.used >= s.limit:
		s.ctx.Cancel(fmt.Errorf("the command made no progress for %v: %w", s.limit, context.DeadlineExceeded))
		return false
	}
	return true
}
