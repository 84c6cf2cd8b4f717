package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/valid"
)

// profilesFlags are the flags of profiles and its subcommands.
type profilesFlags struct {
	format, targetEnv string
	profiles          []string
	allowOutside      bool
}

func newProfiles(c console) *cobra.Command {
	var f profilesFlags
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "List, show and compare device profiles, and list the requirements of modules",
		Long: `A profile describes a device: its features, limits and extensions. Profiles are built in (min, max, self,
min1.0 to min1.4, VP_KHR_roadmap_2022, 2024 and 2026) or come from files of Vulkan profiles (the schemas profiles-0.8), which
vulkaninfo --json writes too.`,
	}
	fl := cmd.PersistentFlags()
	fl.StringVar(&f.format, "format", "text", "output format: text, json")
	fl.StringVar(&f.targetEnv, "target-env", "vulkan1.4", "version of Vulkan of the profile min and of the assembler")
	list := &cobra.Command{Use: "list [PROFILE]...", Short: "List the built-in profiles, or the profiles of files",
		Example: "  chiaro profiles list devices/*.json",
		RunE:    stoppable(func(_ context.Context, args []string) error { return listProfiles(c, f, args) })}
	show := &cobra.Command{Use: "show PROFILE...", Short: "Show features, limits and extensions", Args: cobra.MinimumNArgs(1),
		RunE: stoppable(func(_ context.Context, args []string) error { return showProfiles(c, f, args) })}
	diff := &cobra.Command{Use: "diff A B", Short: "Show the differences of two profiles; the exit code is 1 if there are any", Args: cobra.ExactArgs(2),
		RunE: stoppable(func(_ context.Context, args []string) error { return diffProfiles(c, f, args) })}
	requires := &cobra.Command{Use: "requires FILE...", Short: "List the requirements of modules or pipelines, and the profiles that meet them", Args: cobra.MinimumNArgs(1),
		Long: `List the versions, extensions, features and limits that modules and pipelines need of a device, and those that each
profile of --profile lacks. The exit code is 1 if a profile lacks one.`,
		Example: "  chiaro profiles requires --profile 'devices/*.json' shaders/",
		RunE:    stoppable(func(ctx context.Context, args []string) error { return requireProfiles(ctx, c, f, args) })}
	requires.Flags().StringArrayVar(&f.profiles, "profile", nil, "device profile to compare with, repeatable: "+profileUsage)
	outsideFlag(requires.Flags(), &f.allowOutside)
	for _, sub := range []*cobra.Command{list, show, diff, requires} {
		complete(sub, "format", "text", "json")
		cmd.AddCommand(sub)
	}
	complete(requires, "profile", builtinProfiles()...)
	return cmd
}

// environment returns the target environment, which must be of Vulkan.
func (f *profilesFlags) environment() (*valid.Env, error) {
	if f.format != "text" && f.format != "json" {
		return nil, unreadable("--format %q: must be text or json", f.format)
	}
	env, ok := valid.ParseEnv(f.targetEnv)
	if !ok || env.API != valid.Vulkan {
		return nil, unreadable("--target-env %q: must be one such as vulkan1.3", f.targetEnv)
	}
	return env, nil
}

// read returns the profiles that are named.
func (f *profilesFlags) read(c console, names []string) ([]device.Profile, *valid.Env, error) {
	env, err := f.environment()
	if err != nil {
		return nil, nil, err
	}
	ps, err := readProfiles(c, names, env.Version)
	return ps, env, err
}

// versionName is how a profile's version of Vulkan is shown.
func versionName(p device.Profile) string {
	if p.Version == 0 {
		return "any"
	}
	return p.Version.String()
}

// listedProfile is a profile in the JSON of list.
type listedProfile struct {
	device.Profile
	Vulkan string `json:"vulkan"`
}

func listProfiles(c console, f profilesFlags, names []string) error {
	if len(names) == 0 {
		names = builtinProfiles()
	}
	ps, _, err := f.read(c, names)
	if err != nil {
		return err
	}
	if f.format == "json" {
		all := []listedProfile{}
		for _, p := range ps {
			all = append(all, listedProfile{Profile: p, Vulkan: versionName(p)})
		}
		return writeJSON(c.out, all)
	}
	t := tabwriter.NewWriter(c.out, 0, 8, 2, ' ', 0)
	for _, p := range ps {
		plain.Fprintf(t, "%s\tVulkan %s\t%s\n", p.Name, versionName(p), p.Label)
	}
	return t.Flush()
}

// extensionsOn returns the extensions of a device in order.
func extensionsOn(d *valid.Device) []string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(d.Extensions)) {
		if d.Extensions[n] {
			out = append(out, n)
		}
	}
	return out
}

// others describes the values that a device does not name.
func others(d *valid.Device) string {
	switch {
	case !d.AllOthers:
		return "unknown"
	case d.Others:
		return "on"
	}
	return "off"
}

