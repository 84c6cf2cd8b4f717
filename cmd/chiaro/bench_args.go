package main

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// maxBenchBuffer bounds one buffer: 4 GiB less a little, as far as offsets reach, and 2 GiB on hosts of 32 bits.
const maxBenchBuffer = min(1<<32-4096, math.MaxInt-4096)

// benchResource is a buffer or an image of a flag.
type benchResource struct {
	image bool
	text  string
}

// resourceFlag is a flag that adds to a list which another flag adds to as well.
type resourceFlag struct {
	list  *[]benchResource
	image bool
}

// Set adds to the list.
func (f resourceFlag) Set(text string) error {
	*f.list = append(*f.list, benchResource{f.image, text})
	return nil
}

// String returns "", which is the default.
func (f resourceFlag) String() string { return "" }

// Type returns the name of the value in help texts.
func (f resourceFlag) Type() string { return "string" }

// contents returns the current bytes of a buffer or an image.
type contents func() ([]byte, error)

// benchBinding makes a resource, and its descriptor.
type benchBinding func(d *benchDevice) (vk.Write, contents, error)

// parse reads the resource of a flag.
func (r benchResource) parse() (benchBinding, error) {
	if r.image {
		return parseImage(r.text)
	}
	return parseBuffer(r.text)
}

// parseImage reads WxH[,SEED][,nearest].
func parseImage(s string) (benchBinding, error) {
	rest, nearest := strings.CutSuffix(s, ",nearest")
	filter := enum.FilterLinear
	if nearest {
		filter = enum.FilterNearest
	}
	size, seedText, seeded := strings.Cut(rest, ",")
	wide, high, ok := strings.Cut(size, "x")
	w, err := parseUint(wide, 31)
	h, err2 := parseUint(high, 31)
	seed := uint64(1)
	if seeded {
		var err error
		if seed, err = parseUint(seedText, 32); err != nil {
			return nil, unreadable("-i %q: the seed is no number", s)
		}
	}
	if !ok || err != nil || err2 != nil || w == 0 || h == 0 {
		return nil, unreadable("-i %q; want WxH[,SEED][,nearest]", s)
	}
	return func(d *benchDevice) (vk.Write, contents, error) {
		m, err := d.picture(int(w), int(h))
		if err != nil {
			return vk.Write{}, nil, unreadable("-i %q: %v", s, err)
		}
		data := make([]byte, 4*w*h)
		fill(data, "rand", uint32(seed))
		if err := d.copyTexels(m, 0, data, true); err != nil {
			return vk.Write{}, nil, err
		}
		sampler, err := d.device.NewSampler(vk.SamplerInfo{Mag: filter, Min: filter})
		return vk.Write{Images: []vk.ImageDescriptor{{View: m.view, Sampler: sampler}}}, func() ([]byte, error) { return d.texels(m) }, err
	}, nil
}

// spec reads -s.
func (f *benchFlags) spec() (facts.Spec, error) {
	spec := facts.Spec{}
	for _, s := range f.specialize {
		id, value, ok := strings.Cut(s, "=")
		n, err := parseUint(id, 32)
		bits, err2 := parseWord(value)
		if !ok || err != nil || err2 != nil {
			return nil, unreadable("-s %q; want ID=VALUE", s)
		}
		spec[uint32(n)] = uint64(bits)
	}
	return spec, nil
}

func parseUint(s string, bits int) (uint64, error) { return strconv.ParseUint(s, 0, bits) }

// parseWord reads 7 or u7, i-3, f1.5 as 32 bits.
func parseWord(s string) (uint32, error) {
	switch {
	case strings.HasPrefix(s, "f"):
		v, err := strconv.ParseFloat(s[1:], 32)
		return math.Float32bits(float32(v)), err
	case strings.HasPrefix(s, "i"):
		v, err := strconv.ParseInt(s[1:], 0, 32)
		return uint32(v), err
	}
	v, err := parseUint(strings.TrimPrefix(s, "u"), 32)
	return uint32(v), err
}

