package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// answerer answers the items of runs with one verb and the same options.
type answerer interface {
	// answer returns the result of an item as JSON, or an error for an item that it cannot read.
	answer(ctx context.Context, it *wire.Item) (any, error)
}

// newAnswer returns the command that a worker of a fleet starts. Its options are data of a run, never flags or paths: it
// reads the files that the worker names and no others, and writes nothing but answers.
func newAnswer(c console) *cobra.Command {
	return &cobra.Command{
		Use:    "answer",
		Short:  "Answer items of a fleet on the standard streams",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			defer collectSeldom(compilePercent)()
			return answerItems(c)
		},
	}
}

// answerItems answers items until the input ends.
func answerItems(c console) error {
	ctx, stop := interruptible()
	defer stop()
	return answerUntil(ctx, c)
}

// answerUntil answers items until the input ends or the context is done. An item that this interrupts has no answer.
func answerUntil(ctx context.Context, c console) error {
	r, w := wire.NewReader(c.in), wire.NewWriter(c.out)
	if err := w.Write(wire.Hello{Version: toolVersion()}); err != nil {
		return err
	}
	var log bytes.Buffer
	c.err = &log
	var now answerer
	var wrong error
	for ctx.Err() == nil {
		var x wire.Work
		if err := r.Read(&x); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if x.Head != nil {
			now, wrong = newAnswerer(c, x.Head)
		}
		if x.Item == nil {
			continue
		}
		a := wire.Answer{Index: x.Item.Index}
		result, err := any(nil), wrong
		if err == nil && now != nil {
			result, err = now.answer(ctx, x.Item)
		}
		if ctx.Err() != nil {
			break
		}
		if err == nil {
			a.Result, err = json.Marshal(result)
			if r, ok := result.(*runResult); ok {
				a.Brief = r.Status == string(amber.RanOutOfTime)
			}
		}
		if err != nil {
			a.Status, a.Result = wire.Invalid, nil
			plain.Fprintf(&log, "%s\n", err.Error())
		}
		a.Log = log.String()
		log.Reset()
		if err := w.Write(&a); err != nil {
			return err
		}
	}
	return &coded{code: exitInterrupt}
}

// newAnswerer returns the answerer of a run.
func newAnswerer(c console, h *wire.Head) (answerer, error) {
	switch h.Verb {
	case "check":
		return newCheckAnswerer(c, h.Options)
	case "fuzz":
		return newFuzzAnswerer(c, h.Options)
	case "link":
		return newLinkAnswerer(c, h.Options)
	case "run", "test":
		return newRunAnswerer(c, h.Options)
	}
	return nil, fmt.Errorf("verb %q; must be check, fuzz, link, run or test", h.Verb)
}

// itemFiles returns the contents of the files of an item by their names.
func itemFiles(it *wire.Item) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, f := range it.Files {
		data, err := readFile(f.Path)
		if err != nil {
			return nil, err
		}
		out[f.Name] = data
	}
	return out, nil
}

// fileOf returns a file among those of an item.
func fileOf(files map[string][]byte, name string) ([]byte, error) {
	data, ok := files[name]
	if !ok {
		return nil, fmt.Errorf("%s: is not among the files of the item: %w", name, fs.ErrNotExist)
	}
	return data, nil
}

// moduleOf returns a module among the files of an item. It rejects a source: a compiler may read any file of its machine.
func moduleOf(files map[string][]byte, name string) ([]byte, error) {
	data, err := fileOf(files, name)
	if err == nil {
		err = packed(name, data)
	}
	if err == nil && isSource(name) && !isBinary(data) {
		err = fmt.Errorf("%s: a worker compiles no source", name)
	}
	return data, err
}
