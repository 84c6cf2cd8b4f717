package draw

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// End executes everything that is recorded. Another Begin may follow, even after an error.
func (p *Pass) End(ctx context.Context) error {
	err := p.flush(ctx)
	clear(p.target.Colors)
	clear(p.memory)
	p.target = state.Target{Colors: p.target.Colors[:0]}
	if cap(p.coarse) > maxKeptTiles {
		p.coarse = nil
	}
	return err
}

// flush executes the recorded steps: binning and shading in turns, as bounds demand. An error leaves
// the target partly drawn. The pass is empty and reusable afterwards.
func (p *Pass) flush(ctx context.Context) (err error) {
	defer p.forget()
	p.resetCoarseDepths()
	// After an error the coarse depths can include fragments that have not run.
	defer func() {
		if p.coarseValid = p.coarseValid && err == nil; err != nil {
			p.model = nil
		}
	}()
	p.binning.step, p.binning.started, p.binning.nextTicket = 0, false, 0
	for p.binning.step < len(p.steps) {
		if err := p.bin(ctx); err != nil {
			return err
		}
		list := append(p.flushing[:0], p.lists...)
		clear(p.lists)
		p.flushing, p.lists, p.binning.bytes = list, p.lists[:0], 0
		if err := p.runTiles(ctx, list, true); err != nil {
			return err
		}
	}
	return nil
}

// forget drops the steps, executed or not.
func (p *Pass) forget() {
	p.recycle(p.lists)
	p.lists, p.binning.bytes = p.lists[:0], 0
	for _, d := range p.draws[p.inUse.models:p.inUse.draws] {
		d.addCounts()
	}
	p.releaseDraws()
	clear(p.steps)
	p.steps, p.ordered = p.steps[:0], false
	p.inUse.clears = 0
}
