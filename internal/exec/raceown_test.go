package exec

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// ownText is a program of 8×1 invocations that loads a word of buffer 0 and stores one of buffer 1, at row · push + column.
const ownText = `program "main" compute
subgroup 8
local 8 1 1
push 4
in global.x i32 0
in global.y i32 0
in local.x i32 0
res storage 0 1 count 1
res storage 0 0 count 1
message traced "" i32 i32 site 4 0 "data races" "" 0 67 "OpLoad %51" 0 0 event 1 "a" 4 0 0 0 0 0 read bound storage 0 0
message traced "" i32 i32 site 4 0 "data races" "" 0 69 "OpStore" 0 0 event 1 "b" 4 0 0 0 0 0 write bound storage 0 1
effects ordered writes

func "main"() L1 {
	v1 = push
	v2 = in.i32 #0
	v3 = in.i32 #1
	v4 = ld.i32 v1, 0:i32, #0
	v5 = mul.i32 v3, v4
	v6 = add.i32 v2, v5
	v7 = at 0:i32, v6, #4
	v8 = res 0:i32, #1
	v9 = ld.i32 v8, v7, #0
	logevent.i32 v7, 0:i32, #0
	logevent.i32 v7, 0:i32, #1
}
`

// TestOwnMemory checks of which buffers no two invocations access a byte, in a job of 16×4 invocations.
func TestOwnMemory(t *testing.T) {
	const load, store = "logevent.i32 v7, 0:i32, #0", "logevent.i32 v7, 0:i32, #1"
	for _, c := range []struct {
		name     string
		old, new string // a part of the program, and another in its place
		push     byte
		alias    bool // the buffers have a common word
		own      string
	}{
		{"rows of the job's width", "", "", 16, false, "ab"},
		{"longer rows", "", "", 20, false, "ab"},
		{"rows that overlap", "", "", 15, false, ""},
		{"a column for all rows", "", "", 0, false, ""},
		{"buffers that overlap", "", "", 16, true, ""},
		{"words that overlap", "at 0:i32, v6, #4", "at 0:i32, v6, #3", 16, false, ""},
		{"words with gaps", "at 0:i32, v6, #4", "at 0:i32, v6, #12", 16, false, "ab"},
		{"a word beside", store, store + "\n\tv10 = add.i32 v7, 4:i32\n\tlogevent.i32 v10, 0:i32, #1", 16, false, "a"},
		{"a word beside, with gaps", "at 0:i32, v6, #4", "at 0:i32, v6, #8\n\tv10 = add.i32 v7, 4:i32\n\tlogevent.i32 v10, 0:i32, #1", 16, false, "ab"},
		{"one word", store, "logevent.i32 0:i32, 0:i32, #1", 16, false, "a"},
		{"another descriptor", store, "logevent.i32 v7, 1:i32, #1", 16, false, "a"},
		{"a place from memory", store, "logevent.i32 v9, 0:i32, #1", 16, false, "a"},
		{"the number in the workgroup", "v2 = in.i32 #0", "v2 = in.i32 #2", 16, false, ""},
		{"other factors", load, "v10 = at 0:i32, v6, #8\n\tlogevent.i32 v10, 0:i32, #0\n\t" + load, 16, false, "b"},
		{"an offset that wraps", "at 0:i32, v6, #4", "at 0:i32, v6, #1073741824", 16, false, ""},
		{"a shift", "at 0:i32, v6, #4", "shl.i32 v6, 2:i32", 16, false, "ab"},
		{"an access by an address", `message traced "" i32 i32 site 4 0 "data races" "" 0 67`, `message traced "" i64 site 4 0 "data races" "" 0 66 "OpLoad %50" 0 0 event 1 "c" 4 0 0 0 0 0 read` +
			"\n" + `message traced "" i32 i32 site 4 0 "data races" "" 0 67`, 16, false, ""},
	} {
		text := strings.Replace(ownText, c.old, c.new, 1)
		if strings.Contains(c.new, "i64") { // the messages have other numbers
			text = strings.NewReplacer(load, "logevent.i32 v7, 0:i32, #1", store, "logevent.i32 v7, 0:i32, #2").Replace(text)
		}
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatal(c.name, err)
		}
		words := make([]byte, 1024)
		j := &Job{Groups: [3]uint32{2, 4, 1}, Push: []byte{c.push, 0, 0, 0}, Resources: [][]Buffer{{{Bytes: words[:512]}}, {{Bytes: words[512:]}}}}
		if c.alias {
			j.Resources[0][0].Bytes = words[:516]
		}
		for _, one := range []bool{true, false} {
			l := &Log{OneJob: one}
			l.place(p, j)
			got := ""
			for i := range p.Messages {
				if name := p.Messages[i].Memory; name != "a" && name != "b" {
					continue
				} else if l.races.owns(l.races.programOf(p), p, name) {
					got += name
				}
			}
			if want := map[bool]string{true: c.own}[one]; got != want {
				t.Errorf("%s, of one job %v: the own buffers are %q; must be %q", c.name, one, got, want)
			}
		}
	}
}
