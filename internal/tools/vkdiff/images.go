package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// places is how many places a case is sampled at.
const places = 64

// gallery is one run over images.
type gallery struct {
	client, icd     string
	loud            bool
	peer            *peer
	seen, different map[string]int // places, by trait
	kinds           map[string]int
	refused, died   int
	show            int
}

// compareImages samples random images through random samplers on both sides. A number of
// the peer that differs is explained if our result reaches it at coordinates within the
// common precision of both sides (subTexelPrecisionBits, mipmapPrecisionBits), and is
// listed otherwise.
func compareImages(n, seed uint64, icd string, loud bool, show int, op string) error {
	dir, done, err := scratch()
	if err != nil {
		return err
	}
	defer done()
	client, err := build(dir, icd, "images")
	if err != nil {
		return err
	}
	g := &gallery{client: client, icd: icd, loud: loud, seen: map[string]int{}, different: map[string]int{}, kinds: map[string]int{}, show: show}
	if g.peer, err = start(client, icd, loud); err != nil {
		return err
	}
	defer func() { g.peer.Stop() }()
	fmt.Printf("peer: %s\n", g.peer.device)
	for i := range n {
		r := rand.New(rand.NewPCG(seed+i, 0))
		c := drawImage(r, op)
		if err := g.one(seed+i, c, r); err != nil {
			return fmt.Errorf("seed %d: %w\n%+v %+v %+v", seed+i, err, c.image, c.view, c.sampler)
		}
	}
	g.report(n)
	return nil
}

// report prints how many places differ, and how many of those with each trait.
func (g *gallery) report(n uint64) {
	fmt.Printf("%d cases of %d places, %d refused by the peer, which died at %d\n", n, places, g.refused, g.died)
	for _, k := range sorted(g.kinds) {
		fmt.Printf("%8d %s\n", g.kinds[k], k)
	}
	fmt.Println("places with other differences, of those with a trait:")
	for _, k := range sorted(g.seen) {
		if g.different[k] > 0 {
			fmt.Printf("%8d of %8d  %s\n", g.different[k], g.seen[k], k)
		}
	}
}

func sorted(m map[string]int) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// one compares a case.
func (g *gallery) one(seed uint64, c *imageCase, r *rand.Rand) error {
	if err := c.fill(r); err != nil {
		return err
	}
	words, err := c.shader()
	if err != nil {
		return err
	}
	var in, near []byte
	var list []point
	variants := 0
	for range places {
		p := c.drawPoint(r)
		list, in = append(list, p), p.append(in)
		moved := c.moved(p)
		for _, q := range moved {
			near = q.append(near)
		}
		variants = len(moved)
	}
	want, err := c.ours(words, in, near)
	if err != nil {
		return err
	}
	got, err := g.peer.image(c, words, in)
	var no refused
	if errors.As(err, &no) {
		g.refused++
		return nil
	}
	if err != nil {
		fmt.Printf("seed %d: the peer died: %s\n", seed, strings.Join(c.traits(), ", "))
		g.died++
		g.peer.Stop()
		g.peer, err = start(g.client, g.icd, g.loud)
		return err
	}
	traits := c.traits()
	for i := range places {
		what := c.judge(want[16*variants*i:][:16*variants], got[16*i:][:16])
		g.kinds[what]++
		for _, t := range traits {
			g.seen[t]++
			if strings.HasPrefix(what, "other") {
				g.different[t]++
			}
		}
		if strings.HasPrefix(what, "other") && g.show > 0 {
			g.show--
			fmt.Printf("seed %d, place %d: %s\n  %s\n  %+v\n  %+v\n  swizzle %v, from level %d\n  at %v\n  ours %s, the other's %s\n", seed, i, what, strings.Join(traits, ", "), c.image, c.sampler, c.view.Swizzle, c.view.BaseLevel, list[i],
				c.numbers(want[16*variants*i:]), c.numbers(got[16*i:]))
		}
	}
	return nil
}

// numbers prints four numbers.
func (c *imageCase) numbers(b []byte) string {
	var list []string
	for k := range 4 {
		x := binary.NativeEndian.Uint32(b[4*k:])
		if format.InfoByName(c.image.Format).Sampled == format.Float {
			list = append(list, fmt.Sprint(math.Float32frombits(x)))
		} else {
			list = append(list, fmt.Sprint(x))
		}
	}
	return strings.Join(list, " ")
}

