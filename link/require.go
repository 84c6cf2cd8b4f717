package link

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/valid"
)

// Needs is what a pipeline needs of a device by the rules on pipelines, each with the code of a
// rule that is broken without it. Needs of the modules by themselves are not among them.
type Needs struct {
	Features map[string]string
	Limits   map[string]Least
}

// Least is the smallest value of a limit that a pipeline permits, or the flags of it that it needs.
type Least struct {
	Value uint64
	Code  string
}

// asked is the features and limits that the rules on one pipeline ask for.
type asked struct{ features, limits map[string]bool }

// Require returns the needs of a pipeline. Each feature and each limit that a rule asks for is
// tried alone on a device of which nothing else is known: a need is a finding that is new then.
func Require(ctx context.Context, d *Description) (*Needs, error) {
	own := *d
	own.asked = &asked{map[string]bool{}, map[string]bool{}}
	own.Device = nil
	base := map[string]bool{}
	for _, f := range Link(&own) {
		base[f.Code] = true
	}
	names := own.asked
	own.asked = nil
	out := &Needs{map[string]string{}, map[string]Least{}}
	broken := func(x *valid.Device) string {
		own.Device = x
		for _, f := range Link(&own) {
			if !base[f.Code] {
				return f.Code
			}
		}
		return ""
	}
	for _, n := range slices.Sorted(maps.Keys(names.features)) {
		if code := broken(&valid.Device{Features: map[string]bool{n: false}}); code != "" {
			out.Features[n] = code
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, n := range slices.Sorted(maps.Keys(names.limits)) {
		at := func(v uint64) string { return broken(&valid.Device{Limits: map[string]uint64{n: v}}) }
		if l := least(at); l.Code != "" {
			out.Limits[n] = l
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// maxLeast bounds the values that are tried for a limit.
const maxLeast = 1 << 40

// least returns the smallest value of a limit that breaks no rule; at returns a rule that a
// value breaks, or "". If larger values break the rule, the limit is a set of flags, or no upper
// bound, such as an alignment. The code is "" for the latter, or if 0 breaks none.
func least(at func(uint64) string) Least {
	out := Least{Code: at(0)}
	if out.Code == "" {
		return out
	}
	high := uint64(1)
	for code := at(high); code != ""; code = at(high) {
		if high *= 2; high > maxLeast {
			return flagsOf(at)
		}
		out.Code = code
	}
	if at(2*high) != "" {
		return flagsOf(at)
	}
	low := high / 2 // it breaks a rule
	for low+1 < high {
		mid := low + (high-low)/2
		if code := at(mid); code != "" {
			low, out.Code = mid, code
		} else {
			high = mid
		}
	}
	out.Value = high
	return out
}

// flagsOf returns the flags without which a limit breaks a rule.
func flagsOf(at func(uint64) string) (out Least) {
	if at(math.MaxUint32) != "" {
		return out
	}
	for flag := uint64(1); flag < math.MaxUint32; flag <<= 1 {
		if code := at(math.MaxUint32 &^ flag); code != "" {
			out.Value, out.Code = out.Value|flag, code
		}
	}
	return out
}
