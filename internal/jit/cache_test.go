package jit

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// square writes the square of its index.
const square = `
program "square" compute
subgroup 16
local 64 1 1
in localindex i32 0
res storage 0 0 count 1
func "main"() L1 {
	v1 = in.i32 #0
	v2 = mul.i32 v1, 4:i32
	v3 = res 0:i32, #0
	v4 = mul.i32 v1, v1
	st.i32 v3, v2, v4, #0
}
`

func parse(t *testing.T, text string) *ir.Program {
	t.Helper()
	if _, err := Choose(target.Best); err != nil {
		t.Skip(err)
	}
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p.StateEffects()
	return p
}

func mustCompile(t *testing.T, c *Cache, p *ir.Program) *program {
	t.Helper()
	prog, err := Engine{Cache: c}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return prog.(*program)
}

// squares runs a program of square and checks what it wrote.
func squares(t *testing.T, p *program) {
	t.Helper()
	out := make([]byte, 4*64)
	job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: out}}}}
	if err := p.Run(context.Background(), job); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		if got := binary.LittleEndian.Uint32(out[4*i:]); got != uint32(i*i) {
			t.Fatalf("the square of %d is %d", i, got)
		}
	}
}

func TestCacheShares(t *testing.T) {
	c := NewCache(1<<20, nil, "")
	a, b := mustCompile(t, c, parse(t, square)), mustCompile(t, c, parse(t, square))
	if a.main != b.main || c.Stats() != (CacheStats{MemoryHits: 1, Misses: 1}) {
		t.Errorf("equal programs have code of their own; found %+v", c.Stats())
	}
	other := parse(t, square)
	other.LocalSize[0] = 32
	if d := mustCompile(t, c, other); d.main == a.main {
		t.Error("programs that differ share code")
	} else {
		d.Close()
	}
	v := a.main
	a.Close()
	squares(t, b)
	c.Close()
	squares(t, b)
	if n := v.refs.Load(); n != 1 {
		t.Errorf("%d references; want that of one program", n)
	}
	b.Close()
	b.Close()
	if n := v.refs.Load(); n != 0 {
		t.Errorf("%d references are left", n)
	}
	if err := b.Run(context.Background(), &exec.Job{Groups: [3]uint32{1, 1, 1}}); err == nil {
		t.Error("a program that was closed runs")
	}
}

// TestCloseWhileRunning: a run holds the code.
func TestCloseWhileRunning(t *testing.T) {
	for range 20 {
		p := mustCompile(t, nil, parse(t, square))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				out := make([]byte, 4*64)
				job := &exec.Job{Groups: [3]uint32{500, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: out}}}}
				if err := p.Run(context.Background(), job); err != nil && err != errClosed {
					t.Error(err)
				}
			})
		}
		p.Close()
		all.Wait()
	}
}

func TestCacheIsSmall(t *testing.T) {
	c := NewCache(1<<20, nil, "")
	p := mustCompile(t, c, parse(t, square))
	size := p.main.block.Size()
	c = NewCache(3*size, nil, "")
	for i := range 10 {
		p := parse(t, square)
		p.PushBytes = uint32(i)
		mustCompile(t, c, p).Close()
		if c.bytes > 3*size || len(c.entries) > 3 || len(c.entries) != c.lru.Len() {
			t.Fatalf("%d bytes of %d programs are kept; at most %d", c.bytes, len(c.entries), 3*size)
		}
	}
	again := parse(t, square)
	again.PushBytes = 9
	mustCompile(t, c, again)
	if c.Stats().MemoryHits != 1 {
		t.Error("what was used last is forgotten")
	}
}

