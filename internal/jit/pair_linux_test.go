package jit_test

import (
	"context"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// atEnd is an engine whose programs find resource 1 directly before an inaccessible page.
type atEnd struct {
	exec.Engine
	memory []byte
}

func (e atEnd) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	prog, err := e.Engine.Compile(p, o)
	return programAtEnd{prog, e.memory}, err
}

type programAtEnd struct {
	exec.Program
	memory []byte
}

func (p programAtEnd) Run(ctx context.Context, job *exec.Job) error {
	was := job.Resources[1][0].Bytes
	at := p.memory[(len(p.memory)-len(was))&^7:][:len(was)]
	copy(at, was)
	job.Resources[1][0].Bytes = at
	return p.Program.Run(ctx, job)
}

// eachAtEnd runs a test with the engine of each level, as an atEnd.
func eachAtEnd(t *testing.T, test func(*testing.T, exec.Engine)) {
	page := os.Getpagesize()
	all, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(all)
	if err := unix.Mprotect(all[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	eachLevel(t, func(t *testing.T, engine jit.Engine) { test(t, atEnd{engine, all[:page:page]}) })
}

// TestPairsAtEnd repeats TestPairs with loads that end at the last byte before an unmapped page.
func TestPairsAtEnd(t *testing.T) { eachAtEnd(t, testPairs) }

// TestStoreRunsAtEnd repeats TestStoreRuns with records that end at the last byte before an unmapped page.
func TestStoreRunsAtEnd(t *testing.T) { eachAtEnd(t, testStoreRuns) }

// TestRecordRunsAtEnd repeats TestRecordRuns with records that end at the last byte before an unmapped page.
func TestRecordRunsAtEnd(t *testing.T) { eachAtEnd(t, testRecordRuns) }

// TestLastRecords loads records that end at the last byte before an unmapped page.
func TestLastRecords(t *testing.T) { eachAtEnd(t, testLastRecords) }
