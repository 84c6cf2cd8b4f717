package main

import (
	"bytes"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/profile"
	"github.com/chiaro-gpu/chiaro/vk"
)

// coverage collects the counts of the shaders of tests, and writes them at the end. It is a reporter.
type coverage struct {
	c    console
	outs [][2]string // formats and files
	all  profile.Profile
}

// openCoverage reads --coverage; nil without it.
func openCoverage(c console, list []string) (*coverage, error) {
	if len(list) == 0 {
		return nil, nil
	}
	x := &coverage{c: c}
	for _, o := range list {
		format, file, ok := strings.Cut(o, "=")
		if !ok || file == "" || format != "lcov" && format != "cobertura" {
			return nil, unreadable("--coverage %q; want lcov=FILE or cobertura=FILE", o)
		}
		if isStandard(file) {
			return nil, unreadable("--coverage %s to standard output, which has the report of --format; want a file", format)
		}
		x.outs = append(x.outs, [2]string{format, file})
	}
	return x, nil
}

// Record adds the shaders of a test.
func (x *coverage) Record(r record) {
	if r.ran == nil {
		return
	}
	for _, s := range r.ran.stages {
		if s.Kernel != nil {
			x.all.Add(profile.OfKernel(s.Kernel, s.SubgroupSize, s.Counters, r.ran.place))
			continue
		}
		one := profiled{file: r.File, from: r.ran.script}
		module := checked{file: r.File}
		if m, ok := r.ran.modules[amber.StageOf(s.Entry.Model).String()]; ok {
			module = m
		}
		one.add([]vk.StageProfile{s}, module)
		for _, s := range one.profile.Stages {
			x.all.Add(s)
		}
	}
}

// Close writes the files.
func (x *coverage) Close(tally) error {
	for _, o := range x.outs {
		var b bytes.Buffer
		write := x.all.LCOV
		if o[0] == "cobertura" {
			write = x.all.Cobertura
		}
		if err := write(&b); err != nil {
			return err
		}
		if err := writeOutput(x.c, o[1], b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
