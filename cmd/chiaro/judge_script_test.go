package main

import (
	"strings"
	"testing"
)

// TestComparisonNotes checks that each reason why any content is permitted has a line.
func TestComparisonNotes(t *testing.T) {
	var out strings.Builder
	report := comparison{File: "a.amber", Undecided: "color: any content\ndepth: any content", Results: []judgedResult{{File: "device.txt"}}}
	if err := report.write(console{out: &out}, "text"); err != nil {
		t.Fatal(err)
	}
	if want := "color: any content\ndepth: any content\ndevice.txt: permitted\n"; out.String() != want {
		t.Errorf("the text is %q; must be %q", out.String(), want)
	}
}
