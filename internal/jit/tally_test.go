package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestTallies has the workgroups of several workers update few words, with every privatizable atomic.
// The expected result is computed here.
func TestTallies(t *testing.T) { eachLevel(t, testTallies) }

var tallied = []struct {
	op string
	do func(old, x uint32) uint32
}{
	{"add", func(old, x uint32) uint32 { return old + x }},
	{"and", func(old, x uint32) uint32 { return old & x }},
	{"or", func(old, x uint32) uint32 { return old | x }},
	{"xor", func(old, x uint32) uint32 { return old ^ x }},
	{"umin", func(old, x uint32) uint32 { return min(old, x) }},
	{"umax", func(old, x uint32) uint32 { return max(old, x) }},
	{"smin", func(old, x uint32) uint32 { return uint32(min(int32(old), int32(x))) }},
	{"smax", func(old, x uint32) uint32 { return uint32(max(int32(old), int32(x))) }},
}

func testTallies(t *testing.T, engine jit.Engine) {
	const n = 64 * 32
	r := rand.New(rand.NewSource(5))
	for _, c := range tallied {
		for _, extra := range []string{"", "\tfence !coh\n", "\tvz = ld.i32 vB, 0:i32, #0\n\tst.i32 vC, vo, vz, #0\n"} {
			t.Run(fmt.Sprintf("%s, %q", c.op, extra), func(t *testing.T) {
				prog := compileWith(t, engine, tallyProgram(c.op, extra))
				source, totals := make([]uint32, n), make([]uint32, 21)
				for i := range source {
					source[i] = r.Uint32()
				}
				for i := range totals {
					totals[i] = r.Uint32() >> (i % 3)
				}
				target := loadLittleEndian(totals)
				for i, x := range source {
					if at := i * 7 % 32; at < len(totals) {
						totals[at] = c.do(totals[at], x)
					}
				}
				job := &exec.Job{Groups: [3]uint32{32, 1, 1}, Workers: 3, Resources: [][]exec.Buffer{buffer(source), {{Bytes: target}}, buffer(make([]uint32, n))}}
				if err := prog.Run(t.Context(), job); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(target, loadLittleEndian(totals)) {
					t.Errorf("%x; want %x", target, loadLittleEndian(totals))
				}
			})
		}
	}
}

// TestLongTallies is TestTallies with words of 64 bits. The operands are signed, so that a sum carries and borrows.
func TestLongTallies(t *testing.T) { eachLevel(t, testLongTallies) }

func testLongTallies(t *testing.T, engine jit.Engine) {
	const n = 64 * 32
	r := rand.New(rand.NewSource(6))
	for op, do := range map[string]func(old, x uint64) uint64{
		"add":  func(old, x uint64) uint64 { return old + x },
		"and":  func(old, x uint64) uint64 { return old & x },
		"or":   func(old, x uint64) uint64 { return old | x },
		"xor":  func(old, x uint64) uint64 { return old ^ x },
		"umin": func(old, x uint64) uint64 { return min(old, x) },
		"umax": func(old, x uint64) uint64 { return max(old, x) },
		"smin": func(old, x uint64) uint64 { return uint64(min(int64(old), int64(x))) },
		"smax": func(old, x uint64) uint64 { return uint64(max(int64(old), int64(x))) },
	} {
		t.Run(op, func(t *testing.T) {
			text := strings.Replace(tallyProgram(op, ""), "vq = at 0:i32, vw, #4", "vq = at 0:i32, vw, #8\n\tvl = sext.i64 vx", 1)
			prog := compileWith(t, engine, strings.Replace(text, ".i32 vB, vq, vx,", ".i64 vB, vq, vl,", 1))
			source, totals := make([]uint32, n), make([]uint64, 21)
			for i := range source {
				source[i] = r.Uint32()
			}
			for i := range totals {
				totals[i] = r.Uint64() >> (i % 40)
			}
			bytesOf := func() (out []byte) {
				for _, x := range totals {
					out = binary.LittleEndian.AppendUint64(out, x)
				}
				return out
			}
			target := bytesOf()
			for i, x := range source {
				if at := i * 7 % 32; at < len(totals) {
					totals[at] = do(totals[at], uint64(int64(int32(x))))
				}
			}
			job := &exec.Job{Groups: [3]uint32{32, 1, 1}, Workers: 3, Resources: [][]exec.Buffer{buffer(source), {{Bytes: target}}, buffer(make([]uint32, n))}}
			if err := prog.Run(t.Context(), job); err != nil {
				t.Fatal(err)
			}
			if want := bytesOf(); !bytes.Equal(target, want) {
				t.Errorf("%x; want %x", target, want)
			}
		})
	}
}

