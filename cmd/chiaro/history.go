package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/debug"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

func newHistory(c console) *cobra.Command {
	var f runFlags
	var pixel, to string
	var h debug.PixelHistory
	cmd := &cobra.Command{
		Use:   "history SCRIPT --pixel X,Y",
		Short: "List every fragment of a pixel and the test that ended it",
		Long: `Run a script, and list each fragment that its draws made at a pixel, in rasterization order: the draw, the instance of a draw
with several, the primitive, the outputs of the shader, the attachments before and after, and the test that ended it, if one did.
Changes of the pixel between draws, by clears for example, are listed too.`,
		Example: "  chiaro history examples/deferred.amber --pixel 100,50\n  chiaro history examples/burst.amber --pixel 100,50 --sample 2 --format json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if h.X, h.Y, err = pixelOf(pixel); err != nil {
				return unreadable("--pixel: %v", err)
			}
			if to != "text" && to != "json" {
				return unreadable("--format: %q; want text or json", to)
			}
			f.through = throughNames[amber.Whole]
			if err := f.checkHooked(c); err != nil {
				return err
			}
			f.opts.Workers, f.jobs = 1, 1
			f.opts.Debugger = &h
			return limited(0, func(ctx context.Context) error { return listHistory(ctx, c, &f, args[0], &h, to) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&pixel, "pixel", "", "the pixel of the attachments: X,Y")
	fl.Uint32Var(&h.Layer, "layer", 0, "layer of the attachments")
	fl.Uint32Var(&h.Sample, "sample", 0, "of multisampled attachments: the sample with the values")
	fl.StringVar(&to, "format", "text", "format of the output: text or json")
	complete(cmd, "format", "text", "json")
	f.add(&cobra.Command{}) // the defaults of the other flags
	outsideFlag(fl, &f.allowOutside)
	if err := cmd.MarkFlagRequired("pixel"); err != nil {
		panic(err)
	}
	return cmd
}

// pixelOf reads X,Y.
func pixelOf(text string) (x, y uint32, err error) {
	left, right, ok := strings.Cut(text, ",")
	a, errA := strconv.ParseUint(strings.TrimSpace(left), 10, 32)
	b, errB := strconv.ParseUint(strings.TrimSpace(right), 10, 32)
	if !ok || errA != nil || errB != nil {
		return 0, 0, errors.New(strconv.Quote(text) + "; want two numbers X,Y")
	}
	return uint32(a), uint32(b), nil
}

// listHistory runs a script and writes the history of a pixel.
func listHistory(ctx context.Context, c console, f *runFlags, file string, h *debug.PixelHistory, to string) error {
	script, err := loadScript(c, file, f.allowOutside)
	if err != nil {
		return unreadable("%s", located(file, err))
	}
	r := amber.Run(ctx, script, f.opts)
	if to == "json" {
		err = writeJSON(c.out, h)
	} else {
		plain.Fprintf(c.out, "%s", plain.Block(h.Text(), ""))
	}
	switch {
	case err != nil:
		return err
	case r.Status != amber.Pass:
		return &coded{exitFindings, file + ": " + string(r.Status) + ": " + r.Message}
	}
	return nil
}
