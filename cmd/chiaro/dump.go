package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// dumpFlags select the contents that run writes to files.
type dumpFlags struct {
	images, imageNames   []string
	buffers, bufferNames []string
}

func (d *dumpFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&d.images, "image", "i", nil, "write an image buffer to a PNG file")
	f.StringArrayVarP(&d.imageNames, "image-buffer", "I", nil, "image buffer of the -i with the same index (default: the first image buffer)")
	f.StringArrayVarP(&d.buffers, "buffer", "b", nil, "write the bytes of a buffer to a text file")
	f.StringArrayVarP(&d.bufferNames, "buffer-name", "B", nil, "buffer of the -b with the same index: a name or [PIPELINE:][SET:]BINDING (default: the first)")
}

// check rejects combinations of flags without a meaning.
func (d *dumpFlags) check(files []string) error {
	if len(files) != 1 && d.any() {
		return unreadable("-i and -b with %d scripts; want one", len(files))
	}
	if len(d.imageNames) > len(d.images) || len(d.bufferNames) > len(d.buffers) {
		return unreadable("more -I or -B than -i or -b; each names the buffer of one file")
	}
	if n := countOf(slices.Concat(d.images, d.buffers), isStandard); n > 1 {
		return unreadable("%d of -i and -b write to standard output; want one", n)
	}
	return nil
}

// any reports whether contents are written.
func (d *dumpFlags) any() bool { return len(d.images)+len(d.buffers) > 0 }

// isStandard reports whether the name of an output is standard output: "-", or a name of its file, pipe or terminal, such
// as /dev/stdout.
func isStandard(file string) bool { return file == "-" || sameOutput(file, os.Stdout) }

// countOf returns the number of elements for which f is true.
func countOf[T any](list []T, f func(T) bool) (n int) {
	for _, x := range list {
		if f(x) {
			n++
		}
	}
	return n
}

// sameOutput reports whether writes to a name and to a stream follow each other in one file, pipe or terminal.
func sameOutput(name string, stream *os.File) bool {
	x, err := os.Stat(name)
	if err != nil {
		return false
	}
	y, err := stream.Stat()
	return err == nil && os.SameFile(x, y) && (x.Mode().IsRegular() || x.Mode()&os.ModeNamedPipe != 0 || isatty.IsTerminal(stream.Fd()))
}

// standard reports whether contents go to standard output.
func (d *dumpFlags) standard() bool {
	return slices.ContainsFunc(d.images, isStandard) || slices.ContainsFunc(d.buffers, isStandard)
}

// write writes the selected contents after a script has run.
func (d *dumpFlags) write(c console, s *amber.Script, r amber.Result) error {
	if r.Contents == nil {
		return nil
	}
	for i, file := range d.images {
		b := firstPicture(s)
		if i < len(d.imageNames) {
			b = s.Buffer(d.imageNames[i])
		}
		if b == nil {
			return fmt.Errorf("-i %s: the script has no such picture", file)
		}
		m, err := b.Picture(r.Contents[b.Name])
		if err != nil {
			return fmt.Errorf("-i %s: %w", file, err)
		}
		var out bytes.Buffer
		if err := png.Encode(&out, m); err != nil {
			return fmt.Errorf("-i %s: %w", file, err)
		}
		if err := writeOutput(c, file, out.Bytes()); err != nil {
			return err
		}
	}
	for i, file := range d.buffers {
		name := ""
		if i < len(d.bufferNames) {
			name = d.bufferNames[i]
		}
		b := findBuffer(s, name)
		if b == nil {
			return fmt.Errorf("-b %s: the script has no buffer %q", file, name)
		}
		if err := writeOutput(c, file, hexLines(b.Name, r.Contents[b.Name])); err != nil {
			return err
		}
	}
	return nil
}

func firstPicture(s *amber.Script) *amber.Buffer {
	for _, b := range s.Buffers {
		if b.Texel != nil && b.Image != nil && b.Image.Width > 0 {
			return b
		}
	}
	return nil
}

// findBuffer returns the buffer of -B: by its name or by [PIPELINE:][SET:]BINDING. The
// empty name selects the first buffer.
func findBuffer(s *amber.Script, name string) *amber.Buffer {
	if name == "" && len(s.Buffers) > 0 {
		return s.Buffers[0]
	}
	if b := s.Buffer(name); b != nil {
		return b
	}
	parts := strings.Split(name, ":")
	binding, err := strconv.ParseUint(parts[len(parts)-1], 10, 32)
	if err != nil || len(parts) > 3 {
		return nil
	}
	set, pipeline := uint64(0), ""
	for _, p := range parts[:len(parts)-1] {
		if set, err = strconv.ParseUint(p, 10, 32); err != nil {
			set, pipeline = 0, p
		}
	}
	for _, p := range s.Pipelines {
		if pipeline != "" && p.Name != pipeline {
			continue
		}
		for _, b := range p.Bindings {
			if b.Set == uint32(set) && b.Binding == uint32(binding) && len(b.Buffers) > 0 {
				return b.Buffers[0]
			}
		}
	}
	return nil
}

// hexLines renders bytes as the name and lines of 16.
func hexLines(name string, data []byte) []byte {
	out := []byte(plain.Line(name) + "\n")
	for i, b := range data {
		out = fmt.Appendf(out, "%02x", b)
		if i%16 == 15 || i == len(data)-1 {
			out = append(out, '\n')
		} else {
			out = append(out, ' ')
		}
	}
	return out
}
