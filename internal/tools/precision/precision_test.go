package main

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/precision"
)

// TestMeasured holds the recorded figures to Vulkan's bounds and to our own, and
// the document to the figures.
func TestMeasured(t *testing.T) {
	list, err := read("measured.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, i := range instructions() {
		for _, w := range i.Widths() {
			if n == len(list) || list[n].name != i.name || list[n].width != w {
				t.Fatalf("no figure for %s of %d bits", i.name, w)
			}
			n++
		}
	}
	for _, f := range list {
		if f.share > 1 || f.usual > 4 {
			t.Errorf("%s of %d bits is %.2f ULP off, %.2f of what is allowed", f.name, f.width, f.usual, f.share)
		}
	}
	doc, err := os.ReadFile("../../../docs/precision.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(doc) != document(list) {
		t.Error("docs/precision.md differs from the output of -write")
	}
}

// TestPrecision measures each instruction again with a few operands: no result may be worse
// than the recorded one.
func TestPrecision(t *testing.T) {
	list, err := read("measured.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]*instruction{}
	for _, i := range instructions() {
		rows[i.name] = &i
	}
	n := 600
	if testing.Short() {
		n = 200
	}
	for _, f := range list {
		i := *rows[f.name]
		i.fast = nil
		engine := exec.Engine(jit.Engine{})
		if k, err := compile(engine, &i, f.width); err != nil {
			engine = interp.Engine{}
		} else {
			k.prog.Close()
		}
		again, err := measure(engine, &i, f.width, 0, n)
		if err != nil {
			t.Fatal(err)
		}
		if again.share > f.share*1.01+1e-9 && again.share > 1 || again.usual > f.usual*1.001+1e-9 && again.usual > 4 {
			t.Errorf("%s of %d bits: now %.3f ULP at %s, %.3f of the allowed; recorded are %.3f and %.3f", f.name, f.width, again.usual, again.at, again.share, f.usual, f.share)
		}
	}
}

// TestRows: each instruction with a precision is measured.
func TestRows(t *testing.T) {
	measured := map[string]bool{}
	for _, i := range instructions() {
		if measured[i.Name] || i.Name != i.name {
			t.Errorf("%q has two rows, or no definition", i.name)
		}
		measured[i.Name] = true
	}
	for _, i := range precision.Instructions() {
		if !measured[i.Name] {
			t.Errorf("%s is not measured", i.Name)
		}
	}
}

// TestAllowed: the results of the engine are in the sets of permitted results (package precision).
func TestAllowed(t *testing.T) {
	n := 3
	if os.Getenv("CHIARO_LONG") != "" {
		n = 60
	}
	for _, i := range instructions() {
		for _, w := range i.Widths() {
			k, err := compile(jit.Engine{}, &i, w)
			if err != nil {
				k, err = compile(interp.Engine{}, &i, w)
			}
			if err != nil {
				t.Fatal(err)
			}
			checkAllowed(t, k, &i, n)
			k.prog.Close()
		}
	}
}

// checkAllowed compares the results of n random operands of an instruction with the permitted ones.
func checkAllowed(t *testing.T, k *kernel, i *instruction, n int) {
	r, list := rand.New(rand.NewPCG(uint64(k.width), 5)), edges(k.width)
	source, sink := make([]uint64, (n+lanes-1)/lanes*lanes*k.in), make([]uint64, (n+lanes-1)/lanes*lanes*k.out)
	for j := range source {
		source[j] = operand(r, k.width, list)
	}
	if err := k.run(source, sink); err != nil {
		t.Fatal(err)
	}
	for j := range n {
		var x [][]float64
		at := j * k.in
		for _, c := range i.In {
			v := make([]float64, c)
			for m := range v {
				v[m] = float(k.width, source[at])
				at++
			}
			x = append(x, v)
		}
		if i.value != nil && i.name == "Ldexp" {
			x[1][0] = max(-8, min(8, math.Trunc(x[1][0])))
		}
		sets, err := precision.Allowed(t.Context(), precision.Query{Instruction: i.name, Bits: k.width, Operands: x})
		if err != nil {
			t.Fatal(err)
		}
		for c := range k.out {
			got := float(k.to, sink[j*k.out+c])
			if set := sets[min(c, len(sets)-1)]; !set.Has(got) {
				t.Errorf("%s of %d bits of %v is %g; permitted is %+v", i.name, k.width, x, got, set)
			}
		}
	}
}
