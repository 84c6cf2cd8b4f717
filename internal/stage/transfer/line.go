package transfer

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// line computes rows of the target as floats, four a texel. It retains the rows of the source that it decoded: neighbors in the target
// share them.
type line struct {
	first, texels int // of the source: the columns that the taps name
	rows          [maxSources]decodedRow
	out           []float32
	runs          []int // of each tap: the index after the taps of two texels each that start with it
}

// decodedRow has the texels of a row of the source.
type decodedRow struct {
	valid  bool
	y, z   int
	values []float32
}

// begin prepares a region and reports whether rows are decoded whole. taps are for the columns. If most texels of a row are in no
// tap, decoding the others one by one takes less time.
func (l *line) begin(taps []tap) bool {
	first, last, used := taps[0].texel[0], 0, 0
	for i := range taps {
		used += taps[i].n
		for _, x := range taps[i].texel[:taps[i].n] {
			first, last = min(first, x), max(last, x)
		}
	}
	if last-first >= 2*used {
		return false
	}
	l.first, l.texels = first, last-first+1
	for i := range l.rows {
		l.rows[i].valid = false
	}
	l.runs = slices.Grow(l.runs[:0], len(taps))[:len(taps)]
	for i, end := len(taps)-1, len(taps); i >= 0; i-- {
		if taps[i].n != 2 {
			end = i
		}
		l.runs[i] = end
	}
	n := 4 * len(taps)
	l.out = slices.Grow(l.out[:0], n)[:n]
	return true
}

// pairRows are two rows of the source for sumPairs, with their weights along two axes.
type pairRows struct {
	texels [2]*float32
	j, k   [2]float64
	before int // bytes of the columns before the first texel
}

// texelBytes is the size of the floats of a texel.
const texelBytes = 16

// end drops large memory.
func (l *line) end() {
	for i := range l.rows {
		if cap(l.rows[i].values) > 4*maxKeptTaps {
			l.rows[i].values = nil
		}
	}
	if cap(l.out) > 4*maxKeptTaps {
		l.out = nil
	}
	if cap(l.runs) > maxKeptTaps {
		l.runs = nil
	}
}

// decoded returns the texels of a row from column first on. The coordinates of the taps of an axis differ modulo 4, so that the rows of
// one sum have different places.
func (l *line) decoded(r *sourceRow, from *format.Codec) []float32 {
	d := &l.rows[r.z%4*4+r.y%4]
	if !d.valid || d.y != r.y || d.z != r.z {
		n := 4 * l.texels
		d.valid, d.y, d.z, d.values = true, r.y, r.z, slices.Grow(d.values[:0], n)[:n]
		from.LoadRow(d.values, r.texels[l.first*from.Bytes:])
	}
	return d.values
}

// sum computes a row of the target in l.out: the texels of the taps, added with their weights if they are filtered.
func (l *line) sum(rows []sourceRow, taps []tap, from *format.Codec, filtered bool) {
	var values [maxSources][]float32
	for i := range rows {
		values[i] = l.decoded(&rows[i], from)
	}
	pairs := filtered && hasSumPairs && len(rows) == 2
	for i := 0; i < len(taps); i++ {
		if pairs && taps[i].n == 2 {
			first := i
			i = l.runs[first] - 1
			p := pairRows{[2]*float32{&values[0][0], &values[1][0]}, [2]float64{rows[0].j, rows[1].j}, [2]float64{rows[0].k, rows[1].k}, texelBytes * l.first}
			sumPairs(&l.out[4*first], &p, &taps[first], i+1-first)
			continue
		}
		out, t := (*[4]float32)(l.out[4*i:]), &taps[i]
		if !filtered {
			*out = *(*[4]float32)(values[0][4*(t.texel[0]-l.first):])
			continue
		}
		var r, g, b, a float64
		for n := range rows {
			for m := range t.n {
				w := t.weight[m] * rows[n].j * rows[n].k
				v := (*[4]float32)(values[n][4*(t.texel[m]-l.first):])
				r += float64(w * float64(v[0])) // the conversion keeps every host from fusing the operations
				g += float64(w * float64(v[1]))
				b += float64(w * float64(v[2]))
				a += float64(w * float64(v[3]))
			}
		}
		*out = [4]float32{float32(r), float32(g), float32(b), float32(a)}
	}
}
