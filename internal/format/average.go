package format

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Averages reports whether AverageRow resolves texels of the codec: four normalized bytes.
func (c *Codec) Averages() bool { return !c.shared && c.isBytes() }

// AverageRow writes the averages of the texels of four rows of equal length. Each component is the mean of four values in f64, rounded
// to a float of 32 bits and stored. Codes are filtered as integers, two in one word (SIMD within a register): the sum s of four codes
// is s/4 codes, and the errors of values are far less than a quarter of a code. So they decide only ties, s%4 = 2:
//
//	codes  10 11 11 11   s = 43   43/4 = 10.75 → 11
//	codes  10 10 11 11   s = 42   42/4 = 10.5  → the mean of the floats 10/255, 10/255, 11/255, 11/255
func (c *Codec) AverageRow(to []byte, rows *[4][]byte) {
	n := len(to) &^ 3
	p, q, r, s := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		w, x, y := binary.LittleEndian.Uint64(q[i:]), binary.LittleEndian.Uint64(r[i:]), binary.LittleEndian.Uint64(s[i:])
		if (v^w)|(v^x)|(v^y) != 0 {
			first := c.averageTexel(uint32(v), uint32(w), uint32(x), uint32(y))
			v = uint64(first) | uint64(c.averageTexel(uint32(v>>32), uint32(w>>32), uint32(x>>32), uint32(y>>32)))<<32
		}
		binary.LittleEndian.PutUint64(to[i:], v)
	}
	if i < n {
		v, w := binary.LittleEndian.Uint32(p[i:]), binary.LittleEndian.Uint32(q[i:])
		binary.LittleEndian.PutUint32(to[i:], c.averageTexel(v, w, binary.LittleEndian.Uint32(r[i:]), binary.LittleEndian.Uint32(s[i:])))
	}
}

// averageTexel returns the average of four texels.
func (c *Codec) averageTexel(v, w, x, y uint32) uint32 {
	const (
		even  = 0x00ff00ff
		half  = 0x00020002
		low   = 0x00030003
		tops  = 0x80808080
		carry = tops - 0x01010101
	)
	if v == w && v == x && v == y {
		return v
	}
	lo := v&even + w&even + x&even + y&even
	hi := v>>8&even + w>>8&even + x>>8&even + y>>8&even
	code := (lo+half)>>2&even | (hi+half)>>2&even<<8
	// The bytes of rest are 0 in ties and 1 to 3 else: adding carry sets the top bits of the others.
	rest := (lo^half)&low | (hi^half)&low<<8
	for tied := ^(rest + carry) & tops; tied != 0; tied &= tied - 1 {
		at := bits.TrailingZeros32(tied) &^ 7
		mean := (c.byteValue(v>>at) + c.byteValue(w>>at) + c.byteValue(x>>at) + c.byteValue(y>>at)) / 4
		code = code&^(0xff<<at) | uint32(unormByte(float32(mean)))<<at
	}
	return code
}

// byteValue returns the value of a code, the lower byte of v.
func (c *Codec) byteValue(v uint32) float64 {
	return float64(math.Float32frombits(c.fields[0].codes[byte(v)]))
}
