package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// noLaunches returns an error if files of run have a launch beside another file, or PTX.
func noLaunches(files []string) error {
	for _, file := range files {
		switch {
		case isLaunch(file) && len(files) > 1:
			return unreadable("%d files; want one launch, or test, which runs several", len(files))
		case isPTX(file):
			return onlyPTX(file)
		}
	}
	return nil
}

// onlyPTX returns the error that a file is PTX where its launch must be.
func onlyPTX(file string) error {
	return unreadable("%s is PTX; want a description of a launch, NAME.launch.yaml", file)
}

// repeatLaunch runs a launch on each engine of --differential, or in each order of --schedule, and shows the results of the first run.
// Other results of another engine are an internal error, those of another order a failure.
func repeatLaunch(ctx context.Context, c console, f runFlags, file string) error {
	c.read = rememberedInput(c)
	j, err := readLaunch(c, file)
	if err != nil {
		return err
	}
	if _, err := j.shown(f.out); err != nil {
		return err
	}
	x := record{File: file}
	var first *record
	var result error
	all := f.inOrders(ctx, &x, func(ctx context.Context, opts amber.Options) {
		run := f
		run.opts = opts
		run.opts.Digest = true
		failed := x.launch(ctx, c, run, func(j *launchJob, cause error) {
			if first == nil {
				outs, err := j.shown(f.out)
				if err != nil {
					panic(err) // the description is the one above
				}
				result = j.conclude(ctx, c, &f, outs, cause)
			}
		})
		x.report(failed, f.opts.Timeout)
		switch {
		case first == nil:
			if failed != nil {
				result = j.failed(ctx, c, &f, failed)
			}
			copied := x
			first = &copied
		case f.schedule != "" && x.Status == string(amber.Pass):
			if what := first.differs(&x); what != "" {
				x.Status, x.Message = string(amber.Fail), file+": the results depend on the order of invocations: "+what+" differs from that of the first order"
			}
		}
	})
	return f.repeated(ctx, c, &x, all, result)
}

// repeated returns the error of a launch's first run, or else of a later run. all reports whether every order ran.
func (f *runFlags) repeated(ctx context.Context, c console, x *record, all bool, first error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case x.Status == "internal":
		return &coded{exitInternal, x.Message}
	case x.Order != "":
		plain.Fprintf(c.err, "in one of the orders: --schedule=%s runs it again\n", x.Order)
		if first == nil {
			return &coded{exitFindings, x.Message}
		}
	case first == nil && f.schedule != "" && x.Status == string(amber.RanOutOfTime):
		return &coded{exitFindings, fmt.Sprintf("%s: not done after %v, the limit of --timeout", x.File, f.opts.Timeout)}
	case first == nil && f.schedule != "" && x.Status != string(amber.Pass): // a later order could not run
		return &coded{exitUsage, x.Message}
	case first == nil && f.schedule != "":
		plain.Fprintf(c.err, "%s\n", plain.Safe(sameResults(x.Orders, all)))
	}
	return first
}

// rememberedInput returns a function that reads each file once, and standard input too.
func rememberedInput(c console) func(name string) ([]byte, error) {
	files := map[string][]byte{}
	return func(name string) ([]byte, error) {
		data, known := files[name]
		if known {
			return slices.Clone(data), nil
		}
		data, err := readInput(c, name)
		if exit := (*coded)(nil); errors.As(err, &exit) {
			err = errors.New(exit.msg)
		}
		if err == nil {
			files[name] = slices.Clone(data)
		}
		return data, err
	}
}
