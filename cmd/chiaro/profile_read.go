package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/self"
	"github.com/chiaro-gpu/chiaro/valid"
)

// profileUsage describes the names of profiles in help texts.
const profileUsage = "min, max, self, min1.0 to min1.4, VP_KHR_roadmap_2022, 2024 and 2026, a file of profiles or a pattern of such, or FILE#NAME for one of a file"

// builtinProfiles are the names of profiles that need no file.
func builtinProfiles() []string { return slices.Insert(device.BuiltinNames(), 2, "self") }

// builtinProfile returns a profile that needs no file.
func builtinProfile(name string, v valid.Version) (device.Profile, bool) {
	if name == "self" {
		return self.Profile(), true
	}
	return device.Builtin(name, v)
}

// chosen is an argument that names profiles of a file.
type chosen struct{ file, pattern string }

// readProfiles returns the profiles that the arguments name, in order and without
// duplicates. v is the version of Vulkan of "min". Warnings go to the console.
func readProfiles(c console, args []string, v valid.Version) ([]device.Profile, error) {
	var sources []device.Source
	var order []any // device.Profile or chosen
	for _, a := range args {
		if p, ok := builtinProfile(a, v); ok {
			order = append(order, p)
			continue
		}
		files, pattern, err := profileFiles(a)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			order = append(order, chosen{f, pattern})
			if slices.ContainsFunc(sources, func(s device.Source) bool { return s.Name == f }) {
				continue
			}
			data, err := readInput(c, f)
			if err != nil {
				return nil, err
			}
			sources = append(sources, device.Source{Name: f, Data: data})
		}
	}
	read, warnings, err := device.Read(sources...)
	if err != nil {
		return nil, unreadable("%v", err)
	}
	for _, w := range warnings {
		plain.Fprintf(c.err, "%s\n", w)
	}
	var out []device.Profile
	add := func(p device.Profile) {
		for _, have := range out {
			if have.Name == p.Name && have.File != p.File { // the file tells them apart
				p.Name = p.File + "#" + p.Name
				p.Device.Name = p.Name
			}
			if have.Name == p.Name && have.File == p.File {
				return
			}
		}
		out = append(out, p)
	}
	for _, o := range order {
		if p, ok := o.(device.Profile); ok {
			add(p)
			continue
		}
		want, found := o.(chosen), false
		for _, p := range read {
			if p.File == want.file && matches(want.pattern, p.Name) {
				found = true
				add(p)
			}
		}
		if !found {
			return nil, unreadable("%s: no profile %s", want.file, want.pattern)
		}
	}
	return out, nil
}

// matches reports whether pattern matches name, or the name of the profile that it is
// an alternative of.
func matches(pattern, name string) bool {
	whole, _, _ := strings.Cut(name, "/")
	for _, n := range []string{name, whole} {
		if ok, _ := path.Match(pattern, n); ok || pattern == n {
			return true
		}
	}
	return pattern == "*"
}

// profileFiles returns the files that an argument names, and which of their
// profiles.
func profileFiles(arg string) (files []string, pattern string, err error) {
	if _, err := os.Stat(arg); err == nil || arg == "-" {
		return []string{arg}, "*", nil
	}
	name, pattern := arg, "*"
	if i := strings.LastIndexByte(arg, '#'); i >= 0 {
		name, pattern = arg[:i], arg[i+1:]
	}
	if _, err := os.Stat(name); err == nil || name == "-" {
		return []string{name}, pattern, nil
	}
	files, err = filepath.Glob(name)
	switch {
	case err == nil && len(files) > 0:
	case strings.ContainsAny(name, "*?["):
		return nil, "", unreadable("%s: matches no file", name)
	case strings.ContainsAny(name, "./\\"):
		return nil, "", unreadable("%s: no such file", name)
	default:
		return nil, "", unreadable("unknown device %q; want %s", arg, profileUsage)
	}
	return files, pattern, nil
}
