package main

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// The parts of SARIF 2.1.0 that a log of checks has, named as in its specification.
type (
	sarifLog struct {
		Schema  string      `json:"$schema"`
		Version string      `json:"version"`
		Runs    []*sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Language    string            `json:"language"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
		Properties  *sarifRunBag      `json:"properties,omitempty"`
	}
	sarifRunBag struct {
		Target   string   `json:"targetEnvironment"`
		Profiles []string `json:"profiles,omitempty"`
	}
	sarifResultBag struct {
		Profiles []string `json:"profiles"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Language       string      `json:"language"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID          string    `json:"id"`
		Description sarifText `json:"shortDescription"`
		Help        sarifText `json:"help"`
	}
	sarifInvocation struct {
		Successful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []*sarifLocation  `json:"locations"`
		Related      []*sarifLocation  `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
		Properties   *sarifResultBag   `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int  `json:"startLine,omitempty"`
		Column int  `json:"startColumn,omitempty"`
		Byte   *int `json:"byteOffset,omitempty"` // of a binary
		Bytes  int  `json:"byteLength,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
)

// checkSARIF writes one SARIF 2.1.0 log, the input format of code scanning services.
// The log lists only rules that have a finding.
type checkSARIF struct {
	w     io.Writer
	run   sarifRun
	rules map[string]int
	ok    bool // whether no file was unreadable
}

func newCheckSARIF(w io.Writer, target string, profiles []string) *checkSARIF {
	r := &checkSARIF{w: w, rules: map[string]int{}, ok: true, run: newSARIFRun()}
	r.run.Properties = &sarifRunBag{target, profiles}
	return r
}

// newSARIFRun returns a run without rules and results.
func newSARIFRun() sarifRun {
	return sarifRun{
		Tool: sarifTool{sarifDriver{Name: "chiaro", Version: version(), InformationURI: "https://github.com/chiaro-gpu/chiaro",
			Language: "en-US", Rules: []sarifRule{}}},
		Language:   "en-US",
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
}

func (r *checkSARIF) Record(x *checked) {
	if x.verdict == verdictNotRun {
		r.ok = false
		return
	}
	if x.verdict == verdictUnreadable || x.verdict == verdictInternal {
		r.ok = false
		r.run.Results = append(r.run.Results, sarifResult{RuleID: "unreadable", RuleIndex: r.rule("unreadable"), Level: "error",
			Message: sarifText{string(plain.Block(x.message, ""))}, Locations: []*sarifLocation{sarifAt(x.file, 0, 0)}})
		return
	}
	v := newViewer(x)
	for i := range x.findings {
		f := &x.findings[i]
		res := sarifResult{RuleID: f.Code, RuleIndex: r.rule(f.Code), Level: sarifLevel(f.Severity),
			Message: sarifText{plain.Line(f.Message) + string(plain.Block(f.more(), ""))}, Locations: []*sarifLocation{r.location(x, v, &f.Finding)},
			Fingerprints: map[string]string{"chiaro/v1": plain.Line(key(x.file, &f.Finding))}}
		if len(f.Profiles) > 0 {
			res.Properties = &sarifResultBag{f.Profiles}
		}
		for n, o := range f.Related {
			at := sarifAt(x.file, 0, 0)
			at.ID, at.Message = n+1, &sarifText{plain.Line(o.Message)}
			at.Logical = []sarifLogical{{Name: string(plain.Block(orElse(v.text(o.Pos), o.Pos.String()), ""))}}
			res.Related = append(res.Related, at)
		}
		r.run.Results = append(r.run.Results, res)
	}
}

// location returns the source line of a finding if the module has debug information,
// else the module, with the instruction's text and the entry point that calls it.
func (r *checkSARIF) location(x *checked, v *viewer, f *valid.Finding) *sarifLocation {
	file, line, column := x.file, 0, 0
	if v.sited(f) {
		file, line, column = v.where(x, f)
	}
	at := sarifAt(file, line, column)
	switch {
	case line > 0:
	case x.pipeline || v.m == nil || isSource(x.file):
		at = sarifAt(file, 1, 1)
	default:
		offset := 4 * f.Pos.Word
		at.Physical.Region = &sarifRegion{Byte: &offset, Bytes: 4}
	}
	if t := v.text(f.Pos); t != "" {
		at.Logical = append(at.Logical, sarifLogical{string(plain.Block(t, "")), "instruction"})
	}
	if name, _ := v.callers(f.Pos); name != "" {
		at.Logical = append(at.Logical, sarifLogical{plain.Line(name), "function"})
	}
	return at
}

// rule returns the index of a rule and adds a new one to the log.
func (r *checkSARIF) rule(code string) int {
	n, ok := r.rules[code]
	if !ok {
		n = len(r.rules)
		r.rules[code] = n
		words := code
		if code == "unreadable" {
			words = "the file can be read"
		}
		if rule, ok := valid.RuleOf(code); ok {
			words = rule.Words + " (" + rule.Section + ")"
		} else if rule, ok := link.RuleOf(code); ok {
			words = rule.Words
		}
		r.run.Tool.Driver.Rules = append(r.run.Tool.Driver.Rules, sarifRule{code, sarifText{words}, sarifText{sarifHelp(code, words)}})
	}
	return n
}

// sarifHelp returns the text that a service shows for a rule.
func sarifHelp(code, words string) string {
	if code == "unreadable" {
		return "The file is no module, source, script, archive or description of a pipeline that can be read."
	}
	return words + ". The command `chiaro explain " + code + "` shows an example that violates the rule and one that satisfies it."
}

func sarifLevel(s diag.Severity) string {
	if s == diag.Error {
		return "error"
	}
	return "warning"
}

// sarifAt returns a location in a file. Line 0 is the file as a whole. The column is
// at least 1.
func sarifAt(file string, line, column int) *sarifLocation {
	at := &sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{sarifURI(file)}}}
	if line > 0 {
		at.Physical.Region = &sarifRegion{Line: line, Column: max(column, 1)}
	}
	return at
}

// sarifURI returns the URI reference of a file. A relative name stays relative.
func sarifURI(file string) string {
	path := filepath.ToSlash(file)
	u := url.URL{Path: path}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
		if !strings.HasPrefix(path, "/") {
			u.Path = "/" + path
		}
	}
	return u.String() // net/url writes ./a:b for a:b, whose beginning would be a scheme
}

func (r *checkSARIF) Close(checkTally) error { return writeSARIF(r.w, &r.run, r.ok) }
