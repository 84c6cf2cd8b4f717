package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"runtime"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/link"
)

// linkTask has the flags that the results of link on a fleet depend on.
type linkTask struct {
	checkTask
	Maintenance4 string
	Library      bool
}

// onFleet returns the part of a pool that sends descriptions of pipelines to the fleet of --on; nil without one. The file ""
// is the pipeline of the flags.
func (f *linkFlags) onFleet(j *judge, files []string, sent *sentModules, stop context.CancelCauseFunc) func(context.Context, func(int), func(int, *checked)) {
	if f.check.on == "" {
		return nil
	}
	s := &submission[*checked]{c: j.c, on: f.check.on, jobs: runtime.GOMAXPROCS(0), verb: "link", items: len(files), sent: sent,
		options: linkTask{checkTask{f.targetEnv, j.env, j.f.envs, j.f.opts.Limits}, f.maintenance4, f.library},
		item: func(ctx context.Context, i int, sent *sentModules) (*wire.Item, bool) {
			list, ok := j.descriptionFiles(ctx, files[i], sent)
			return &wire.Item{Name: files[i], Kind: "description", Files: list}, ok
		},
		take: func(_ context.Context, i int, a *wire.Answer) (*checked, bool) {
			x, _, ok := j.received(files[i], a)
			return x, ok
		},
	}
	return s.elsewhere(stop)
}

// descriptionFiles returns the files that a description of a pipeline reads, itself first; false for one that this process
// must read: one that is wrong, or that names a source which does not compile.
func (j *judge) descriptionFiles(ctx context.Context, file string, sent *sentModules) ([]wire.File, bool) {
	data, err := readFile(file)
	if err != nil {
		return nil, false
	}
	named := map[string]bool{}
	_, err = describe.Read(data, file, func(s describe.Stage) (*link.Shader, error) {
		named[besideFile(file, s.File)] = true
		return &link.Shader{}, nil
	})
	files := []wire.File{{Name: file, Path: file}}
	for _, path := range slices.Sorted(maps.Keys(named)) {
		if path == file || isPTX(path) || !exists(path) {
			return nil, false
		}
		f := wire.File{Name: path, Path: path}
		if isSource(path) {
			code, err := readModule(ctx, j.c, path, j.env.Name, j.f.allowOutside)
			if err == nil {
				f, err = sent.file(path, code)
			}
			if err != nil {
				return nil, false
			}
		}
		files = append(files, f)
	}
	return files, err == nil
}

// among returns a judge of descriptions that read only files of an item.
func (j *judge) among(files map[string][]byte) *judge {
	other := *j
	other.files, other.modules = files, newModuleStore()
	return &other
}

// readNamed reads a description.
func (j *judge) readNamed(file string) ([]byte, error) {
	if j.files == nil {
		return readFile(file)
	}
	return fileOf(j.files, file)
}

// stageModule reads the module of a stage of a description.
func (j *judge) stageModule(ctx context.Context, file string) ([]byte, error) {
	if j.files == nil {
		return readModule(ctx, j.c, file, j.env.Name, j.f.allowOutside)
	}
	return moduleOf(j.files, file)
}

// linkAnswerer judges the pipelines of a fleet.
type linkAnswerer struct {
	j *judge
	f linkFlags
}

func newLinkAnswerer(c console, options json.RawMessage) (answerer, error) {
	var t linkTask
	if err := json.Unmarshal(options, &t); err != nil {
		return nil, err
	}
	j, err := t.judge(c)
	return &linkAnswerer{j, linkFlags{maintenance4: t.Maintenance4, library: t.Library}}, err
}

func (w *linkAnswerer) answer(ctx context.Context, it *wire.Item) (any, error) {
	if it.Kind != "description" {
		return nil, errors.New("the kind must be description")
	}
	files, err := itemFiles(it)
	if err != nil {
		return nil, err
	}
	j := w.j.among(files)
	x := j.linkOne(it.Name, func() (*link.Description, error) { return j.readPipeline(ctx, it.Name) }, &w.f)
	return travelResult(x), ctx.Err()
}
