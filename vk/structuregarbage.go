package vk

import (
	"runtime"
	runtimemetrics "runtime/metrics"

	"github.com/chiaro-gpu/chiaro/internal/ray"
)

const (
	// leastDropped is the size of a structure, in bytes, from which on its memory is worth another use.
	leastDropped = 1 << 20
	// leastGarbage is the number of bytes of dropped structures that are worth a collection.
	leastGarbage = 1 << 24
)

// garbage is the memory of dropped structures that the collector has not freed.
type garbage struct {
	bytes  uint64
	cycles uint64 // the number of collections before the last one of them was dropped
}

// add counts a structure of n bytes.
func (g *garbage) add(n uint64) {
	if n >= leastDropped {
		g.forget(collections())
		g.bytes += n
	}
}

// forget drops all structures if the collector ran since.
func (g *garbage) forget(cycles uint64) {
	if g.cycles != cycles {
		*g = garbage{cycles: cycles}
	}
}

// collect frees the memory of dropped structures if there is much of it, so that the next build writes to it: a system needs more time
// to provide new memory than a fast build takes. The collector alone waits until there is as much garbage as memory in use. A collection
// is worthwhile if the memory that it reads is less than the memory that it frees. Top levels drop the bottom levels that they had.
func (s *structures) collect() {
	s.mu.Lock()
	worth := s.garbage.bytes >= leastGarbage
	if worth {
		s.garbage.forget(collections())
		worth = s.garbage.bytes >= max(leastGarbage, s.scanned())
	}
	if worth { // the walk over all instances would be too much for each build without a collection
		for _, a := range s.numbers {
			s.relink(a.content)
		}
	}
	s.mu.Unlock()
	if worth {
		ray.KeepScratch(runtime.GC)
	}
}

// scanned returns the number of bytes that a collection reads.
func (s *structures) scanned() uint64 {
	if s.scan != nil {
		return s.scan()
	}
	return metric("/gc/scan/heap:bytes")
}

// collections returns the number of collections since the start of the program.
func collections() uint64 { return metric("/gc/cycles/total:gc-cycles") }

// metric returns a number of the runtime; 0 if it does not have it.
func metric(name string) uint64 {
	sample := [1]runtimemetrics.Sample{{Name: name}}
	runtimemetrics.Read(sample[:])
	if sample[0].Value.Kind() != runtimemetrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
