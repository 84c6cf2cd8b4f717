package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// positions finds the positions of values in a JSON document: line and column by
// path, in the notation of the reader. A missing value has no position; a
// duplicate member has the position of the last one.
func positions(data []byte, want map[string]bool) map[string][2]int {
	out := map[string][2]int{}
	d := json.NewDecoder(bytes.NewReader(data))
	line, column, read := 1, 1, int64(0)
	to := func(offset int64) { // moves line and column on
		for ; read < offset && read < int64(len(data)); read++ {
			if column++; data[read] == '\n' {
				line, column = line+1, 1
			}
		}
	}
	type open struct {
		path  string // of the object or array
		key   string
		value bool // the next token is a value
		array bool
		index int
	}
	stack := []open{}
	for {
		at := d.InputOffset()
		for at < int64(len(data)) && bytes.IndexByte([]byte(" \t\r\n,:"), data[at]) >= 0 {
			at++
		}
		t, err := d.Token()
		if err != nil {
			return out
		}
		if x, ok := t.(json.Delim); ok && (x == ']' || x == '}') {
			stack = stack[:len(stack)-1]
			continue
		}
		path := "$"
		if n := len(stack); n > 0 {
			top := &stack[n-1]
			if !top.array && !top.value {
				top.key, _ = t.(string)
				top.value = true
				continue
			}
			path = top.key
			if top.array {
				path = fmt.Sprintf("%s[%d]", top.path, top.index)
				top.index++
			} else if top.path != "$" {
				path = top.path + "." + top.key
			}
			top.value = false
		}
		if want[path] {
			to(at)
			out[path] = [2]int{line, column}
		}
		if x, ok := t.(json.Delim); ok {
			stack = append(stack, open{path: path, array: x == '['})
		}
	}
}

// syntax describes the fault of a document that is no JSON, with its position.
func syntax(name string, data []byte, offset int64, err error) error {
	var wrong *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return fmt.Errorf("%s:1:1: error: the file is empty, must be one object", name)
	case errors.As(err, &wrong):
		offset = wrong.Offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, err = int64(len(data)), errors.New("the file ends inside of a value")
	}
	before := data[:min(max(offset, 0), int64(len(data)))]
	return fmt.Errorf("%s:%d:%d: error: %w", name, 1+bytes.Count(before, []byte("\n")), max(1, len(before)-1-bytes.LastIndexByte(before, '\n')), err)
}
