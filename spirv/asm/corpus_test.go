package asm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// corpusFile holds cases of the field, one JSON object a line.
const corpusFile = "../../../shared/corpus/asm/dev.jsonl.xz"

// corpusCase is a text and its words: t2b assembles, b2t disassembles, parse
// decodes.
type corpusCase struct {
	ID, Name, Kind, Env, Result string
	Options                     []string
	Text                        *string
	Words                       []byte
}

// corpusShare is the part of the cases that must come out as they say.
const corpusShare = 0.995

func TestCorpus(t *testing.T) {
	if _, err := os.Stat(corpusFile); err != nil {
		t.Skip("no corpus at", corpusFile)
	}
	out, err := exec.Command("xz", "-dc", corpusFile).Output()
	if err != nil {
		t.Skip("cannot unpack the corpus:", err)
	}
	n, right := 0, 0
	for r := bufio.NewReader(bytes.NewReader(out)); ; {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		var c corpusCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		n++
		if c.agrees() {
			right++
		} else {
			t.Logf("%s %s %s", c.ID, c.Kind, c.Name)
		}
	}
	if float64(right) < corpusShare*float64(n) {
		t.Errorf("%d of %d cases agree; want %.3f of them", right, n, corpusShare)
	}
}

// agrees reports whether a case has the result that it declares.
func (c *corpusCase) agrees() bool {
	good := c.Result == "SPV_SUCCESS" || c.Result == "SPV_REQUESTED_TERMINATION"
	has := map[string]bool{}
	for _, o := range c.Options {
		has[o] = true
	}
	if c.Kind == "t2b" {
		v, _ := Target(c.Env)
		text := ""
		if c.Text != nil {
			text = *c.Text
		}
		words, err := Assemble([]byte(text), AssembleOptions{Version: v, PreserveNumericIDs: has["preserve_numeric_ids"]})
		if err != nil || !good {
			return (err == nil) == good
		}
		return sameModule(Bytes(words), c.Words)
	}
	m, err := spirv.DecodeWith(c.Words, spirv.Options{AllowUnknown: has["handle_unknown_opcodes"]})
	if err != nil || !good || c.Kind == "parse" {
		return (err == nil) == good
	}
	text, err := Disassemble(nil, m, DisassembleOptions{
		RawIDs: !has["friendly_names"], NoIndent: !has["indent"], NoHeader: has["no_header"], Offsets: has["byte_offset"],
		NestedIndent: has["nested_indent"], Reorder: has["reorder_blocks"], Comment: has["comment"],
	})
	return err == nil && string(text) == *c.Text
}

// sameModule compares modules but for generator, bound and schema.
func sameModule(a, b []byte) bool {
	const head = 4 * spirv.HeaderWords
	return len(a) >= head && len(b) >= head && bytes.Equal(a[:8], b[:8]) && bytes.Equal(a[head:], b[head:])
}
