package exec

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// Part is one of several things that are run interleaved: a job, or where Program is
// nil a function in Go, which several workers call at once.
type Part struct {
	Program Program
	Ready   Prepared
	Job     *Job
	Do      func(span int)

	// Ask, where it is not nil, is called before groups of the job are run, while others
	// still are to be: it may ask caches for what they read. It may be called for fewer
	// groups than are run as one, and from several workers at once.
	Ask func(first, count uint32)

	program int // number of the program among the different ones
}

// Piece is what a part has to do in one span: groups of its job, from First on. Of a
// function Count is about how much it does, in groups.
type Piece struct {
	Part         int32
	First, Count uint32
}

// Interleaving runs parts interleaved. It is used again and again, and then allocates
// nothing but what a context that may be done costs. The zero Interleaving is ready; it
// runs one thing at a time.
type Interleaving struct {
	queue
	crew     Crew
	ctx      context.Context
	parts    []Part
	pieces   [][]Piece
	ends     []uint64
	programs []Program
	entered  [][]Worker // of each worker, by program
	each     func(worker int)
}

// Run runs the pieces of spans: those of a span by one worker and in their order, those
// of different spans in any order. So effects of parts on what belongs to one span are
// those of parts that run one after the other. It returns the error of the lowest part
// that failed, or ctx.Err(). workers is as in a Job; where a part wants one worker alone
// there is one, which takes the spans in order.
func (x *Interleaving) Run(ctx context.Context, workers int, parts []Part, spans [][]Piece) error {
	x.ctx, x.parts, x.pieces = ctx, parts, spans
	defer x.forget()
	x.ends = x.ends[:0]
	total, some := uint64(0), 0
	for _, list := range spans {
		before := total
		for i := range list {
			total += uint64(list[i].Count)
		}
		if total > before {
			some++
		}
		x.ends = append(x.ends, total)
	}
	if total == 0 {
		return ctx.Err()
	}
	workers = min(x.workers(workers), some)
	for len(x.entered) < workers {
		x.entered = append(x.entered, nil)
	}
	if x.each == nil {
		x.each = x.work
	}
	x.start(total, x.ends, workers, x.crew.Stop())
	x.crew.Run(ctx, workers, x.each)
	if x.err != nil {
		return x.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range parts {
		if p := &parts[i]; p.Program != nil {
			if err := p.Job.aborted(p.Program.IR()); err != nil {
				return err
			}
		}
	}
	return nil
}

// workers numbers the parts' programs and returns how many workers there may be.
func (x *Interleaving) workers(n int) int {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	for i := range x.parts {
		p := &x.parts[i]
		if p.Program == nil {
			continue
		}
		if i > 0 && x.parts[i-1].Program == p.Program {
			p.program = x.parts[i-1].program
		} else if p.program = slices.Index(x.programs, p.Program); p.program < 0 {
			p.program = len(x.programs)
			x.programs = append(x.programs, p.Program)
		}
		if p.Job.Hook != nil || p.Program.IR().Effects.Ordered {
			n = 1
		}
	}
	return n
}

// forget lets go of what was run.
func (x *Interleaving) forget() {
	clear(x.programs)
	x.programs = x.programs[:0]
	x.ctx, x.parts, x.pieces = nil, nil, nil
}

// work runs spans until none is left.
func (x *Interleaving) work(worker int) {
	list := x.entered[worker][:0]
	for range x.programs {
		list = append(list, nil)
	}
	x.entered[worker] = list
	defer func() {
		for i, w := range list {
			if w != nil {
				w.Leave()
			}
			list[i] = nil
		}
	}()
	p := pace(1)
	for b, from, to, ok := x.takeSpans(p); ok; b, from, to, ok = x.takeSpans(p) {
		begin := time.Now()
		if !x.spans(list, from, to) {
			return
		}
		if b.Count >= uint64(p) { // no less was left
			p.ran(time.Since(begin))
		}
	}
}

// spans runs the pieces of some spans, those as one that follow each other and are
// groups that do. It returns false where one failed.
func (x *Interleaving) spans(list []Worker, from, to int) bool {
	var next Piece
	for i := from; i < to; i++ {
		for _, piece := range x.pieces[i] {
			if next.Count > 0 && piece.Part == next.Part && piece.First == next.First+next.Count {
				next.Count += piece.Count
				continue
			}
			if ask := x.parts[piece.Part].Ask; ask != nil {
				ask(piece.First, piece.Count)
			}
			if !x.run(list, next) {
				return false
			}
			next = piece
			if do := x.parts[piece.Part].Do; do != nil {
				do(i)
				next = Piece{}
			}
		}
	}
	return x.run(list, next)
}

// run runs groups of one part.
func (x *Interleaving) run(list []Worker, piece Piece) bool {
	if piece.Count == 0 {
		return true
	}
	if x.stop.Load() {
		return false
	}
	p := &x.parts[piece.Part]
	w := list[p.program]
	if w == nil {
		var err error
		if w, err = p.Program.Enter(x.ctx, x.stop); err != nil {
			x.fail(uint64(piece.Part), err)
			return false
		}
		list[p.program] = w
	}
	if err := w.Run(p.Ready, Batch{uint64(piece.First), uint64(piece.Count)}); err != nil {
		x.fail(uint64(piece.Part), err)
		return false
	}
	return true
}
