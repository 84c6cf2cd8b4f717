package draw

import (
	"bytes"
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// ResolveMode is a resolve mode (VkResolveModeFlagBits, same values).
type ResolveMode uint8

// Resolve modes.
const (
	ResolveSampleZero ResolveMode = 1 << iota
	ResolveAverage
	ResolveMin
	ResolveMax
)

// resolveChunk is the number of texels that are converted at once.
const resolveChunk = 64

// rowResolver resolves rows of texels with components of 32-bit floats. Most texels have equal samples: their codes are copied if
// conversion keeps them.
type rowResolver struct {
	read, write *format.Codec
	mode        ResolveMode
	kept        bool // the codes of a texel are the codes of its value

	samples     [][]byte // of the row
	space       [texture.MaxSamples][]byte
	values, out [4 * resolveChunk]float32 // components of texels: of one sample, and resolved
	sum         [4 * resolveChunk]float64
}

// row resolves the first n texels of a row: r.samples are its samples. Runs of texels of equal samples, and runs of others, are resolved
// each as a whole.
func (r *rowResolver) row(to []byte, n int) {
	if r.kept && r.mode == ResolveAverage && len(r.samples) == 4 && r.read.Averages() {
		r.read.AverageRow(to[:n*r.write.Bytes], (*[4][]byte)(r.samples))
		return
	}
	for i := 0; i < n; {
		first := i
		for i < n && r.same(i) {
			i++
		}
		r.one(to, first, i)
		for first = i; i < n && i-first < resolveChunk && !r.same(i); i++ {
		}
		r.several(to, first, i)
	}
}

// same reports whether all samples of texel i are equal, as bytes: −0 and +0 differ.
func (r *rowResolver) same(i int) bool {
	size := r.read.Bytes
	if size == 4 {
		x := binary.LittleEndian.Uint32(r.samples[0][4*i:])
		for _, s := range r.samples[1:] {
			if binary.LittleEndian.Uint32(s[4*i:]) != x {
				return false
			}
		}
		return true
	}
	x := r.samples[0][size*i:][:size]
	for _, s := range r.samples[1:] {
		if !bytes.Equal(s[size*i:][:size], x) {
			return false
		}
	}
	return true
}

// one resolves texels of equal samples: each has the average, but −0 has the average +0.
func (r *rowResolver) one(to []byte, first, end int) {
	if r.kept {
		size := r.read.Bytes
		copy(to[first*size:end*size], r.samples[0][first*size:end*size])
		return
	}
	for ; first < end; first += resolveChunk {
		n := min(end-first, resolveChunk)
		out := r.out[:4*n]
		r.read.LoadRow(out, r.samples[0][first*r.read.Bytes:])
		if r.mode == ResolveAverage {
			for i := range out {
				out[i] += 0
			}
		}
		r.write.StoreRow(to[first*r.write.Bytes:], out)
	}
}

// several resolves at most resolveChunk texels. Averages of up to 64 floats are computed in f64 in sample order and rounded once: f64
// has 53 bits, so that a sum of 64 values of 24 bits is exact unless their exponents differ by more than 23.
func (r *rowResolver) several(to []byte, first, end int) {
	if first == end {
		return
	}
	n := 4 * (end - first)
	out, values, sum := r.out[:n], r.values[:n], r.sum[:n]
	clear(sum)
	for k, s := range r.samples {
		r.read.LoadRow(values, s[first*r.read.Bytes:])
		switch {
		case r.mode == ResolveAverage:
			for i, v := range values {
				sum[i] += float64(v)
			}
		case k == 0:
			copy(out, values)
		case r.mode == ResolveMin:
			for i, v := range values {
				if v < out[i] {
					out[i] = v
				}
			}
		default:
			for i, v := range values {
				if out[i] < v {
					out[i] = v
				}
			}
		}
	}
	if r.mode == ResolveAverage {
		by := float64(len(r.samples))
		for i, v := range sum {
			out[i] = float32(v / by)
		}
	}
	r.write.StoreRow(to[first*r.write.Bytes:], out)
}
