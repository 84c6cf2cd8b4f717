package main

import (
	"cmp"
	"context"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// satisfaction lists the requirements that a device does not meet.
type satisfaction struct {
	Profile   string   `json:"profile"`
	Satisfies bool     `json:"satisfies"`
	Lacks     []string `json:"lacks"`
	Unknown   []string `json:"unknown"`
}

func requireProfiles(ctx context.Context, c console, f profilesFlags, args []string) error {
	ps, env, err := f.read(c, f.profiles)
	if err != nil {
		return err
	}
	files, err := listFiles(c, args, "", append([]string{".spv", ".spvasm"}, pipelineEndings...)...)
	if err != nil {
		return err
	}
	all, read := &device.Requirements{}, 0
	for _, file := range files {
		modules, err := modulesOf(ctx, c, file, env, f.allowOutside)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // one bad file does not hide the others
			text := located(file, err)
			if isPipelineFile(file) { // its errors have the file and the line already
				text = err.Error()
			}
			plain.Fprintf(c.err, "%s\n", plain.Block(text, "    "))
			continue
		}
		for _, m := range modules {
			r, err := device.Require(ctx, m)
			if err != nil {
				return err
			}
			all.Add(r)
		}
		if isPipelineFile(file) {
			r, err := pipelineNeeds(ctx, c, file, env, f.allowOutside)
			if err != nil && ctx.Err() == nil {
				plain.Fprintf(c.err, "%s\n", plain.Block(err.Error(), "    "))
				continue
			}
			if err != nil {
				return err
			}
			all.Add(r)
		}
		read++
	}
	switch {
	case len(files) == 0:
		return &coded{exitNothing, "no module"}
	case read == 0:
		return &coded{code: exitUsage}
	}
	if err := writeRequirements(c, f, all, ps, env); err != nil || read == len(files) {
		return err
	}
	return &coded{code: exitUsage}
}

// modulesOf reads a module, or those that the description of a pipeline names, with
// the values of their specialization constants.
func modulesOf(ctx context.Context, c console, file string, env *valid.Env, outside bool) (out []*facts.Module, err error) {
	add := func(file string, spec facts.Spec) error {
		data, err := readModule(ctx, c, file, env.Name, outside)
		if err != nil {
			return err
		}
		m, err := decodeModule(data, file, env, nil)
		if err == nil {
			out = append(out, facts.Gather(m, spec))
		}
		return err
	}
	if !isPipelineFile(file) {
		err = add(file, nil)
		return out, err
	}
	data, err := readFile(file)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	_, err = describe.Read(data, file, func(s describe.Stage) (*link.Shader, error) {
		if !filepath.IsAbs(s.File) {
			s.File = filepath.Join(filepath.Dir(file), s.File)
		}
		return &link.Shader{File: s.File, Stage: s.Stage}, add(s.File, s.Specialization)
	})
	return out, err
}

// pipelineNeeds returns the needs of a pipeline by the rules on pipelines.
func pipelineNeeds(ctx context.Context, c console, file string, env *valid.Env, outside bool) (*device.Requirements, error) {
	j := &judge{c: c, f: checkFlags{allowOutside: outside}, env: env, modules: newModuleStore()}
	d, err := j.readPipeline(ctx, file)
	if err != nil {
		return nil, err
	}
	needs, err := link.Require(ctx, d)
	if err != nil {
		return nil, err
	}
	out := &device.Requirements{Features: needs.Features, Limits: map[string]device.Bound{}}
	for name, l := range needs.Limits {
		out.Limits[name] = device.Bound{Value: l.Value, Why: "[" + l.Code + "]"}
	}
	return out, nil
}

// writeRequirements prints the requirements and the devices that meet them.
func writeRequirements(c console, f profilesFlags, all *device.Requirements, ps []device.Profile, env *valid.Env) error {
	have := []satisfaction{}
	bad := 0
	for _, p := range ps {
		lacks, unknown := all.Missing(p.Device, cmp.Or(p.Version, env.Version))
		s := satisfaction{p.Name, len(lacks) == 0, append([]string{}, lacks...), append([]string{}, unknown...)}
		if !s.Satisfies {
			bad++
		}
		have = append(have, s)
	}
	var err error
	if f.format == "json" {
		err = writeJSON(c.out, requirementsRecord(all, have))
	} else {
		writeRequirementsText(c.out, all, have)
	}
	if err == nil && bad > 0 {
		err = &coded{code: exitFindings}
	}
	return err
}

// requirementsRecord returns the JSON form of the requirements.
func requirementsRecord(all *device.Requirements, have []satisfaction) any {
	type declared struct {
		What string   `json:"what"`
		Ways []string `json:"ways"`
	}
	list := []declared{}
	for _, d := range all.Declared {
		one := declared{What: d.What}
		for _, w := range d.Ways {
			one.Ways = append(one.Ways, device.Words([]valid.Way{w}))
		}
		list = append(list, one)
	}
	return map[string]any{"declared": list, "features": all.Features, "limits": all.Limits, "profiles": have}
}

func writeRequirementsText(w io.Writer, all *device.Requirements, have []satisfaction) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, d := range all.Declared {
		plain.Fprintf(t, "%s\t%s\n", d.What, device.Words(d.Ways))
	}
	for _, n := range slices.Sorted(maps.Keys(all.Features)) {
		plain.Fprintf(t, "feature %s\t[%s]\n", n, all.Features[n])
	}
	for _, n := range slices.Sorted(maps.Keys(all.Limits)) {
		if b := all.Limits[n]; device.IsFlags(n) {
			plain.Fprintf(t, "%s ⊇ 0x%x\t%s\n", n, b.Value, b.Why)
		} else {
			plain.Fprintf(t, "%s ≥ %d\t%s\n", n, b.Value, b.Why)
		}
	}
	t.Flush()
	for _, s := range have {
		switch {
		case !s.Satisfies:
			plain.Fprintf(w, "%s: lacks\n    %s\n", s.Profile, plain.Block(strings.Join(s.Lacks, "\n"), "    "))
		case len(s.Unknown) > 0:
			plain.Fprintf(w, "%s: meets all known requirements\n", s.Profile)
		default:
			plain.Fprintf(w, "%s: has it all\n", s.Profile)
		}
		if len(s.Unknown) > 0 {
			plain.Fprintf(w, "  not known\n    %s\n", plain.Block(strings.Join(s.Unknown, "\n"), "    "))
		}
	}
}
