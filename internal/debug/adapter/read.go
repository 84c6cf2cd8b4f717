package adapter

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// Bounds of a message of a client, in bytes.
const (
	maxMessage = 1 << 24
	maxHeader  = 1 << 12
)

// read reads a message: a header with its length, and JSON. The error is io.EOF at the end of the input between two messages. A request
// that the protocol does not have is an *unknown.
func read(r *bufio.Reader) (dap.Message, error) {
	length, seen := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		if seen += len(line); err != nil {
			if err == io.EOF && seen > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if seen > maxHeader {
			return nil, fmt.Errorf("a header of more than %d bytes", maxHeader)
		}
		text := strings.TrimSpace(string(line))
		if text == "" && seen == len(line) { // an empty line between messages
			seen = 0
			continue
		}
		if text == "" {
			break
		}
		if name, value, _ := strings.Cut(text, ":"); strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return nil, fmt.Errorf("Content-Length %q; must be 0 to %d", strings.TrimSpace(value), maxMessage)
			}
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("a message without Content-Length")
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	m, err := dap.DecodeProtocolMessage(data)
	if err == nil {
		return m, nil
	}
	if e, ok := err.(*dap.DecodeProtocolMessageFieldError); ok && e.FieldName == "command" { // the client may have newer requests
		x := &unknown{Request: dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: e.Seq, Type: "request"}, Command: e.FieldValue}}
		var rest struct {
			Arguments json.RawMessage `json:"arguments"`
		}
		if json.Unmarshal(data, &rest) == nil {
			x.Arguments = rest.Arguments
		}
		return x, nil
	}
	return nil, fmt.Errorf("a message is malformed: %w", err)
}

// unknown is a request that the protocol's version here does not have.
type unknown struct {
	dap.Request
	Arguments json.RawMessage
}
