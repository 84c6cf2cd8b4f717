package main

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestArchiveFile checks that reports have the archive as the file of a finding in one of its objects.
func TestArchiveFile(t *testing.T) {
	for name, want := range map[string][2]string{
		"d/a.foz#module/00000000000000aa": {"d/a.foz", "module/00000000000000aa"},
		"a#b.foz#graphics/1":              {"a#b.foz", "graphics/1"},
		"a.foz#shader/1":                  {"a.foz#shader/1", ""},
		"a.foz#module/x":                  {"a.foz#module/x", ""},
		"module/1":                        {"module/1", ""},
	} {
		if file, object := objectName(name); file != want[0] || object != want[1] {
			t.Errorf("%s: %q %q, want %q", name, file, object, want)
		}
	}
	x := &checked{file: "a.foz#module/00000000000000aa", verdict: verdictFindings, findings: []shownFinding{
		{Finding: valid.Finding{Finding: diag.Finding{Code: "SPV-Type-Vector", Message: "bad", Pos: diag.Pos{Instruction: 3, Word: 9}}}}}}
	for format, wants := range map[string][]string{
		"sarif":  {`"uri": "a.foz"`, `"fullyQualifiedName": "module/00000000000000aa"`},
		"github": {"::error file=a.foz,title=", "module/00000000000000aa"},
	} {
		var out strings.Builder
		r := checkReporters(&checkFlags{})[format](&out, false)
		r.Record(x)
		if err := r.Close(checkTally{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in %s", format, want, out.String())
			}
		}
		if strings.Contains(out.String(), "file=a.foz#") || strings.Contains(out.String(), "foz%23") {
			t.Errorf("%s: the object is a part of the file in %s", format, out.String())
		}
	}
}

// TestPacked: a packed file of scripts or modules is named as such, and its bytes are taken for neither.
func TestPacked(t *testing.T) {
	tar := append(make([]byte, 257), "ustar\x0000"...)
	copy(tar, "a.amber")
	for name, data := range map[string][]byte{
		"a.tar.gz": {0x1f, 0x8b, 8, 0, 0}, "a.zip": []byte("PK\x03\x04\x14"), "a.tar.xz": []byte("\xfd7zXZ\x00\x00"),
		"a.tar.zst": {0x28, 0xb5, 0x2f, 0xfd, 4}, "a.tar.bz2": []byte("BZh91AY&SY"), "a.7z": []byte("7z\xbc\xaf\x27\x1c\x00"), "a.tar": tar,
	} {
		err := packed(name, data)
		if err == nil || !strings.HasPrefix(err.Error(), name+": is a") || !strings.Contains(err.Error(), "must be unpacked") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := packed("a.foz", []byte("\x81FOSSILIZEDB\x00\x00\x00\x06")); err == nil || !strings.Contains(err.Error(), "a.foz: is an archive of Fossilize") {
		t.Errorf("an archive of pipelines: %v", err)
	}
	for _, text := range []string{"", "#!amber\n", "[compute shader]\n", "PK", "; a comment, 1AY&SY\n", "\x03\x02\x23\x07\x00\x00\x01\x00"} {
		if err := packed("a", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
