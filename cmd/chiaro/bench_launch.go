package main

import (
	"context"
	"strings"

	"github.com/chiaro-gpu/chiaro/vk"
)

// launchName returns the name of a launch in a report.
func launchName(file string) string {
	for _, e := range launchEndings {
		file = strings.TrimSuffix(file, e)
	}
	return file
}

// checkLaunchFlags refuses the flags of bench that set a value which a description of a launch has.
func (f *benchFlags) checkLaunchFlags() error {
	given := map[string]bool{"-b and -i": len(f.resources) > 0, "-g": f.groups != "1", "--base": f.base != "", "-p": f.push != "", "-s": len(f.specialize) > 0}
	for _, name := range []string{"-b and -i", "-g", "--base", "-p", "-s"} {
		if given[name] {
			return unreadable("%s with a launch; the description must have the values", name)
		}
	}
	return nil
}

// launch makes the job of a launch: a device, the buffers, which have numbers in the order of their names, the module and the kernel.
func (f *benchFlags) launch(ctx context.Context, d *benchDevice, j *launchJob) (*benchJob, error) {
	options, err := f.lowering()
	if err == nil {
		err = d.make(ctx, f.threads, options)
	}
	if err != nil {
		return nil, err
	}
	s := &shaderDevice{device: d.device, job: &j.shaderJob, buffers: map[*content]*vk.Buffer{}}
	if err := s.allocate(); err != nil {
		return nil, err
	}
	if err := j.resolveAddresses(s); err != nil {
		return nil, err
	}
	if err := j.makeImages(s); err != nil {
		return nil, err
	}
	for _, m := range j.memory {
		d.contents = append(d.contents, func() ([]byte, error) { return m.data, nil })
	}
	return &benchJob{bench: d, groups: j.grid, launch: j}, nil
}

// benchLaunch times a launch, and compares its buffers with the expectations after the first one.
func benchLaunch(ctx context.Context, c console, f benchFlags, file string) error {
	if err := f.checkLaunchFlags(); err != nil {
		return err
	}
	engine, err := f.engine.choose(c)
	if err != nil {
		return err
	}
	j, err := readLaunch(c, file)
	if err != nil {
		return err
	}
	defer f.spare()()
	defer collectSeldom(compilePercent)()
	d := &benchDevice{engine: &watchedEngine{Engine: engine}}
	job, err := f.launch(ctx, d, j)
	if d.device != nil {
		defer d.device.Close()
	}
	if err != nil {
		return benchError(ctx, c, file, err)
	}
	r := benchReport{Name: f.name, K: f.batch, ModuleBytes: len(j.text)}
	return f.time(ctx, c, file, &r, job)
}
