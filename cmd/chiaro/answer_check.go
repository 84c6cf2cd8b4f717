package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// checkTask has the flags that the results of a check on a fleet depend on.
type checkTask struct {
	TargetEnv string
	Env       *valid.Env
	Envs      []*valid.Env `json:",omitempty"`
	Limits    valid.Limits
}

// checkResult is the result of one subject. The submitter renders it with the module, which it has.
type checkResult struct {
	Verdict  string          `json:"v"`
	Message  string          `json:"m,omitempty"`
	Findings []travelFinding `json:"f,omitempty"`
	Omitted  int             `json:"o,omitempty"` // findings beyond the room of a report
	Decoded  bool            `json:"d,omitempty"` // it has a report, which is of a module
	Unsure   map[string]int  `json:"u,omitempty"` // the rules that are not checkable
	Pipeline bool            `json:"p,omitempty"`
	Skipped  []string        `json:"s,omitempty"`
}

// travelFinding is a finding with the fields that its JSON omits.
type travelFinding struct {
	valid.Finding
	Sides     []cachedSide `json:",omitempty"`
	Described bool         `json:",omitempty"`
}

// onFleet returns the part of a pool that sends subjects to the fleet of --on; nil without one.
func (j *judge) onFleet(list []subject, sent *sentModules, stop context.CancelCauseFunc) func(context.Context, func(int), func(int, *checked)) {
	if j.f.on == "" {
		return nil
	}
	s := &submission[*checked]{c: j.c, on: j.f.on, jobs: j.f.jobs, verb: "check", items: len(list), sent: sent,
		options: checkTask{j.f.targetEnv, j.env, j.f.envs, j.f.opts.Limits},
		item: func(ctx context.Context, i int, sent *sentModules) (*wire.Item, bool) {
			return j.travels(ctx, &list[i], sent)
		},
		take: func(ctx context.Context, i int, a *wire.Answer) (*checked, bool) { return j.arrived(ctx, &list[i], a) },
	}
	return s.elsewhere(stop)
}

