// Package wire is the text protocol between chiaro and the fleet: one JSON value a line, over the standard streams of a
// process. Both ends of the fleet speak it. chiaro writes a Head and Items to the submitter and reads Answers; a worker
// writes the same to a chiaro of its own, which answers. The package refuses to know shaders and networks.
package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Local is the value of --on for a fleet of this machine, which has no address and ends with its run.
const Local = "local"

// MaxLine bounds a line in bytes: an answer with all its findings.
const MaxLine = 16 << 20

// Head has the common part of all items of a run.
type Head struct {
	Version string          `json:"version"`           // of the tool that answers
	Verb    string          `json:"verb"`              // check or run
	Options json.RawMessage `json:"options,omitempty"` // of the verb, which alone reads them
	Total   int             `json:"total,omitempty"`   // the number of items; not part of a result's key
}

// Item is one subject of a run.
type Item struct {
	Index int    `json:"index"` // in the list; not part of a result's key
	Name  string `json:"name"`  // as reports have it
	Kind  string `json:"kind"`  // of subject, which the verb alone reads
	Files []File `json:"files"` // all that it reads, the subject first
}

// File is a file that an item reads.
type File struct {
	Name string `json:"name"`           // by which the item knows it
	Path string `json:"path,omitempty"` // on this machine; not part of a result's key
	Hash string `json:"hash,omitempty"` // SHA-256 in hexadecimal
}

// Work is a line to a chiaro that answers: a Head, which holds for the items after it, or an item.
type Work struct {
	Head *Head `json:"head,omitempty"`
	Item *Item `json:"item,omitempty"`
}

// Answer is the answer to an item.
type Answer struct {
	Index  int             `json:"index"`
	Result json.RawMessage `json:"result,omitempty"` // a record of the verb
	Log    string          `json:"log,omitempty"`    // the standard error of the item
	Status Status          `json:"status,omitempty"` // why there is no result; "" if there is one
	Brief  bool            `json:"brief,omitempty"`  // another machine, or the same one with less load, may answer something else
}

// Status is the reason for an answer without a result.
type Status string

// The reasons.
const (
	Crash   Status = "crash"   // the item ended the process that worked on it, each time
	Timeout Status = "timeout" // the limit of time for an item has passed
	Large   Status = "large"   // the result is larger than MaxLine
	Invalid Status = "invalid" // the item or its options cannot be read
)

// Hello is the first line of a chiaro that answers.
type Hello struct {
	Version string `json:"version"`
}

// Report is a line of the submitter to chiaro: an answer, a notice for the user, or the error that ends the run.
type Report struct {
	Answer *Answer `json:"answer,omitempty"`
	Notice string  `json:"notice,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// Shown returns the addresses of servers, with commas between them, as messages show them: without passwords and tokens.
func Shown(servers string) string {
	list := strings.Split(servers, ",")
	for i, s := range list {
		start := 0
		if k := strings.Index(s, "://"); k >= 0 {
			start = k + len("://")
		}
		if end := strings.LastIndexByte(s, '@'); end >= start {
			list[i] = s[:start] + "***" + s[end:]
		}
	}
	return strings.Join(list, ",")
}

// Writer writes lines.
type Writer struct{ w io.Writer }

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// Write writes a value as one line with one call of the writer below it.
func (w *Writer) Write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.w.Write(append(line, '\n'))
	return err
}

// Reader reads lines.
type Reader struct{ r *bufio.Reader }

// NewReader returns a reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{bufio.NewReaderSize(r, 1<<16)} }

// ErrLong is the error of a line that is longer than MaxLine. It ends the stream: the rest of the line may never end.
var ErrLong = errors.New("a line is too long")

// Read reads the next line into v. It returns io.EOF after the last one.
func (r *Reader) Read(v any) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("a line is no message: %w", err)
	}
	return nil
}

// line returns the next line that is not empty.
func (r *Reader) line() ([]byte, error) {
	for {
		var line []byte
		for {
			part, err := r.r.ReadSlice('\n')
			if len(line)+len(part) > MaxLine {
				return nil, ErrLong
			}
			line = append(line, part...)
			if err == nil {
				break
			}
			if err != bufio.ErrBufferFull {
				if err == io.EOF && len(line) > 0 {
					err = io.ErrUnexpectedEOF
				}
				return nil, err
			}
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}