// judge compares the peer's four numbers with ours; the first of ours are at the exact
// coordinates.
func (c *imageCase) judge(ours, theirs []byte) string {
	if bytes.Equal(ours[:16], theirs) {
		return "equal"
	}
	info := format.InfoByName(c.image.Format)
	floats, worst := info.Sampled == format.Float, "a rounding: within 1e-6"
	for k := range 4 {
		x := binary.NativeEndian.Uint32(theirs[4*k:])
		if !floats {
			if !slices.ContainsFunc(split(ours), func(v [4]uint32) bool { return v[k] == x }) {
				return "other: an integer"
			}
			worst = "another texel, within 1/256 of one"
			continue
		}
		v, own := float64(math.Float32frombits(x)), float64(math.Float32frombits(binary.NativeEndian.Uint32(ours[4*k:])))
		if math.Abs(v-own) <= 1e-6*max(1, math.Abs(own)) {
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		for _, o := range split(ours) {
			n := float64(math.Float32frombits(o[k]))
			if c.view.Conversion != nil && (v == 0 || v == 1) { // the peer may clamp colors, and ours does not
				n = min(max(n, 0), 1)
			}
			least, most = min(least, n), max(most, n)
		}
		switch beyond := max(least-v, v-most, 0); {
		case beyond <= 1.0/1024: // a peak between the places
			if !strings.HasPrefix(worst, "filtered") {
				worst = "within 1/256 of a texel and 1/16 of a level"
			}
		case c.op == "aniso" && beyond <= 3*c.coarsest()/8:
			worst = "filtered over another footprint: within an eighth of a texel"
		case beyond <= 4.0/255 && c.bits() <= 8 || beyond <= 4.0/1023 && c.bits() <= 10:
			worst = "filtered in 8 or 10 bits: within 4 of the last place"
		case c.sitedApart():
			worst = "filtered by itself: chroma of another sample where it is cosited"
		default:
			return fmt.Sprintf("other: a number, %s", c.op)
		}
	}
	return worst
}

// bits returns the bits of the widest component of the format, of blocks 8.
func (c *imageCase) bits() int {
	if format.InfoByName(c.image.Format).Compressed {
		return 8
	}
	if c.view.Conversion != nil { // the greatest factor of a conversion is about 2
		return format.InfoByName(c.image.Format).ComponentBits()
	}
	f, _ := format.ByName(c.image.Format)
	most := 0
	for _, k := range f.Components() {
		most = max(most, k.Bits)
	}
	return most
}

// split splits texels into groups of four words.
func split(b []byte) (list [][4]uint32) {
	for ; len(b) >= 16; b = b[16:] {
		var v [4]uint32
		for k := range v {
			v[k] = binary.NativeEndian.Uint32(b[4*k:])
		}
		list = append(list, v)
	}
	return list
}

// ours runs a case at the coordinates in near, and at the coordinates in in on both
// engines, which must agree.
func (c *imageCase) ours(words []uint32, in, near []byte) ([]byte, error) {
	d, err := spirv.FromWords(bytesOf(words))
	if err != nil {
		return nil, err
	}
	f := facts.Gather(d, nil)
	if len(f.EntryPoints) == 0 {
		return nil, errors.New("no entry point")
	}
	s, err := shader.Lower(context.Background(), valid.Assume(f), &f.EntryPoints[0], lower.Options{})
	if err != nil {
		return nil, err
	}
	p := s.Program
	view, err := texture.NewView(c.made, c.view)
	if err != nil {
		return nil, err
	}
	sampler, err := texture.NewSampler(c.sampler)
	if err != nil {
		return nil, err
	}
	run := func(e exec.Engine, in []byte) ([]byte, error) {
		prog, err := compute.NewPipeline(p, e, exec.Options{})
		if err != nil {
			return nil, err
		}
		defer prog.Close()
		at, out := compute.Binding{Binding: 2}, make([]byte, len(in)/4)
		args := compute.Args{Groups: [3]uint32{uint32((len(in)/64 + 63) / 64), 1, 1},
			Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: in}}, {Binding: 1}: {{Bytes: out}}},
			Images:   map[compute.Binding][]*texture.View{at: {view}}, Samplers: map[compute.Binding][]*texture.Sampler{at: {sampler}}}
		return out, prog.Dispatch(context.Background(), args)
	}
	all, err := run(jit.Engine{}, near)
	if err != nil {
		return nil, err
	}
	first, err := run(interp.Engine{}, in)
	if err != nil {
		return nil, err
	}
	for i, variants := 0, len(near)/len(in); i < len(first); i += 16 {
		if !bytes.Equal(first[i:i+16], all[i*variants:][:16]) {
			return nil, fmt.Errorf("the engines differ at place %d: %x and %x", i/16, first[i:i+16], all[i*variants:][:16])
		}
	}
	return all, nil
}

// image runs a case on the peer.
func (p *peer) image(c *imageCase, words []uint32, in []byte) ([]byte, error) {
	answered := p.Patience(patience)
	defer answered()
	var b []byte
	put := func(n ...uint32) {
		for _, x := range n {
			b = binary.NativeEndian.AppendUint32(b, x)
		}
	}
	put(uint32(len(words)))
	put(words...)
	put(places/64, uint32(len(in)))
	b = append(b, in...)
	put(uint32(len(in) / 4))
	if err := p.Ask(c.request(b)); err != nil {
		return nil, err
	}
	status, err := p.Number()
	if err != nil {
		return nil, err
	}
	if status != 0 {
		return nil, refused(int32(status))
	}
	return p.Bytes(len(in) / 4)
}
