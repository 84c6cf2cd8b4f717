package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// record has the parts of a record of check, run or test that lists and causes need. The browser reads the whole record, so that
// a field that a later chiaro adds reaches it without a change here.
type record struct {
	File     string        `json:"file"`
	Test     string        `json:"test"`
	Verdict  string        `json:"verdict"` // of check
	Status   string        `json:"status"`  // of run and test
	Message  string        `json:"message"`
	Seconds  float64       `json:"seconds"`
	Findings []finding     `json:"findings"`
	Reports  []reportedOne `json:"reports"`
}

// finding is a finding of check.
type finding struct {
	Code     string    `json:"code"`
	Severity string    `json:"severity"`
	Message  string    `json:"message"`
	Source   *location `json:"source"`
}

// reportedOne is a report of a sanitizer.
type reportedOne struct {
	Sanitizer string    `json:"sanitizer"`
	Rule      string    `json:"rule"`
	Source    *location `json:"source"`
}

// location is a place in a source.
type location struct {
	File string `json:"file"`
}

// maxRecord bounds the bytes of a record.
const maxRecord = 32 << 20

// errNoReport is the error of a file that is no report.
var errNoReport = errors.New("no report of check, run or test")

// state returns the state of a record as lists show it: its status, or of check its verdict, where findings are errors or warnings.
func (r *record) state() string {
	if r.Status != "" {
		return r.Status
	}
	if len(r.Findings) == 0 {
		return r.Verdict
	}
	for i := range r.Findings {
		if r.Findings[i].Severity == "error" {
			return "error"
		}
	}
	return "warning"
}

// decode decodes a record. A record has a file, and a verdict or a status.
func (r *record) decode(data []byte) error {
	if err := json.Unmarshal(data, r); err != nil || r.File == "" || (r.Verdict == "") == (r.Status == "") {
		return errNoReport
	}
	return nil
}

// readLines reads records, one a line, from an offset of a file on. It calls give with each record and its place, and returns the
// offset after the last whole line. The last line may be incomplete, because a run still writes it.
func readLines(f io.ReaderAt, from, size int64, give func(r *record, at, end int64)) (int64, error) {
	b := bufio.NewReaderSize(io.NewSectionReader(f, from, size-from), 1<<16)
	at := from
	for {
		line, long, err := readLine(b)
		if err == io.EOF {
			return at, nil
		}
		if err != nil {
			return at, err
		}
		end := at + int64(len(line))
		var r record
		switch {
		case long > 0:
			end = at + long
		case len(line) <= 1:
		default:
			if err := r.decode(line); err != nil {
				return at, err
			}
			give(&r, at, end)
		}
		at = end
	}
}

// readLine reads a line with its line feed. Of a line that is too long it returns the length.
func readLine(b *bufio.Reader) (line []byte, long int64, err error) {
	for {
		part, err := b.ReadSlice('\n')
		if long > 0 || len(line)+len(part) > maxRecord {
			long += int64(len(line) + len(part))
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// window reads a file up to an offset that moves, so that a decoder keeps little of a large file that is no report.
type window struct {
	io.Reader
	at, end int64
}

func (w *window) Read(p []byte) (int, error) {
	if w.at >= w.end {
		return 0, errNoReport
	}
	n, err := w.Reader.Read(p[:min(int64(len(p)), w.end-w.at)])
	w.at += int64(n)
	return n, err
}

// readObject reads the records of a report of --format json: an object with a list "files". No value may be longer than a record.
// The decoder reads one record at a time, because a report of a million has no room in memory.
func readObject(f io.ReaderAt, size int64, give func(r *record, at, end int64)) error {
	w := &window{io.NewSectionReader(f, 0, size), 0, maxRecord}
	d := json.NewDecoder(w)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errNoReport
	}
	found := false
	for d.More() {
		w.end = d.InputOffset() + maxRecord
		key, err := d.Token()
		if err != nil {
			return errNoReport
		}
		if key != "files" {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return errNoReport
			}
			continue
		}
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return errNoReport
		}
		for found = true; d.More(); {
			w.end = d.InputOffset() + maxRecord
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				return errNoReport
			}
			var r record
			if err := r.decode(raw); err != nil {
				return err
			}
			end := d.InputOffset()
			give(&r, end-int64(len(raw)), end)
		}
		if _, err := d.Token(); err != nil {
			return errNoReport
		}
	}
	if !found {
		return errNoReport
	}
	return nil
}