// travels returns the item of a subject; false for one that this process judges: unreadable ones, launches, and sources that do not
// compile. A source travels as its module.
func (j *judge) travels(ctx context.Context, s *subject, sent *sentModules) (*wire.Item, bool) {
	if s.err != nil || s.file == "-" || isLaunch(s.file) {
		return nil, false
	}
	info, err := os.Stat(s.file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxInput {
		return nil, false
	}
	files := []wire.File{{Path: s.file}}
	kind := "module"
	switch {
	case s.kind == isModule && isPTX(s.file):
		kind = "ptx"
	case s.kind == isModule && isSource(s.file):
		code, err := readModule(ctx, j.c, s.file, j.env.Name, j.f.allowOutside)
		if err == nil {
			files[0], err = sent.file("", code)
		}
		if err != nil {
			return nil, false
		}
	case s.kind == isModule:
	case s.kind == isObject && !strings.HasSuffix(s.file, ".json"):
		kind = "object " + strings.TrimPrefix(s.name, s.file+"#")
	case s.kind == isDescription:
		kind = "description"
		var ok bool
		if files, ok = j.descriptionFiles(ctx, s.file, sent); !ok {
			return nil, false
		}
	case s.kind == isScript:
		kind = "script"
		var ok bool
		cache, done := openSources()
		files, ok = scriptFiles(ctx, j.c, s.file, j.f.allowOutside, j.scriptOptions(cache), sent)
		done()
		if !ok {
			return nil, false
		}
	default:
		return nil, false
	}
	return &wire.Item{Name: s.name, Kind: kind, Files: files}, true
}

// arrived returns the result of a subject from its answer; false for an answer without one that this process can give.
func (j *judge) arrived(ctx context.Context, s *subject, a *wire.Answer) (*checked, bool) {
	x, decoded, ok := j.received(s.name, a)
	if !ok || !x.pipeline && len(x.findings) > 0 && !isPTX(s.file) && !j.recall(ctx, s, x, decoded) {
		return nil, false
	}
	if a.Status == "" {
		j.f.filter.apply(x)
	}
	return x, true
}

// received returns the result of a module or a pipeline from its answer, without the module. decoded is false for one that
// is no module.
func (j *judge) received(name string, a *wire.Answer) (x *checked, decoded, ok bool) {
	x = &checked{file: name, profiles: j.f.profileNames(), stop: func() error { return nil }}
	var r checkResult
	switch {
	case a.Status == wire.Invalid:
		return nil, false, false
	case a.Status != "":
		x.verdict, x.message = verdictInternal, lost(name, a)
		return x, false, true
	case json.Unmarshal(a.Result, &r) != nil:
		return nil, false, false
	}
	x.verdict, x.message, x.pipeline, x.skipped = r.Verdict, r.Message, r.Pipeline, r.Skipped
	x.left = leftOut{all: r.Omitted, beyond: r.Omitted}
	if r.Decoded {
		x.report = &valid.Report{Unchecked: r.Unsure, Omitted: r.Omitted}
	} else if !r.Pipeline {
		x.profiles = nil
	}
	for i := range r.Findings {
		f := shownFinding{Finding: r.Findings[i].Finding, described: r.Findings[i].Described}
		for _, side := range r.Findings[i].Sides {
			f.sides = append(f.sides, side.whole())
		}
		x.findings = append(x.findings, f)
	}
	return x, r.Decoded, true
}

// recall reads the module of a result with findings, which the reports show. decoded is false for one that is no module;
// if it is text, the reports show that.
func (j *judge) recall(ctx context.Context, s *subject, x *checked, decoded bool) bool {
	var data []byte
	var err error
	name := s.file
	if s.set != nil {
		name = s.name + ".spv"
		data, err = s.set.Code(s.ref.Hash)
	} else {
		data, err = readModule(ctx, j.c, s.file, j.env.Name, j.f.allowOutside)
	}
	if err != nil {
		return false
	}
	m, err := decodeModule(data, name, j.env, x)
	if decoded && err == nil {
		x.facts = facts.Gather(m, nil)
	}
	return !decoded || err == nil
}

// whole returns the side with the fields that its JSON omits.
func (s *cachedSide) whole() link.Side {
	out := s.Side
	out.Pos, out.Source, out.HasSource = s.Pos, s.Source, s.Has
	return out
}

// checkAnswerer judges the subjects of a fleet.
type checkAnswerer struct {
	j        *judge
	archives map[string]*fossil.Set // by the path of the worker
}

func newCheckAnswerer(c console, options json.RawMessage) (answerer, error) {
	var t checkTask
	if err := json.Unmarshal(options, &t); err != nil {
		return nil, err
	}
	j, err := t.judge(c)
	return &checkAnswerer{j, map[string]*fossil.Set{}}, err
}

// judge returns the judge of a task.
func (t *checkTask) judge(c console) (*judge, error) {
	if t.Env == nil || slices.Contains(t.Envs, nil) {
		return nil, errors.New("no environment")
	}
	f := checkFlags{targetEnv: t.TargetEnv, envs: t.Envs}
	f.opts.Limits = t.Limits
	return &judge{c: c, f: f, env: t.Env, modules: newModuleStore()}, nil
}

func (w *checkAnswerer) answer(ctx context.Context, it *wire.Item) (any, error) {
	if len(it.Files) == 0 {
		return nil, errors.New("an item without a file")
	}
	s := subject{name: it.Name, file: it.Name}
	kind, object, _ := strings.Cut(it.Kind, " ")
	var judge func(x *checked)
	switch kind {
	case "module":
		data, err := readFile(it.Files[0].Path)
		if err != nil {
			return nil, err
		}
		judge = func(x *checked) {
			if err := packed(s.file, data); err != nil {
				x.message = err.Error()
				return
			}
			w.j.module(ctx, data, s.file, x)
		}
	case "object":
		set, err := w.archive(it.Files[0].Path)
		if err != nil {
			return nil, err
		}
		s = objectsOf(set, strings.TrimSuffix(it.Name, "#"+object), object)[0]
		judge = func(x *checked) { w.j.judge(ctx, s, x) }
	case "description":
		files, err := itemFiles(it)
		if err != nil {
			return nil, err
		}
		s.kind = isDescription
		judge = func(x *checked) { w.j.among(files).judge(ctx, s, x) }
	case "script":
		files, err := itemFiles(it)
		if err != nil {
			return nil, err
		}
		judge = func(x *checked) {
			w.j.among(files).scriptOf(ctx, s.file, func() (*amber.Script, error) { return travelScript(s.file, files) }, x)
		}
	case "ptx":
		data, err := readFile(it.Files[0].Path)
		if err != nil {
			return nil, err
		}
		judge = func(x *checked) { w.j.ptx(data, s.name, x) }
	default:
		return nil, fmt.Errorf("kind %q; must be module, ptx, object, description or script", it.Kind)
	}
	x := &checked{file: s.name, verdict: verdictUnreadable, stop: ctx.Err}
	w.j.guarded(s.name, x, judge)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return travelResult(x), nil
}

// archive opens an archive. Its objects usually follow each other.
func (w *checkAnswerer) archive(path string) (*fossil.Set, error) {
	if set := w.archives[path]; set != nil {
		return set, nil
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	a, err := fossil.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	clear(w.archives)
	w.j.modules = newModuleStore() // their names have the archive's name, which another run may have too
	w.archives[path] = fossil.NewSet(a)
	return w.archives[path], nil
}

// travelResult returns a result as it travels.
func travelResult(x *checked) *checkResult {
	r := &checkResult{Verdict: x.verdict, Message: x.message, Pipeline: x.pipeline, Skipped: x.skipped, Omitted: x.left.all}
	if x.report != nil {
		r.Decoded, r.Unsure = true, x.report.Unchecked
	}
	for i := range x.findings {
		f := &x.findings[i]
		n := travelFinding{Finding: f.Finding, Described: f.described}
		for _, side := range f.sides {
			n.Sides = append(n.Sides, cachedSide{side, side.Pos, side.Source, side.HasSource})
		}
		r.Findings = append(r.Findings, n)
	}
	return r
}
