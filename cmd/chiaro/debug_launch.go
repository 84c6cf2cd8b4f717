package main

import (
	"context"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/debug"
	"github.com/chiaro-gpu/chiaro/internal/debug/adapter"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/vk"
)

// debugLaunch returns the run of a launch of a CUDA kernel. An instruction is a line of the PTX.
func debugLaunch(c console, f runFlags, file string) (*adapter.Target, error) {
	j, err := readLaunch(c, file)
	if err != nil {
		return nil, err
	}
	c.err, f.format = c.out, "text"
	k := j.symbols()
	lines := strings.Split(string(j.text), "\n")
	t := &adapter.Target{
		Locate: func(s *shader.Stage) func(int) debug.Location {
			return func(i int) debug.Location { return j.locate(s.Kernel, i+1) }
		},
		Text: func(_ *shader.Stage, i int) string {
			if i < 0 || i >= len(lines) {
				return ""
			}
			return strings.TrimSpace(lines[i])
		},
	}
	t.Resolve = func(at debug.Location) (best debug.Location, ok bool) {
		eachLine(k, func(n int) {
			if l := j.locate(k, n); l.Line >= at.Line && debug.SameFile(l.File, at.File) && (!ok || l.Line < best.Line) {
				best, ok = l, true
			}
		})
		return best, ok
	}
	t.Instruction = func(at debug.Location) (best int, ok bool) {
		eachLine(k, func(n int) {
			if n >= at.Line && debug.SameFile(j.module, at.File) && (!ok || n < best) {
				best, ok = n, true
			}
		})
		return best, ok && len(k.Sources) > 0
	}
	t.Run = func(ctx context.Context, s *debug.Session) error {
		f.opts.Debugger = s
		err := j.runOn(ctx, c, f, j.unjudged(), func(*vk.Device) {})
		if s.Ended() {
			return nil
		}
		return err
	}
	return t, nil
}

// symbols returns the symbols of the kernel of the launch; nil if it cannot run.
func (j *launchJob) symbols() *lower.KernelSymbols {
	m, findings := parsePTX(j.text)
	if len(findings) > 0 {
		return nil
	}
	image, err := ptxlower.NewImage(m)
	if err != nil {
		return nil
	}
	name, err := j.kernel(kernelNames(m))
	if err != nil {
		return nil
	}
	k := &lower.KernelSymbols{}
	if _, err := ptxlower.Lower(m, image, name, ptxlower.Options{Block: j.block, SharedBytes: j.file.Shared, Symbols: k}); err != nil {
		return nil
	}
	return k
}

// locate returns the place of an instruction: the line that .loc names, else that of the PTX.
func (j *launchJob) locate(k *lower.KernelSymbols, line int) debug.Location {
	if k != nil {
		if at, ok := k.Sources[line]; ok && at.Line > 0 {
			return debug.Location{File: at.File, Line: at.Line}
		}
	}
	return debug.Location{File: j.module, Line: line}
}

// eachLine calls do with each line of PTX that has an instruction of the kernel, or of a function that it calls.
func eachLine(k *lower.KernelSymbols, do func(line int)) {
	if k == nil {
		return
	}
	for _, f := range k.Functions {
		for n := range f.Instructions {
			do(n)
		}
	}
}
