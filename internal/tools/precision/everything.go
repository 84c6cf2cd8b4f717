package main

import (
	"errors"
	"fmt"
	"math"
	"sync"
)

// everything measures a function of one number for all 2³² inputs, or one block in every so
// many, against float64, which has an error of about 2⁻²⁸ of an ULP. It then measures the
// worst input of each block against exact arithmetic.
func everything(k *kernel, i *instruction, f *figure, every uint64) error {
	const block = 1 << 20
	var wait sync.WaitGroup
	var lock sync.Mutex
	var failed error
	next := uint64(0)
	work := func() {
		defer wait.Done()
		in, plus, minus := make([]uint32, block), make([]uint32, block), make([]uint32, block)
		for {
			lock.Lock()
			first := next
			next += block * every
			lock.Unlock()
			if first >= 1<<31 {
				return
			}
			err := errors.Join(k.runRange(uint32(first)|1<<31, in, minus), k.runRange(uint32(first), in, plus))
			worst := worstOf(i, in, plus, minus)
			lock.Lock()
			failed = errors.Join(failed, err)
			for _, j := range worst {
				if j >= 0 {
					x := float(32, uint64(in[j]))
					f.check(i, 0, []float64{x}, float(32, uint64(plus[j])))
					f.check(i, 0, []float64{-x}, float(32, uint64(minus[j])))
				}
			}
			lock.Unlock()
		}
	}
	wait.Add(2)
	go work()
	go work()
	wait.Wait()
	f.tried = "all 2³²"
	if every > 1 {
		f.tried = fmt.Sprintf("one in %d", every)
	}
	return failed
}

// worstOf returns the index of the worst result of a block and its negative, in the usual
// range, and the index of a result that is NaN or infinite but must not be; −1 if there is
// none.
func worstOf(i *instruction, in, plus, minus []uint32) [2]int {
	found := [2]int{-1, -1}
	most := 0.0
	arg := []float64{0}
	for j, b := range in {
		x := float64(math.Float32frombits(b))
		if arg[0] = x; x != x || i.usual != nil && !i.usual(arg) {
			continue
		}
		want := i.fast(x)
		opposite := want
		switch i.parity {
		case odd:
			opposite = -want
		case neither:
			opposite = i.fast(-x)
		}
		e := max(errorOf(plus[j], want), errorOf(minus[j], opposite))
		if e > 1e9 {
			found[1] = j
		} else if e > most {
			most, found[0] = e, j
		}
	}
	return found
}

// errorOf returns the error of a result in ULP, 0 if none is defined, and a large number if
// it is NaN or infinite and must not be.
func errorOf(bits uint32, want float64) float64 {
	got := float64(math.Float32frombits(bits))
	switch {
	case got == want || want != want:
		return 0
	case got-got != 0 && math.Abs(want) < math.MaxFloat32:
		return 1e10
	case got-got != 0:
		return 0
	}
	return math.Abs(got-want) * perULP(want)
}

// perULP is 1/ULP of v in 32 bits, made from the exponent's bits.
func perULP(v float64) float64 {
	e := max(int64(math.Float64bits(v)>>52&0x7ff)-1023, -126) - 23
	return math.Float64frombits(uint64(1023-e) << 52)
}
