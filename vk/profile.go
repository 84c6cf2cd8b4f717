package vk

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// StageProfile has the counters of a stage on a device with Lowering.Profile: the sums over all commands that ran its
// program.
type StageProfile struct {
	Facts        *facts.Module
	Entry        *facts.EntryPoint
	SubgroupSize uint32
	Counters     []uint64           // see lower.Counters
	Kernel       *ptxlower.Counters // of a CUDA kernel, which has no Facts and no Entry
}

// profiler has the counters of a device by program, in the order of their first commands.
type profiler struct {
	mu     sync.Mutex // several queues may begin commands
	of     map[*ir.Program]int
	stages []StageProfile
	words  int // of all counters

	kernels map[*ir.Program]*ptxlower.Counters
}

// Profiles returns the counters of all stages that have run, for programs of Chiaro's module. No submission may be
// unfinished.
func (d *Device) Profiles() []StageProfile {
	if d == nil {
		return nil
	}
	d.profiler.mu.Lock()
	defer d.profiler.mu.Unlock()
	return append([]StageProfile(nil), d.profiler.stages...)
}

// append adds the counters of stages to a set. A program without facts has none: it is from a cache.
func (p *profiler) append(set compute.Set, stages []*shader.Stage) (compute.Set, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range stages {
		n, ok := p.of[s.Program]
		if !ok {
			var err error
			if n, err = p.add(s); err != nil {
				return nil, err
			}
		}
		if n < 0 {
			continue
		}
		set = insertCounters(set, lower.ProfileBinding+uint32(s.Program.Stage), p.stages[n].Counters)
	}
	return set, nil
}

// announce tells the layout of the counters of a kernel.
func (p *profiler) announce(kernel *ir.Program, c *ptxlower.Counters) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kernels == nil {
		p.kernels = map[*ir.Program]*ptxlower.Counters{}
	}
	p.kernels[kernel] = c
}

// add adds a stage and returns its number; −1 if its module is not known.
func (p *profiler) add(s *shader.Stage) (int, error) {
	f := s.Facts
	if f == nil && s.Source != nil {
		f = s.Source()
	}
	n := -1
	if c := p.kernels[s.Program]; c != nil {
		words := c.Words + 1
		if words > maxCounters-p.words {
			return 0, &OutOfMemoryError{Bytes: uint64(words) * 8, Left: uint64(maxCounters-p.words) * 8}
		}
		p.words += words
		n = len(p.stages)
		p.stages = append(p.stages, StageProfile{SubgroupSize: s.Program.SubgroupSize, Counters: make([]uint64, words), Kernel: c})
	}
	if f != nil {
		for i := range f.EntryPoints {
			e := &f.EntryPoints[i]
			if e.Name != s.Program.Name || !lower.Runs(e.Model, s.Program.Stage) {
				continue
			}
			words := lower.NewCounters(f, e).Words + 1 // engines align descriptors of 16 bytes or more
			if words > maxCounters-p.words {
				return 0, &OutOfMemoryError{Bytes: uint64(words) * 8, Left: uint64(maxCounters-p.words) * 8}
			}
			p.words += words
			n = len(p.stages)
			p.stages = append(p.stages, StageProfile{f, e, s.Program.SubgroupSize, make([]uint64, words), nil})
			break
		}
	}
	if p.of == nil {
		p.of = map[*ir.Program]int{}
	}
	p.of[s.Program] = n
	return n, nil
}
