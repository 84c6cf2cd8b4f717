package main

import (
	"context"
	"fmt"
	"io"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/debug"
	"github.com/chiaro-gpu/chiaro/internal/profile"
)

// trace runs the file again with the interpreter, and counts the instructions of the invocations of dispatches and their accesses of
// buffers. What the run prints was printed before.
func (x *profiled) trace(ctx context.Context, c console, f runFlags) error {
	t := debug.Trace{}
	if err := f.checkHooked(c); err != nil {
		return err
	}
	f.opts.Workers, f.opts.Debugger, f.opts.Lowering.Profile, f.jobs = 1, &t, false, 1
	c.out, c.err = io.Discard, io.Discard
	if x.from != nil {
		if r := amber.Run(ctx, x.from, f.opts); r.Status != amber.Pass {
			return &coded{exitFindings, fmt.Sprintf("%s: the run that counts invocations: %s: %s", x.file, r.Status, r.Message)}
		}
	} else {
		job, err := readShader(ctx, c, &f, x.file)
		if err == nil {
			err = job.run(ctx, c, &f, func(*shaderDevice) error { return nil })
		}
		if err != nil {
			return err
		}
	}
	for _, s := range t.Stages {
		x.profile.Dispatches = append(x.profile.Dispatches, dispatchesOf(s))
	}
	return nil
}

// dispatchesOf returns the counts of a stage for the profile.
func dispatchesOf(s *debug.StageTrace) profile.Dispatches {
	d := profile.Dispatches{
		Entry: s.Stage.Program.Name, Number: s.Dispatches, Invocations: s.Invocations, Total: s.Total, Most: s.Most,
		Longest: []profile.Invocation{}, Buffers: []profile.Buffer{},
	}
	if s.Invocations > 0 {
		d.Least = s.Least
	}
	for _, i := range s.Longest {
		d.Longest = append(d.Longest, profile.Invocation{Dispatch: i.Dispatch, Workgroup: i.Group, Local: i.Local, Instructions: i.Count})
	}
	for _, b := range s.Buffers {
		name := "workgroup memory"
		if !b.Workgroup {
			name = fmt.Sprintf("set %d, binding %d", b.Set, b.Binding)
			if b.Element > 0 {
				name += fmt.Sprintf(", element %d", b.Element)
			}
		}
		d.Buffers = append(d.Buffers, profile.Buffer{
			Name: name, Loads: b.Loads, Stores: b.Stores, Atomics: b.Atomics, Read: b.Read, Written: b.Written, Lines: b.Lines, Transfers: b.Transfers,
			Contended: b.Contended, Serial: b.Serial,
		})
	}
	return d
}