// parseBuffer reads SIZE[:RANGE][=FILL[,SEED]].
func parseBuffer(s string) (benchBinding, error) {
	sizeText, kind, _ := strings.Cut(s, "=")
	sizeText, rangeText, ranged := strings.Cut(sizeText, ":")
	size, ok := parseSize(sizeText)
	if !ok || size < 4 || size > maxBenchBuffer {
		return nil, unreadable("-b %q; want SIZE[:RANGE][=FILL[,SEED]] with a size from 4 to %d", s, maxBenchBuffer)
	}
	named := size
	if ranged {
		if named, ok = parseSize(rangeText); !ok || named > size {
			return nil, unreadable("-b %q; want a range of at most the size", s)
		}
	}
	kind, seedText, seeded := strings.Cut(kind, ",")
	seed := uint64(1)
	if seeded {
		var err error
		if seed, err = parseUint(seedText, 32); err != nil {
			return nil, unreadable("-b %q: the seed is no number", s)
		}
	}
	return func(d *benchDevice) (w vk.Write, data contents, err error) {
		b, memory, err := host.NewBuffer(d.device, uint64(size), vk.StorageBuffer|vk.UniformBuffer)
		if err != nil {
			return w, nil, unreadable("-b %q: %v", s, err)
		}
		bytes := memory.Bytes()
		if !fill(bytes, kind, uint32(seed)) {
			return w, nil, unreadable("-b %q: unknown fill %q", s, kind)
		}
		w.Buffers = []vk.BufferDescriptor{{Buffer: b, Range: uint64(named)}}
		if named == 0 {
			w.Buffers[0] = vk.BufferDescriptor{} // null
		}
		return w, func() ([]byte, error) { return bytes, nil }, nil
	}, nil
}

// parseSize parses a number of bytes with an optional suffix k or m (1024 and 1024²).
func parseSize(text string) (n int, ok bool) {
	unit := 1.0
	switch {
	case strings.HasSuffix(text, "k"):
		unit, text = 1<<10, text[:len(text)-1]
	case strings.HasSuffix(text, "m"):
		unit, text = 1<<20, text[:len(text)-1]
	}
	size, err := strconv.ParseFloat(text, 64)
	if err != nil || !(size*unit >= 0 && size*unit <= 1<<40) {
		return 0, false
	}
	return int(size * unit), true
}

// hash32 mixes i and seed; equal arguments have equal results on every host.
func hash32(i, seed uint32) uint32 {
	x := i + seed*0x9e3779b9
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return x ^ x>>16
}

// unit is a float32 of [0, 1).
func unit(i, seed uint32) float32 { return float32(hash32(i, seed)>>8) * (1.0 / (1 << 24)) }

// fill fills p with a pattern and reports whether kind is known.
func fill(p []byte, kind string, seed uint32) bool {
	words := func(f func(i uint32) uint32) bool {
		for i := range len(p) / 4 {
			binary.LittleEndian.PutUint32(p[4*i:], f(uint32(i)))
		}
		return true
	}
	floats := func(lo, hi float32) bool {
		return words(func(i uint32) uint32 {
			return math.Float32bits(lo + float32((hi-lo)*unit(i, seed)))
		})
	}
	switch kind {
	case "", "zero":
		return true
	case "iota":
		return words(func(i uint32) uint32 { return i })
	case "rand":
		return words(func(i uint32) uint32 { return hash32(i, seed) })
	case "byte":
		return words(func(i uint32) uint32 { return hash32(i, seed) & 255 })
	case "unif":
		return floats(0, 1)
	case "sunif":
		return words(func(i uint32) uint32 { return math.Float32bits(float32(2*unit(i, seed)) - 1) })
	case "perm":
		permute(p, seed)
		return true
	case "h01": // halves from 1/4 to 1
		for i := range len(p) / 2 {
			r := hash32(uint32(i), seed)
			binary.LittleEndian.PutUint16(p[2*i:], uint16((13+r>>31)<<10|r&1023))
		}
		return true
	case "d01":
		for i := range len(p) / 8 {
			binary.LittleEndian.PutUint64(p[8*i:], math.Float64bits(float64(unit(uint32(i), seed))))
		}
		return true
	}
	lo, hi, ok := strings.Cut(strings.TrimPrefix(kind, "range:"), ":")
	a, err := strconv.ParseFloat(lo, 32)
	b, err2 := strconv.ParseFloat(hi, 32)
	return ok && strings.HasPrefix(kind, "range:") && err == nil && err2 == nil && floats(float32(a), float32(b))
}

// permute fills p with a permutation of 0 to n−1.
func permute(p []byte, seed uint32) {
	n := len(p) / 4
	u := make([]uint32, n)
	for i := range u {
		u[i] = uint32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := uint64(hash32(uint32(i), seed)) * uint64(i+1) >> 32
		u[i], u[j] = u[j], u[i]
	}
	for i, x := range u {
		binary.LittleEndian.PutUint32(p[4*i:], x)
	}
}