// TestTalliesMeetOthers binds the same memory twice: what one operation gathers
// the other must see, group by group.
func TestTalliesMeetOthers(t *testing.T) { eachLevel(t, testTalliesMeetOthers) }

func testTalliesMeetOthers(t *testing.T, engine jit.Engine) {
	prog := compileWith(t, engine, tallyProgram("add", "\tvz = ld.i32 vC, 0:i32, #0\n\tst.i32 vC, vo, vz, #4\n"))
	source, target := make([]uint32, 64*4), make([]byte, 4*(64*4+1))
	for i := 0; i < len(source); i += 32 {
		source[i] = 1
	}
	job := &exec.Job{Groups: [3]uint32{4, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(source), {{Bytes: target[:84]}}, {{Bytes: target}}}}
	if err := prog.Run(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	for group := range 4 {
		// Its first subgroup adds one, and reads what all before added.
		at := 4 * (64*group + 1 + 31)
		if got := binary.LittleEndian.Uint32(target[at:]); got == 0 {
			t.Errorf("group %d read %d of memory that is bound twice", group, got)
		}
	}
}

// tallyProgram does an atomic on one of 32 words for each lane, of which not all
// are there.
func tallyProgram(op, extra string) string {
	return "program \"tally\" compute\nsubgroup 16\nlocal 64 1 1\nin global.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\nres storage 0 2 count 1\n" +
		"effects writes\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvC = res 0:i32, #2\n\tvo = at 0:i32, vi, #4\n" +
		"\tvx = ld.i32 vA, vo, #0\n\tvm = mul.i32 vi, 7:i32\n\tvw = and.i32 vm, 31:i32\n\tvq = at 0:i32, vw, #4\n" +
		"\tvy = atom" + op + ".i32 vB, vq, vx, #0 !unused\n" + extra + "}\n"
}

// TestTalliesTogether has runs of one program gather at the same time for the same
// memory, some of which are stopped: nothing that was done before is lost, and of
// those that end nothing either.
func TestTalliesTogether(t *testing.T) { eachLevel(t, testTalliesTogether) }

func testTalliesTogether(t *testing.T, engine jit.Engine) {
	const groups, runs = 2000, 6
	prog := compileWith(t, engine, tallyProgram("add", ""))
	source, target := buffer(slices.Repeat([]uint32{1}, 64*groups)), make([]byte, 4*32)
	job := func() *exec.Job {
		return &exec.Job{Groups: [3]uint32{groups, 1, 1}, Workers: 3, Resources: [][]exec.Buffer{source, {{Bytes: target}}, buffer(nil)}}
	}
	ended := make(chan error, runs)
	for n := range runs {
		go func() {
			ctx, cancel := t.Context(), func() {}
			if n%2 == 1 {
				ctx, cancel = context.WithTimeout(ctx, time.Duration(n)*20*time.Microsecond)
			}
			defer cancel()
			ended <- prog.Run(ctx, job())
		}()
	}
	whole := uint32(0)
	for range runs {
		switch err := <-ended; {
		case err == nil:
			whole++
		case !errors.Is(err, context.DeadlineExceeded):
			t.Fatal(err)
		}
	}
	for i := range 32 {
		got := binary.LittleEndian.Uint32(target[4*i:])
		if least, most := whole*2*groups, uint32(runs*2*groups); got < least || got > most {
			t.Errorf("word %d is %d after %d of %d runs; must be %d to %d", i, got, whole, runs, least, most)
		}
		binary.LittleEndian.PutUint32(target[4*i:], 0xffffffff)
	}
	if err := prog.Run(t.Context(), job()); err != nil {
		t.Fatal(err)
	}
	check(t, target, slices.Repeat([]uint32{2*groups - 1}, 32))
}
