package main

import (
	"bytes"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestSARIFSchema checks a log against the schema of SARIF 2.1.0: findings with and
// without a source, related places, and files that cannot be read. Strict validation adds no absent property.
func TestSARIFSchema(t *testing.T) {
	finding := diag.Finding{Code: "SPV-Id-Forward", Pos: diag.Pos{Instruction: 3, Word: 9}, Message: "a message", Related: []diag.Related{{Message: "the definition"}}}
	var out bytes.Buffer
	r := newCheckSARIF(&out, "vulkan1.3", []string{"min"})
	r.Record(&checked{file: "d/a b:c#é.spv", verdict: verdictClean})
	r.Record(&checked{file: "b.spv", verdict: verdictUnreadable, message: "no module"})
	r.Record(&checked{file: "c.spv", verdict: verdictFindings, findings: []shownFinding{
		{Finding: valid.Finding{Finding: finding, Profiles: []string{"min"}}},
		{Finding: valid.Finding{Finding: finding, HasSource: true, Source: facts.Position{File: "c.comp", Line: 7}}}}})
	if err := r.Close(checkTally{}); err != nil {
		t.Fatal(err)
	}
	log, err := sarif.FromBytes(out.Bytes(), sarif.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Validate(); err != nil {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
	if run := log.Runs[0]; len(run.Results) != 3 || len(run.Tool.Driver.Rules) != 2 {
		t.Errorf("%d results of %d rules; want 3 of 2", len(run.Results), len(run.Tool.Driver.Rules))
	}
}
