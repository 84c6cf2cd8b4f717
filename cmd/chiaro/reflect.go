package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// reflectFlags are the flags of reflect.
type reflectFlags struct {
	format, entry, targetEnv string
	reading                  facts.Reading
	spec                     []string
	allowOutside             bool
}

var reflectFormats = []string{"text", "json", "yaml"}

func newReflect(c console) *cobra.Command {
	var f reflectFlags
	cmd := &cobra.Command{
		Use:   "reflect [FILE|-]...",
		Short: "Show the interface of each entry point",
		Long: `Show the inputs and outputs of an entry point, its resources with the layout of their blocks, its push
constants, specialization constants and workgroup size, and the parts of them that the code uses.
The command check checks the module; reflect does not.

` + sourceUsage,
		Example: "  chiaro reflect shader.spv\n  chiaro reflect --spec 0=64 --format yaml shader.spv",
		Args:    cobra.MinimumNArgs(1),
		RunE:    stoppable(func(ctx context.Context, args []string) error { return reflectFiles(ctx, c, f, args) }),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "output format: "+strings.Join(reflectFormats, ", "))
	fl.StringVar(&f.entry, "entry", "", "show only the entry points of this name")
	fl.StringVar(&f.targetEnv, "target-env", "vulkan1.4", "target environment of the assembler")
	addReading(cmd, &f.reading)
	fl.StringArrayVar(&f.spec, "spec", nil, "value of a specialization constant: ID=VALUE; repeatable")
	outsideFlag(fl, &f.allowOutside)
	complete(cmd, "format", reflectFormats...)
	complete(cmd, "target-env", asm.Targets()...)
	return cmd
}

// reflected is one module in machine output.
type reflected struct {
	File    string         `json:"file"`
	Entries []*iface.Entry `json:"entryPoints"`
}

func reflectFiles(ctx context.Context, c console, f reflectFlags, files []string) error {
	env, ok := valid.ParseEnv(f.targetEnv)
	if !ok {
		return unreadable("--target-env %q: must be one such as vulkan1.3 or spv1.6", f.targetEnv)
	}
	spec, err := specValues(f.spec)
	if err != nil {
		return err
	}
	all := []reflected{}
	entries, bad := 0, 0
	var names []string
	for _, file := range files {
		data, err := readModule(ctx, c, file, env.Name, f.allowOutside)
		var m *spirv.Module
		if err == nil {
			if m, err = decodeModule(data, file, env, nil); err != nil {
				err = errors.New(located(file, err))
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // one bad file does not hide the others
			plain.Fprintf(c.err, "%s\n", plain.Block("chiaro: "+err.Error(), "    "))
			bad++
			continue
		}
		r := reflected{file, []*iface.Entry{}}
		list, err := reflectWith(m, spec, f.reading)
		if err != nil {
			return unreadable("%s: %v", file, err)
		}
		for _, e := range list {
			names = append(names, e.Name)
			if f.entry == "" || f.entry == e.Name {
				r.Entries = append(r.Entries, e)
			}
		}
		entries += len(r.Entries)
		all = append(all, r)
	}
	if err := writeReflected(c.out, f.format, all); err != nil {
		return err
	}
	switch {
	case bad > 0:
		return &coded{exitUsage, ""}
	case entries == 0:
		if len(names) > 0 {
			slices.Sort(names)
			return &coded{exitNothing, fmt.Sprintf("no entry point %q; the module has %s", f.entry, strings.Join(slices.Compact(names), ", "))}
		}
		return &coded{exitNothing, "no entry point"}
	}
	return nil
}

// reflectWith reflects a module with values of specialization constants.
func reflectWith(m *spirv.Module, values describe.Values, reading facts.Reading) ([]*iface.Entry, error) {
	spec := values.Spec()
	list := iface.ReflectReading(valid.Assume(facts.Gather(m, spec)), reading)
	if len(list) == 0 {
		return nil, nil
	}
	fit, other, err := values.Fit(list[0]) // all entry points have the constants of the module
	if other && err == nil {
		list = iface.ReflectReading(valid.Assume(facts.Gather(m, fit)), reading)
	}
	if err == nil && list[len(list)-1].Incomplete {
		err = errIncomplete
	}
	return list, err
}

// errIncomplete reports iface.Entry.Incomplete.
var errIncomplete = errors.New("the entry points list too many variables, members and constants in all; must be at most 2097152")

// specValues reads the values of specialization constants: decimal or
// hexadecimal integers, floats, true or false.
func specValues(list []string) (describe.Values, error) {
	out := describe.Values{}
	for _, s := range list {
		id, value, ok := strings.Cut(s, "=")
		n, err := strconv.ParseUint(id, 0, 32)
		_, known := describe.SpecBits(value)
		if !ok || err != nil || !known {
			return nil, unreadable("--spec %q: must be ID=VALUE, both numbers", s)
		}
		out[uint32(n)] = value
	}
	return out, nil
}

func writeReflected(w io.Writer, format string, all []reflected) error {
	switch format {
	case "text":
		for _, r := range all {
			for _, e := range r.Entries {
				writeEntry(w, r.File, e)
			}
		}
		return nil
	case "json", "yaml":
		data, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		data = plain.JSON(data)
		if format == "yaml" {
			text, err := yaml.JSONToYAML(data)
			if err != nil {
				return err
			}
			if lines := strings.TrimRight(string(text), "\n"); string(plain.Block(lines, "")) == lines {
				data = []byte(lines) // else the JSON, which is YAML too
			}
		}
		_, err = fmt.Fprintf(w, "%s\n", data)
		return err
	}
	return unreadable("--format %q: must be %s", format, strings.Join(reflectFormats, ", "))
}
