package device

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/valid"
)

// Profile is one device that a module can be judged against.
type Profile struct {
	// Name is the name of the profile; of one that is a choice between blocks,
	// "NAME/BLOCK", with + between the blocks of several choices.
	Name string `json:"name"`

	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
	File        string `json:"file,omitempty"` // "" of a built-in profile

	// Version is the version of Vulkan; 0 selects the version of the check.
	Version valid.Version `json:"-"`
	Device  *valid.Device `json:"-"`
}

// Source is a file of profiles.
type Source struct {
	Name string // for messages
	Data []byte
}

// The bounds of the contents of files.
const (
	maxProfiles = 1024    // profiles, a choice counted as several
	maxFacts    = 1 << 21 // features, limits and extensions of all profiles together
)

// Read returns the profiles of files, in order of the files and of the names in
// each, and warnings about ignored parts. A profile may require profiles of
// other files. The error names the file and the path of the first fault, or line
// and column if the file is no JSON.
func Read(sources ...Source) (profiles []Profile, warnings []string, err error) {
	s := resolver{known: map[string]*written{}, done: map[string][]choiceOf{}}
	var all []*written
	for _, f := range sources {
		r, err := parse(f.Name, f.Data)
		if err != nil {
			return nil, nil, err
		}
		warnings = append(warnings, r.warnings...)
		if r.left > 0 {
			warnings = append(warnings, fmt.Sprintf("%s: warning: %d further warnings are left out", r.name, r.left))
		}
		for _, w := range r.profiles {
			if other := s.known[w.name]; other == nil {
				s.known[w.name] = w
			} else if other.from.name != w.from.name {
				warnings = append(warnings, fmt.Sprintf("%s: warning: profiles.%s: also in %s, which is used if another profile requires it", w.from.name, w.name, other.from.name))
			}
			all = append(all, w)
		}
	}
	for _, w := range all {
		ps, err := s.profiles(w)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: error: profiles.%s%w", w.from.name, w.name, err)
		}
		profiles = append(profiles, ps...)
		if len(profiles) > maxProfiles {
			return nil, nil, fmt.Errorf("%s: error: profiles%w", w.from.name, errTooMany)
		}
	}
	return profiles, warnings, nil
}

var errTooMany = fmt.Errorf(": more than %d profiles, choices counted, or %d features, limits and extensions in them", maxProfiles, maxFacts)

// choiceOf is one way to choose among the blocks of a profile.
type choiceOf struct {
	blocks []string // those that were chosen
	what   *block
}

// resolver merges blocks and required profiles.
type resolver struct {
	known map[string]*written
	done  map[string][]choiceOf // of profiles that others require
	path  []string              // the profiles that are being merged
	facts int
}

// profiles returns the devices that a profile describes.
func (s *resolver) profiles(w *written) ([]Profile, error) {
	v, err := version(w.version)
	if err != nil {
		return nil, err
	}
	choices, err := s.choices(w)
	if err != nil {
		return nil, err
	}
	var out []Profile
	for _, c := range choices {
		p := Profile{Name: w.name, Label: w.label, Description: w.description, File: w.from.name, Version: v}
		if len(c.blocks) > 0 {
			p.Name += "/" + strings.Join(c.blocks, "+")
		}
		p.Device, _ = valid.BuiltinDevice("min", v)
		p.Device.Name, p.Device.Extensions = p.Name, c.what.extensions
		if maps.Copy(p.Device.VertexFormats, c.what.vertex); c.what.vertex == nil {
			p.Device.VertexFormats = nil
		}
		maps.Copy(p.Device.Features, c.what.features)
		maps.Copy(p.Device.Limits, c.what.limits)
		c.what.keepLists(p.Device)
		if s.facts += len(p.Device.Features) + len(p.Device.Limits); s.facts > maxFacts {
			return nil, errTooMany
		}
		out = append(out, p)
	}
	return out, nil
}

// deepest is the maximum number of profiles between a profile and one that it
// requires.
const deepest = 64

