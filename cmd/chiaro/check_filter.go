package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// findingFilter decides which findings are shown.
type findingFilter struct {
	suppress      []string
	maxErrors     int
	maxDuplicates int
	baseline      string
	update        bool

	state *filterState
}

// filterState is shared by the goroutines of one run.
type filterState struct {
	mu    sync.Mutex
	known map[string]int // findings of the baseline that are still to come
	seen  []string       // findings of this run, if the baseline is updated
}

func (f *findingFilter) flags(fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.suppress, "suppress", nil, "rule ids of findings to hide")
	countVar(fl, &f.maxErrors, "max-errors", "", 0, 0, "maximum number of findings shown per file; 0 for all")
	countVar(fl, &f.maxDuplicates, "max-duplicates", "", 0, 0, "maximum number of findings shown per rule and file; 0 for all")
	fl.StringVar(&f.baseline, "baseline", "", "file of known findings to hide")
	fl.BoolVar(&f.update, "update-baseline", false, "write the findings of this run to the baseline")
}

// load reads the baseline.
func (f *findingFilter) load() error {
	f.state = &filterState{known: map[string]int{}}
	for _, code := range f.suppress {
		if !knownCode(code) {
			return unreadable("--suppress %q: must be the code of a rule, such as SPV-Id-Dominance; docs/rules.md and docs/vuids.md list them", code)
		}
	}
	if f.update && f.baseline == "" {
		return unreadable("--update-baseline without --baseline; want the file to write")
	}
	if f.baseline == "" || f.update {
		return nil
	}
	data, err := readFile(f.baseline)
	if err != nil {
		return unreadable("%v", err)
	}
	for line := range strings.Lines(string(data)) {
		f.state.known[strings.TrimRight(line, "\r\n")]++
	}
	return nil
}

// knownCode reports whether code is the id of a rule on modules (including errors of
// the word stream) or on pipelines.
func knownCode(code string) bool {
	if _, ok := valid.RuleOf(code); ok {
		return true
	}
	if _, ok := link.RuleOf(code); ok {
		return true
	}
	return slices.Contains(vuid.All[:], code)
}

// save writes the baseline if a flag requests it.
func (f *findingFilter) save() error {
	if !f.update {
		return nil
	}
	slices.Sort(f.state.seen)
	text := strings.Join(f.state.seen, "\n")
	if text != "" {
		text += "\n"
	}
	if err := os.WriteFile(f.baseline, []byte(text), 0o666); err != nil {
		return unreadable("%v", err)
	}
	return nil
}

// key is how the baseline knows a finding: without its place, which moves.
func key(file string, f *valid.Finding) string {
	return strings.ReplaceAll(fmt.Sprintf("%s\t%s\t%s", file, f.Code, f.Message), "\n", " ")
}

// apply removes the findings that are not shown.
func (f *findingFilter) apply(x *checked) {
	if x.verdict != verdictFindings {
		return
	}
	f.state.mu.Lock()
	defer f.state.mu.Unlock()
	of := map[string]int{}
	kept := make([]shownFinding, 0, len(x.findings))
	for i := range x.findings {
		n := &x.findings[i]
		k := key(x.file, &n.Finding)
		switch {
		case slices.Contains(f.suppress, n.Code):
			continue
		case f.update:
			f.state.seen = append(f.state.seen, k)
			continue
		case f.state.known[k] > 0:
			f.state.known[k]--
			continue
		}
		of[n.Code]++
		if f.maxDuplicates > 0 && of[n.Code] > f.maxDuplicates || f.maxErrors > 0 && len(kept) >= f.maxErrors {
			if x.left.all++; n.Severity == diag.Error {
				x.left.errors++
			}
			continue
		}
		kept = append(kept, *n)
	}
	if x.findings = kept; len(kept) == 0 {
		x.verdict = verdictClean
	}
}
