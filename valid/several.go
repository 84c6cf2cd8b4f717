package valid

import (
	"cmp"
	"context"
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
)

// CheckSeveral checks a module in several environments, as Check does in one,
// and merges the reports: equal findings of several environments become one,
// with the names of their devices in [Finding].Profiles. Omitted and Unchecked
// are the maxima. The only error is the error of ctx.
func CheckSeveral(ctx context.Context, m *facts.Module, envs []*Env, o Options) (*Report, error) {
	// same is the identity of a finding across reports. Two findings of one report
	// differ at least in nth.
	type same struct {
		code, message string
		pos           diag.Pos
		severity      diag.Severity
		nth           int
	}
	all := &Report{}
	at := map[same]int{}
	clean := true
	for _, env := range envs {
		r, err := Check(ctx, m, env, o)
		if err != nil {
			return nil, err
		}
		name := ""
		if env.Device != nil {
			name = env.Device.Name
		}
		of := map[same]int{}
		for _, f := range r.Findings {
			k := same{f.Code, f.Message, f.Pos, f.Severity, 0}
			of[k]++
			k.nth = of[k]
			i, ok := at[k]
			if !ok {
				i = len(all.Findings)
				at[k] = i
				all.Findings = append(all.Findings, f)
			}
			all.Findings[i].Profiles = append(all.Findings[i].Profiles, name)
		}
		all.Omitted = max(all.Omitted, r.Omitted)
		for code, n := range r.Unchecked {
			if all.Unchecked == nil {
				all.Unchecked = map[string]int{}
			}
			all.Unchecked[code] = max(all.Unchecked[code], n)
		}
		clean = clean && r.Clean()
		all.Module = r.Module
	}
	if !clean {
		all.Module = nil
	}
	slices.SortStableFunc(all.Findings, func(x, y Finding) int { return cmp.Compare(x.Pos.Instruction, y.Pos.Instruction) })
	return all, nil
}
