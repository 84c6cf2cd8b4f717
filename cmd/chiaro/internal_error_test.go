package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// brokenReader panics, like a defect of Chiaro.
type brokenReader struct{}

func (r *brokenReader) Read([]byte) (int, error) { panic("broken") }

// TestInternalError demands exit code 3 and the input that led there.
func TestInternalError(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out, err bytes.Buffer
	text := []byte("OpNop\n")
	var last lastInput
	last.Store(&text)
	code := run([]string{"asm", "-"}, console{&brokenReader{}, &out, &err, &last, nil})
	if code != exitInternal || !strings.Contains(err.String(), "internal error: broken") {
		t.Fatalf("code %d, %s", code, err.String())
	}
	name := regexp.MustCompile(`saved in (\S+)`).FindStringSubmatch(err.String())
	if name == nil {
		t.Fatalf("no saved input in %s", err.String())
	}
	if data, e := os.ReadFile(name[1]); e != nil || string(data) != "OpNop\n" {
		t.Errorf("%q, %v", data, e)
	}
}