func openStore(t *testing.T, path string) *store.Dir {
	t.Helper()
	d, err := store.Open(path, 1<<20)
	if err != nil && runtime.GOOS == "windows" {
		t.Skipf("no store here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestCachedMemory checks that code in the cache keeps neither the functions of its program nor a second copy of the code.
func TestCachedMemory(t *testing.T) {
	c := NewCache(1<<20, nil, "")
	p := mustCompile(t, c, parse(t, square))
	squares(t, p)
	for _, e := range c.entries {
		v := e.Value.(*entry).code
		if s := v.source; s.Funcs != nil || s.From != nil || s.Tables != nil {
			t.Error("the cache keeps the body of a program")
		}
		if at := uintptr(unsafe.Pointer(&v.code.Bytes[0])); at != v.block.Entry() {
			t.Errorf("the bytes of code at %#x are at %#x; must be the same", v.block.Entry(), at)
		}
	}
	if len(c.entries) == 0 || p.source.Funcs == nil {
		t.Error("nothing is cached, or the program has lost its functions")
	}
}

// TestCacheOnDisk: code that one cache kept serves another, at another address,
// and only where nothing of it has changed.
func TestCacheOnDisk(t *testing.T) {
	path := t.TempDir()
	first := mustCompile(t, NewCache(1<<20, openStore(t, path), "v1"), parse(t, square))
	load := func(version string) (*program, CacheStats) {
		c := NewCache(1<<20, openStore(t, path), version)
		p := mustCompile(t, c, parse(t, square))
		squares(t, p)
		return p, c.Stats()
	}
	second, found := load("v1")
	if found != (CacheStats{DiskHits: 1}) || second.main.block.Entry() == first.main.block.Entry() {
		t.Errorf("found %+v", found)
	}
	if string(second.main.code.Bytes) != string(first.main.code.Bytes) {
		t.Error("the code differs")
	}
	for _, version := range []string{"v2", ""} {
		if _, found := load(version); found != (CacheStats{Misses: 1}) {
			t.Errorf("version %q: found %+v", version, found)
		}
	}
	files, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %q, error %v", files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-1] ^= 0xff
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, found := load("v1"); found != (CacheStats{Misses: 1}) {
		t.Errorf("spoiled code was found: %+v", found)
	}
	if _, found := load("v1"); found != (CacheStats{DiskHits: 1}) {
		t.Errorf("good code did not replace what was spoiled: %+v", found)
	}
}

// TestCacheOfAnotherMachine: code made with instructions that a machine lacks is
// none for that machine.
func TestCacheOfAnotherMachine(t *testing.T) {
	c := NewCache(1<<20, openStore(t, t.TempDir()), "v1")
	mustCompile(t, c, parse(t, square))
	p := parse(t, square)
	lacks := Without(Engine{Cache: c}, amd64.CountBits|amd64.DotBytes)
	for range 2 {
		prog, err := lacks.Compile(p, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		prog.Close()
	}
	want := CacheStats{Misses: 2, MemoryHits: 1}
	if (amd64.Target{}).Features() == 0 {
		want = CacheStats{Misses: 1, MemoryHits: 2}
	}
	if found := c.Stats(); found != want {
		t.Errorf("found %+v; want %+v", found, want)
	}
}

func TestParseVariant(t *testing.T) {
	p := parse(t, square)
	b := mustCompile(t, nil, p).main.encode(nil)
	for n := range b {
		if v, err := decodeVariant(b[:n], p); err == nil {
			t.Errorf("the first %d of %d bytes are code: %+v", n, len(b), v)
		}
	}
}

// TestDecodeVariantOfEveryForm: code of every form of strip fits its program: merged subgroups, phases of a
// workgroup, and single subgroups, also narrow ones.
func TestDecodeVariantOfEveryForm(t *testing.T) {
	var list []*ir.Program
	for seed := range int64(24) {
		list = append(list, irgen.Workgroup(seed))
	}
	list = append(list, irgen.Group(irgen.GroupOp{Op: ir.Reduce, Type: ir.I32, Aux: uint64(ir.Add)}, 4, 11))
	for i, p := range list {
		c := mustCompile(t, nil, p)
		v, err := decodeVariant(c.main.encode(nil), p)
		if err != nil {
			t.Errorf("program %d: %v", i, err)
			continue
		}
		v.release()
	}
}

// TestDecodeVariantFits: the width of the strip and the resources must fit the program.
func TestDecodeVariantFits(t *testing.T) {
	p := parse(t, square)
	good := mustCompile(t, nil, p).main
	b := good.encode(nil)
	if _, err := decodeVariant(b, p); err != nil {
		t.Fatal(err)
	}
	for _, lanes := range []uint32{0, 1, good.source.SubgroupSize - 1, good.source.SubgroupSize + 1, 2 * good.source.SubgroupSize, 1 << 31, 1<<32 - 1} {
		bad := slices.Clone(b)
		binary.LittleEndian.PutUint32(bad, lanes)
		if _, err := decodeVariant(bad, p); err == nil {
			t.Errorf("code for strips of %d lanes is accepted for %d", good.source.SubgroupSize, lanes)
		}
	}
	other := variant{compiled: &compiled{source: good.source, code: good.code, written: []int{len(p.Res)}}}
	if _, err := decodeVariant(other.encode(nil), p); err == nil {
		t.Error("a resource that does not exist is accepted")
	}
}

// TestIsStrip: strips of code on disk are of the widths that the compiler chooses.
func TestIsStrip(t *testing.T) {
	p := &ir.Program{SubgroupSize: 16, LocalSize: [3]uint32{50, 2, 1}}
	for _, rows := range []bool{false, true} {
		form := vcode.Form{Lanes: 4, RowStrips: rows}
		for lanes, want := range map[uint32]bool{0: false, 4: true, 16: true, 32: true, 20: false, 24: false, 128: false, 50: rows, 25: rows, 12: rows, 6: rows, 3: false} {
			if got := isStrip(lanes, p, form); got != want {
				t.Errorf("strips of %d lanes, row strips %v: %v; want %v", lanes, rows, got, want)
			}
		}
	}
}
