package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/profile"
	"github.com/chiaro-gpu/chiaro/vk"
)

// runLaunchTest runs a launch of a CUDA kernel as a test: it passes if the launch has its expected buffers, and no sanitizer a report.
func (f *testFlags) runLaunchTest(ctx context.Context, c console, x *record) {
	f.inOrders(ctx, x, func(ctx context.Context, opts amber.Options) {
		run := f.runFlags
		run.opts = opts
		x.report(x.launch(ctx, c, run, func(*launchJob, error) {}), f.opts.Timeout)
	})
}

// launchItem returns the item of a launch; false for one that this process must run: one that cannot be read.
func launchItem(c console, file string) (*wire.Item, bool) {
	var files []wire.File
	c.read = func(name string) ([]byte, error) {
		if !slices.ContainsFunc(files, func(f wire.File) bool { return f.Name == name }) {
			files = append(files, wire.File{Name: name, Path: name})
		}
		return readFile(name)
	}
	_, err := readLaunch(c, file)
	return &wire.Item{Name: file, Kind: "launch", Files: files}, err == nil
}

// launch runs the launch of the record's file, and calls done with its error when it has ended. It returns the error of what the launch
// needs.
func (x *record) launch(ctx context.Context, c console, f runFlags, done func(j *launchJob, cause error)) error {
	x.Status, x.Message, x.Buffers = string(amber.Failed), "", nil
	j, err := readLaunch(c, x.File)
	if err != nil {
		return err
	}
	return j.execute(ctx, f, func(d *vk.Device, cause error) {
		x.setLaunch(j, d, cause)
		if f.opts.Digest {
			x.Buffers = j.digests()
		}
		done(j, cause)
	})
}

// digests returns the SHA-256 of each buffer in hexadecimal.
func (j *launchJob) digests() map[string]string {
	list := map[string]string{}
	for _, m := range j.memory {
		sum := sha256.Sum256(m.data)
		list[m.name] = hex.EncodeToString(sum[:])
	}
	return list
}

// report sets the result of a launch that an error prevented, if there is one, and names the time limit of one that was not done.
func (x *record) report(err error, limit time.Duration) {
	switch unsupported := (*vk.UnsupportedError)(nil); {
	case err == nil:
	case errors.Is(err, context.DeadlineExceeded):
		x.Status = string(amber.RanOutOfTime)
	case errors.As(err, &unsupported):
		x.Status, x.Message = string(amber.NotSupported), located(x.File, err)
	default:
		x.Message = located(x.File, err)
	}
	if x.Status == string(amber.RanOutOfTime) && limit > 0 && x.Message == "" {
		x.Message = fmt.Sprintf("%s: not done after %v, the time for one test", x.File, limit)
	}
}

// setLaunch sets the result of a launch.
func (x *record) setLaunch(j *launchJob, d *vk.Device, cause error) {
	var at profiled
	at.sources = map[profile.Place]string{}
	x.ran = &ranScript{stages: d.Profiles(), place: at.placesOf(j)}
	reports := j.reports.List()
	x.Log, x.found, x.Reports, x.sanitized = j.log, reports, reportRecords(reports), false
	var lines []string
	switch {
	case errors.As(cause, new(*vk.UnsupportedError)):
		x.Status, x.Message = string(amber.NotSupported), located(x.File, cause)
		return
	case errors.Is(cause, context.DeadlineExceeded):
		x.Status, x.Message = string(amber.RanOutOfTime), ""
		return
	case errors.As(cause, new(*exec.BudgetError)):
		x.Status, x.Message = string(amber.RanOutOfTime), located(x.File, cause)
		return
	case cause != nil && j.info.Function == nil, errors.As(cause, new(*vk.UsageError)): // the description is invalid
		x.Message = located(x.File, cause)
		return
	case cause != nil:
		lines = append(lines, located(x.File, cause))
	default:
		for _, text := range j.differences() {
			lines = append(lines, x.File+": "+text)
		}
	}
	if len(reports) > 0 {
		x.sanitized = len(lines) == 0
		lines = append(lines, reports[0].Text())
	}
	x.Status, x.Message = string(amber.Pass), strings.Join(lines, "\n")
	if len(lines) > 0 {
		x.Status = string(amber.Fail)
	}
}
