package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/schedule"
)

// addSchedule adds --schedule.
func addSchedule(cmd *cobra.Command, text *string) {
	cmd.Flags().StringVar(text, "schedule", "", `run again in other orders of workgroups, subgroups and invocations that Vulkan permits, with the interpreter:
random[:COUNT[:SEED]], all[:COUNT] for small dispatches; seed=SEED or order=… as a failure shows it`)
	complete(cmd, "schedule", "random", "all")
}

// inOrders calls run, which sets the result of a record: once, or with --schedule for each order until one does not pass. --timeout
// is for all orders together. It reports whether every order of the run was among them.
func (f *runFlags) inOrders(ctx context.Context, x *record, run func(ctx context.Context, opts amber.Options)) (all bool) {
	opts := f.opts
	switch {
	case f.differential:
		f.onEngines(ctx, x, run)
		return false
	case f.schedule == "":
		run(ctx, opts)
		return false
	}
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
		opts.Timeout = 0
	}
	x.Orders, all = f.plan.Run(func(o schedule.Order, choices func(int) int) bool {
		opts.Schedule = choices
		run(ctx, opts)
		if x.Status != "pass" && x.Status != "error" && x.Status != "unsupported" && ctx.Err() == nil {
			x.Order = o.String()
		}
		return x.Status == "pass"
	})
	return all
}

// runInOrders runs a compute shader in the orders of --schedule. Results that depend on the order are a failure.
func runInOrders(ctx context.Context, c console, f *runFlags, job *shaderJob, outs []shaderOutput) error {
	var first [][]byte
	initial := [][]byte{}
	users := job.users()
	for _, x := range users {
		initial = append(initial, bytes.Clone(x.data))
	}
	quiet := c
	quiet.out = io.Discard
	var failed error
	n, all := f.plan.Run(func(o schedule.Order, choices func(int) int) bool {
		for i, x := range users {
			x.data, x.beside = bytes.Clone(initial[i]), nil
		}
		job.push, job.banks, job.log = nil, nil, nil
		f.opts.Schedule = choices
		failed = job.run(ctx, quiet, f, func(*shaderDevice) error {
			if first == nil {
				for _, out := range outs {
					first = append(first, bytes.Clone(out.data))
				}
				return job.write(c, f.format, job.source.file, outs)
			}
			for i, out := range outs {
				if k, differs := differing(first[i], out.data, out.kind.size); differs {
					return &coded{exitFindings, fmt.Sprintf("%s: the results depend on the order of invocations: %s[%d] is %s, and %s in the first order",
						job.source.file, out.name, k, out.kind.text(out.data[k*out.kind.size:]), out.kind.text(first[i][k*out.kind.size:]))}
				}
			}
			return nil
		})
		if failed == nil && len(job.reports.List()) > 0 {
			failed = &coded{code: exitFindings}
		}
		if failed != nil && ctx.Err() == nil {
			plain.Fprintf(c.err, "in one of the orders: --schedule=%s runs it again\n", o.String())
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	plain.Fprintf(c.err, "%s\n", plain.Safe(sameResults(n, all)))
	return nil
}

// sameResults returns the text for orders with the same results. all reports whether no other orders exist.
func sameResults(orders int, all bool) string {
	switch words := number(orders, "order"); {
	case all:
		return words + " with the same results: all that exist"
	case orders == 1:
		return words + " ran"
	default:
		return words + " with the same results"
	}
}

// differing returns the first value of some size that differs.
func differing(a, b []byte, size int) (k int, differs bool) {
	if slices.Equal(a, b) {
		return 0, false
	}
	for k = range min(len(a), len(b)) / size {
		if !slices.Equal(a[k*size:(k+1)*size], b[k*size:(k+1)*size]) {
			return k, true
		}
	}
	return 0, false
}
