package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// scriptPermission judges the pictures of a script with the contents that Vulkan permits.
type scriptPermission struct {
	script *amber.Script
	file   string
	sets   *amber.Permitted
}

// permitScript determines the permitted contents of the pictures of a script, within a limit of time; 0 is none.
func permitScript(ctx context.Context, c console, f *runFlags, file string) (*scriptPermission, error) {
	s, err := loadScript(c, file, f.allowOutside)
	if err != nil {
		return nil, unreadable("%s", located(file, err))
	}
	limited := ctx
	if f.opts.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, f.opts.Timeout)
		defer cancel()
	}
	p := &scriptPermission{script: s, file: file}
	if p.sets, err = amber.Permit(limited, s, f.opts); err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			return nil, &coded{exitFindings, fmt.Sprintf("%s: the permitted results are not known after %v, the limit of --timeout", file, f.opts.Timeout)}
		}
		return nil, unreadable("%s", located(file, err))
	}
	return p, nil
}

// judge judges contents by name.
func (p *scriptPermission) judge(contents map[string][]byte) (list []violationRecord, notes []string) {
	for _, x := range p.sets.Pictures {
		data, ok := contents[x.Buffer.Name]
		if !ok {
			continue
		}
		if x.Undecided != "" {
			notes = append(notes, fmt.Sprintf("%s: any content is permitted: %s", x.Buffer.Name, x.Undecided))
			continue
		}
		wrong, any := x.Judge(data)
		for _, v := range wrong {
			at := fmt.Sprintf("%d, %d", v.X, v.Y)
			if x.Buffer.Image != nil && x.Buffer.Image.Layers > 1 {
				at += fmt.Sprintf(", %d", v.Layer)
			}
			list = append(list, violationRecord{Name: fmt.Sprintf("%s[%s].%s", x.Buffer.Name, at, strings.ToLower(v.Component)),
				Value: v.Value, Permitted: v.Permitted, Instruction: p.sets.Operation(&v)})
		}
		if any > 0 {
			why := ""
			if x.Why != "" {
				why = fmt.Sprintf("; %s: %s", number(x.Pixels, "undecided fragment"), x.Why)
			}
			notes = append(notes, fmt.Sprintf("%s: %s with any value%s", x.Buffer.Name, number(any, "component"), why))
		}
	}
	return list, notes
}

// allowedScript runs a script, and judges its pictures.
func allowedScript(ctx context.Context, c console, f *runFlags, file string) error {
	if f.format != "text" && f.format != "json" {
		return unreadable("--format %q with --allowed; want text or json", f.format)
	}
	p, err := permitScript(ctx, c, f, file)
	if err != nil {
		return err
	}
	r := amber.Run(ctx, p.script, f.opts)
	if r.Status != amber.Pass && r.Status != amber.Fail {
		return &coded{exitFindings, r.Message}
	}
	wrong, notes := p.judge(r.Contents)
	report := comparison{File: file, Undecided: strings.Join(notes, "\n"), Results: []judgedResult{{File: file, Violations: wrong}}}
	return report.write(c, f.format)
}

// compareScript judges the pictures of devices: files as run -b writes them.
func compareScript(ctx context.Context, c console, f *runFlags, file string, results []string) error {
	p, err := permitScript(ctx, c, f, file)
	if err != nil {
		return err
	}
	report := comparison{File: file}
	var first map[string][]byte
	for i, name := range results {
		contents, err := p.read(c, name)
		if err != nil {
			return err
		}
		r := judgedResult{File: name}
		var notes []string
		if r.Violations, notes = p.judge(contents); len(notes) > 0 && i == 0 {
			report.Undecided = strings.Join(notes, "\n")
		}
		if i == 0 {
			first = contents
		} else {
			for _, x := range p.sets.Pictures {
				r.Differences += differingTexels(first[x.Buffer.Name], contents[x.Buffer.Name], x.Buffer.Texel.Bytes)
			}
		}
		report.Results = append(report.Results, r)
	}
	return report.write(c, f.format)
}

// differingTexels counts the texels that differ.
func differingTexels(a, b []byte, size int) (n int) {
	for k := 0; k+size <= min(len(a), len(b)); k += size {
		if !bytes.Equal(a[k:k+size], b[k:k+size]) {
			n++
		}
	}
	return n
}

// read reads the contents of pictures: after the name of each in a line of its own its bytes in hexadecimal.
func (p *scriptPermission) read(c console, name string) (map[string][]byte, error) {
	data, err := readInput(c, name)
	if err != nil {
		return nil, err
	}
	contents := map[string][]byte{}
	var at *amber.PermittedPicture
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if x := p.picture(line); x != nil {
			at, contents[line] = x, nil
			continue
		}
		bytes, err := hex.DecodeString(strings.ReplaceAll(line, " ", ""))
		if err != nil || at == nil {
			return nil, unreadable("%s:%d: %s; want the name of a picture of the script, or bytes in hexadecimal after it, as run -b writes them", name, i+1, plain.Line(line))
		}
		contents[at.Buffer.Name] = append(contents[at.Buffer.Name], bytes...)
	}
	if len(contents) == 0 {
		return nil, unreadable("%s: no picture; want the name of a picture of the script and its bytes, as run -b writes them", name)
	}
	for picture, b := range contents {
		if n := len(p.picture(picture).Buffer.Data); len(b) != n {
			return nil, unreadable("%s: picture %s has %d bytes; must have %d", name, picture, len(b), n)
		}
	}
	return contents, nil
}

// picture returns an attachment of the script, or nil.
func (p *scriptPermission) picture(name string) *amber.PermittedPicture {
	for _, x := range p.sets.Pictures {
		if x.Buffer.Name == name {
			return x
		}
	}
	return nil
}

// allowedScripts is run --allowed with scripts: there must be one.
func allowedScripts(c console, f *runFlags, args []string) error {
	if len(args) != 1 || f.filesFrom != "" {
		return unreadable("--allowed with several files; want one script or shader")
	}
	if f.on != "" || f.dump.any() || f.differential || f.shard != "" || len(f.out) > 0 {
		return unreadable("--allowed of a script with --on, --differential, --shard, --out, -i or -b; want none of them")
	}
	sources, done := openSources()
	defer done()
	f.opts.Compiler.Cache = sources
	return limited(time.Duration(0), func(ctx context.Context) error { return allowedScript(ctx, c, f, args[0]) })
}

// endsAsScript reports whether a file is a script.
func endsAsScript(file string) bool {
	return strings.HasSuffix(file, ".amber") || strings.HasSuffix(file, ".vkscript")
}