// choices returns the ways to choose among the blocks of a profile and of those
// that it requires.
func (s *resolver) choices(w *written) ([]choiceOf, error) {
	if slices.Contains(s.path, w.name) {
		return nil, fmt.Errorf(".profiles: requires itself: %s", strings.Join(append(s.path, w.name), " requires "))
	}
	if len(s.path) > deepest {
		return nil, fmt.Errorf(".profiles: requires others through more than %d profiles", deepest)
	}
	s.path = append(s.path, w.name)
	defer func() { s.path = s.path[:len(s.path)-1] }()
	out := []choiceOf{{nil, newBlock()}}
	for _, name := range w.required {
		other := s.known[name]
		if other == nil {
			return nil, fmt.Errorf(".profiles: requires %q, which no file has; name the file that has it too", name)
		}
		more, ok := s.done[name]
		if !ok {
			var err error
			if more, err = s.choices(other); err != nil {
				return nil, err
			}
			s.done[name] = more
		}
		var err error
		if out, err = s.product(out, more); err != nil {
			return nil, err
		}
	}
	for _, names := range w.blocks {
		var more []choiceOf
		for _, n := range names {
			c := choiceOf{nil, w.from.blocks[n]}
			if len(names) > 1 {
				c.blocks = []string{n}
			}
			more = append(more, c)
		}
		var err error
		if out, err = s.product(out, more); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// product returns each way of one list with each of another.
func (s *resolver) product(a, b []choiceOf) ([]choiceOf, error) {
	if len(a)*len(b) > maxProfiles {
		return nil, errTooMany
	}
	var out []choiceOf
	for _, x := range a {
		for _, y := range b {
			n := choiceOf{slices.Concat(x.blocks, y.blocks), x.what}
			if len(b) > 1 { // else x has no other use
				n.what = newBlock()
				n.what.add(x.what)
				s.facts += x.what.size()
			}
			n.what.add(y.what)
			if s.facts += y.what.size(); s.facts > maxFacts {
				return nil, errTooMany
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// version reads "1.3.204"; a later one than is known is the last that is.
func version(s string) (valid.Version, error) {
	parts := strings.Split(s, ".")
	if len(parts) == 4 { // with the variant, which is 0 of Vulkan
		parts = parts[1:]
	}
	var n [3]uint64
	if len(parts) < 2 || len(parts) > 3 {
		return 0, fmt.Errorf(".api-version: %q, must be one such as \"1.3.204\"", s)
	}
	for i, p := range parts {
		var err error
		if n[i], err = strconv.ParseUint(p, 10, 16); err != nil {
			return 0, fmt.Errorf(".api-version: %q, must be one such as \"1.3.204\"", s)
		}
	}
	if n[0] != 1 {
		return 0, fmt.Errorf(".api-version: %q, must be one of Vulkan 1", s)
	}
	return valid.Vulkan10 + valid.Version(min(n[1], 4)), nil
}

// BuiltinNames returns the names that Builtin knows.
func BuiltinNames() []string {
	return []string{"min", "max", "min1.0", "min1.1", "min1.2", "min1.3", "min1.4", roadmapName + "2022", roadmapName + "2024", roadmapName + "2026"}
}

// Builtin returns a profile that needs no file. The profile min has the features
// and limits that the version v of Vulkan requires of every device, min1.0 to
// min1.4 those of the named version, and max has every feature and every extension.
// VP_KHR_roadmap_2022 to VP_KHR_roadmap_2026 are the profiles of that name by Khronos.
// It returns false for any other name.
func Builtin(name string, v valid.Version) (Profile, bool) {
	p := Profile{Name: name}
	if year, ok := strings.CutPrefix(name, roadmapName); ok {
		return milestoneProfile(year)
	}
	switch kind, number, _ := strings.Cut(name, "1."); {
	case name == "max":
		p.Label = "every feature and extension on, no limit known"
	case name == "min":
		p.Label = "the minimum of every device of the checked version of Vulkan"
	case kind == "min" && len(number) == 1 && number[0] >= '0' && number[0] <= '4':
		p.Version = valid.Vulkan10 + valid.Version(number[0]-'0')
		v, p.Label = p.Version, "the minimum of every device of Vulkan 1."+number
	default:
		return Profile{}, false
	}
	kind, _, _ := strings.Cut(name, "1.")
	p.Device, _ = valid.BuiltinDevice(kind, v)
	p.Device.Name = name
	return p, true
}
