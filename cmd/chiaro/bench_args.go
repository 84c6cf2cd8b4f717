package main

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
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
type contents func() []byte

// args makes the dispatch and its buffers and images, filled.
func (f *benchFlags) args() (compute.Args, []contents, error) {
	robustness, stages, err := f.pipeline.robust()
	if err != nil {
		return compute.Args{}, nil, err
	}
	if own := stages[ir.Compute]; own != nil {
		robustness = *own
	}
	args := compute.Args{Robustness: robustness, Bindings: map[compute.Binding][]exec.Buffer{},
		Images: map[compute.Binding][]*texture.View{}, Samplers: map[compute.Binding][]*texture.Sampler{}, Workers: f.threads, Budget: math.MaxUint64}
	if args.Groups, err = parseGroups("-g", f.groups, 1); err != nil {
		return args, nil, err
	}
	if f.base != "" {
		if args.Base, err = parseGroups("--base", f.base, 0); err != nil {
			return args, nil, err
		}
	}
	if f.push != "" {
		for _, w := range strings.Split(f.push, ",") {
			bits, err := parseWord(w)
			if err != nil {
				return args, nil, unreadable("-p %q; want words such as 7, i-3 or f1.5", w)
			}
			args.Push = binary.LittleEndian.AppendUint32(args.Push, bits)
		}
	}
	var buffers []contents
	for i, r := range f.resources {
		at := compute.Binding{Binding: uint32(i)}
		var data contents
		if r.image {
			view, sampler, texels, err := parseImage(r.text)
			if err != nil {
				return args, nil, err
			}
			args.Images[at], args.Samplers[at], data = []*texture.View{view}, []*texture.Sampler{sampler}, texels
		} else {
			bytes, beyond, err := parseBuffer(r.text)
			if err != nil {
				return args, nil, err
			}
			args.Bindings[at], data = []exec.Buffer{{Bytes: bytes, Beyond: beyond}}, func() []byte { return bytes }
		}
		buffers = append(buffers, data)
	}
	return args, buffers, nil
}

// parseImage makes an image of WxH[,SEED][,nearest] and a sampler.
func parseImage(s string) (*texture.View, *texture.Sampler, contents, error) {
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
			return nil, nil, nil, unreadable("-i %q: the seed is no number", s)
		}
	}
	if !ok || err != nil || err2 != nil || w == 0 || h == 0 {
		return nil, nil, nil, unreadable("-i %q; want WxH[,SEED][,nearest]", s)
	}
	m, err := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: int(w), Height: int(h)})
	if err != nil {
		return nil, nil, nil, unreadable("-i %q: %v", s, err)
	}
	data := make([]byte, 4*w*h)
	fill(data, "rand", uint32(seed))
	for y := range int(h) {
		copy(m.TexelRow(texture.Coord{Y: y}), data[4*y*int(w):])
	}
	view, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	if err != nil {
		return nil, nil, nil, unreadable("-i %q: %v", s, err)
	}
	sampler, err := texture.NewSampler(texture.SamplerDesc{Mag: filter, Min: filter})
	return view, sampler, func() []byte {
		for y := range int(h) {
			copy(data[4*y*int(w):], m.TexelRow(texture.Coord{Y: y}))
		}
		return data
	}, err
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

// parseBuffer makes a buffer of SIZE[:RANGE][=FILL[,SEED]]. beyond is the number of
// bytes after the range.
func parseBuffer(s string) (data []byte, beyond int, err error) {
	sizeText, kind, _ := strings.Cut(s, "=")
	sizeText, rangeText, ranged := strings.Cut(sizeText, ":")
	size, ok := parseSize(sizeText)
	if !ok || size < 4 || size > maxBenchBuffer {
		return nil, 0, unreadable("-b %q; want SIZE[:RANGE][=FILL[,SEED]] with a size from 4 to %d", s, maxBenchBuffer)
	}
	if ranged {
		named, ok := parseSize(rangeText)
		if !ok || named > size {
			return nil, 0, unreadable("-b %q; want a range of at most the size", s)
		}
		beyond = size - named
	}
	kind, seedText, seeded := strings.Cut(kind, ",")
	seed := uint64(1)
	if seeded {
		if seed, err = parseUint(seedText, 32); err != nil {
			return nil, 0, unreadable("-b %q: the seed is no number", s)
		}
	}
	memory, err := exec.Alloc(size) // lives as long as the program runs
	if err != nil {
		return nil, 0, unreadable("-b %q: %v", s, err)
	}
	if !fill(memory.Bytes(), kind, uint32(seed)) {
		return nil, 0, unreadable("-b %q: unknown fill %q", s, kind)
	}
	return memory.Bytes(), beyond, nil
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