func showProfiles(c console, f profilesFlags, names []string) error {
	ps, _, err := f.read(c, names)
	if err != nil {
		return err
	}
	if f.format == "json" {
		all := []map[string]any{}
		for _, p := range ps {
			all = append(all, map[string]any{"name": p.Name, "label": p.Label, "description": p.Description, "file": p.File, "vulkan": versionName(p),
				"features": p.Device.Features, "limits": limitValues(p.Device), "extensions": extensionsOn(p.Device), "others": others(p.Device)})
		}
		return writeJSON(c.out, all)
	}
	for _, p := range ps {
		plain.Fprintf(c.out, "%s: Vulkan %s\n", p.Name, versionName(p))
		for _, line := range []string{p.Label, p.Description} {
			if line != "" {
				plain.Fprintf(c.out, "  %s\n", line)
			}
		}
		plain.Fprintf(c.out, "  features and extensions that are not named are %s\n", others(p.Device))
		for _, on := range []bool{true, false} {
			plain.Fprintf(c.out, "  features %s\n", map[bool]string{true: "on", false: "off"}[on])
			for _, n := range slices.Sorted(maps.Keys(p.Device.Features)) {
				if p.Device.Features[n] == on {
					plain.Fprintf(c.out, "    %s\n", n)
				}
			}
		}
		fmt.Fprintln(c.out, "  extensions")
		for _, n := range extensionsOn(p.Device) {
			plain.Fprintf(c.out, "    %s\n", n)
		}
		fmt.Fprintln(c.out, "  limits")
		for _, n := range slices.Sorted(maps.Keys(p.Device.Limits)) {
			plain.Fprintf(c.out, "    %s %s\n", n, limitText(n, p.Device.Limits[n]))
		}
	}
	return nil
}

// limitText shows a limit; some are below zero.
func limitText(name string, v uint64) string {
	if device.Signed(name) {
		return strconv.FormatInt(int64(v), 10)
	}
	if device.Floating(name) {
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	}
	return strconv.FormatUint(v, 10)
}

// limitValues are the limits as JSON numbers.
func limitValues(d *valid.Device) map[string]json.Number {
	out := map[string]json.Number{}
	for n, v := range d.Limits {
		out[n] = json.Number(limitText(n, v))
	}
	return out
}

// difference is one thing that two profiles do not have alike.
type difference struct {
	Kind string `json:"kind"` // "feature", "extension", "limit"
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

func diffProfiles(c console, f profilesFlags, names []string) error {
	var two []device.Profile
	for _, n := range names {
		ps, _, err := f.read(c, []string{n})
		if err != nil {
			return err
		}
		if len(ps) != 1 {
			return unreadable("%s: %d profiles, must be one; name it as FILE#NAME", n, len(ps))
		}
		two = append(two, ps[0])
	}
	found := differences(two[0], two[1])
	var err error
	if f.format == "json" {
		err = writeJSON(c.out, map[string]any{"a": two[0], "b": two[1], "differences": found})
	} else {
		t := tabwriter.NewWriter(c.out, 0, 8, 2, ' ', 0)
		if len(found) > 0 {
			plain.Fprintf(t, "\t\t%s\t%s\n", two[0].Name, two[1].Name)
		}
		for _, d := range found {
			plain.Fprintf(t, "%s\t%s\t%s\t%s\n", d.Kind, d.Name, d.A, d.B)
		}
		err = t.Flush()
	}
	if err == nil && len(found) > 0 {
		err = &coded{code: exitFindings}
	}
	return err
}

// differences compares two devices.
func differences(a, b device.Profile) []difference {
	out := []difference{}
	add := func(kind string, name string, x, y string) {
		if x != y {
			out = append(out, difference{kind, name, x, y})
		}
	}
	add("version", "Vulkan", versionName(a), versionName(b))
	state := func(d *valid.Device, m map[string]bool, name string) string {
		on, ok := m[name]
		switch {
		case !ok:
			return others(d)
		case on:
			return "on"
		}
		return "off"
	}
	for _, kind := range []struct {
		name string
		x, y map[string]bool
	}{{"feature", a.Device.Features, b.Device.Features}, {"extension", a.Device.Extensions, b.Device.Extensions}} {
		for _, n := range both(kind.x, kind.y) {
			add(kind.name, n, state(a.Device, kind.x, n), state(b.Device, kind.y, n))
		}
	}
	value := func(d *valid.Device, name string) string {
		if v, ok := d.Limits[name]; ok {
			return limitText(name, v)
		}
		return "unknown"
	}
	for _, n := range both(a.Device.Limits, b.Device.Limits) {
		add("limit", n, value(a.Device, n), value(b.Device, n))
	}
	return out
}

// both returns the keys of two maps in order.
func both[V any](x, y map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(keys)
	return slices.Compact(keys)
}
