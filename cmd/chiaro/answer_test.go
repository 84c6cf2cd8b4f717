package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// readerFunc is a reader that is a function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// answersTo returns the answers of a worker's process to a script, which comes with its first read. read is called after it.
func answersTo(ctx context.Context, t *testing.T, script string, timeout time.Duration, read func()) []wire.Answer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	f := runFlags{through: throughNames[0]}
	f.opts.Timeout = timeout
	defaults := &cobra.Command{}
	f.engine.add(defaults)
	f.pipeline.add(defaults)
	options, err := json.Marshal(f.task())
	if err != nil {
		t.Fatal(err)
	}
	var in, out bytes.Buffer
	w := wire.NewWriter(&in)
	for _, x := range []wire.Work{{Head: &wire.Head{Verb: "run", Options: options}}, {Item: &wire.Item{Name: "a.amber", Kind: "script", Files: []wire.File{{Path: path}}}}} {
		if err := w.Write(x); err != nil {
			t.Fatal(err)
		}
	}
	c := console{in: readerFunc(func(p []byte) (int, error) {
		n, err := in.Read(p)
		read()
		return n, err
	}), out: &out}
	_ = answerUntil(ctx, c) // the error of an interrupt
	var hello wire.Hello
	r := wire.NewReader(&out)
	if err := r.Read(&hello); err != nil {
		t.Fatal(err)
	}
	var list []wire.Answer
	for {
		var a wire.Answer
		if r.Read(&a) != nil {
			return list
		}
		list = append(list, a)
	}
}

// TestAnswerInterrupted checks that an item which a signal interrupts has no answer, since the answer would be kept.
func TestAnswerInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	if list := answersTo(ctx, t, "#!amber\n", 0, stop); len(list) != 0 {
		t.Errorf("%+v; want no answer", list)
	}
}

// TestAnswerCompiles checks that a worker starts no compiler, which could read any file of the worker's machine: a script without
// the modules of its sources has no result.
func TestAnswerCompiles(t *testing.T) {
	for script, status := range map[string]wire.Status{
		"#!amber\n": "",
		"#!amber\nSHADER compute s GLSL\n#version 450\n#include \"/etc/passwd\"\nvoid main() {}\nEND\nPIPELINE compute p\nATTACH s\nEND\nRUN p 1 1 1\n": wire.Invalid,
	} {
		list := answersTo(t.Context(), t, script, 0, func() {})
		if len(list) != 1 || list[0].Status != status || strings.Contains(list[0].Log, "no compiler may start") != (status != "") {
			t.Errorf("%q: %+v; want one answer with status %q", script, list, status)
		}
	}
}

// TestAnswerTimeout checks that a timeout is brief: on a machine with less load, the script may end in time.
func TestAnswerTimeout(t *testing.T) {
	script, err := os.ReadFile("../../internal/amber/testdata/dispatch.amber")
	if err != nil {
		t.Fatal(err)
	}
	for limit, status := range map[time.Duration]string{1: "timeout", 0: "pass"} {
		list := answersTo(t.Context(), t, string(script), limit, func() {})
		if len(list) != 1 || list[0].Brief != (limit > 0) || !strings.Contains(string(list[0].Result), `"status":"`+status) {
			t.Errorf("limit %v: %+v; want %s", limit, list, status)
		}
	}
}
