package shadertable

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/golden"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Failure is an expectation that does not hold.
type Failure struct {
	Message string             // file:line:1: text
	Golden  string             // the file of the expected picture; "" for others
	Got     image.Image        // the result for Golden
	Differs *golden.Difference // nil if Golden does not exist
}

// maxShown bounds the values of a buffer that a failure lists.
const maxShown = 8

// Check compares the contents and the reports of a run with the expected ones. open reads the expected pictures; an error that
// errors.Is fs.ErrNotExist is a failure with the result.
func (x *Test) Check(s *amber.Script, r *amber.Result, open amber.Open) (list []Failure) {
	for _, o := range x.outs {
		b := s.Buffer(o.name)
		switch {
		case b == nil:
			list = append(list, x.failure(x.Line, "%s is not there", o.title))
		case o.buffer != nil && x.body.Permitted: // Judge has them
		case o.buffer != nil:
			list = append(list, x.checkBuffer(&o, b, r.Contents[o.name])...)
		default:
			list = append(list, x.checkPicture(&o, b, r.Contents[o.name], open)...)
		}
	}
	return append(list, x.checkFindings(r.Reports)...)
}

func (x *Test) failure(line int, format string, args ...any) Failure {
	return Failure{Message: fmt.Sprintf("%s:%d:1: %s: ", x.File, line, x.Name) + fmt.Sprintf(format, args...)}
}

func (x *Test) checkBuffer(o *output, b *amber.Buffer, contents []byte) (list []Failure) {
	have, tolerance := b.Count(contents), o.buffer.Tolerance.of()
	if n := len(o.buffer.Expect); n > have {
		return []Failure{x.failure(o.buffer.Expect.line(), "%s holds %d values; %d are expected", o.title, have, n)}
	}
	wrong := 0
	for k, t := range o.buffer.Expect {
		got, scalar := b.Value(contents, k)
		want, err := scalar.Parse(t.value)
		if err != nil {
			return []Failure{x.failure(t.line, "%s: the expected value %d is %v", o.title, k, err)}
		}
		same := got.Bits == want.Bits
		if scalar.Kind == amber.Float {
			same = tolerance.Near(got.Float, want.Float, scalar.Bits)
		} else if !same && tolerance != (golden.Tolerance{}) {
			same = tolerance.Near(got.Float, want.Float, 64)
		}
		if same {
			continue
		}
		if wrong++; wrong > maxShown {
			continue
		}
		words := ""
		if scalar.Kind == amber.Float {
			words = fmt.Sprintf(" (%s)", distance(got.Float, want.Float, scalar.Bits))
		}
		list = append(list, x.failure(t.line, "%s[%d] is %s; must be %s%s", o.title, k, scalar.Text(got), scalar.Text(want), words))
	}
	if wrong > maxShown {
		list = append(list, x.failure(o.buffer.Expect.line(), "%s has %d more wrong values", o.title, wrong-maxShown))
	}
	return list
}

// distance describes how far a result is from the expected value.
func distance(got, want float64, bits int) string {
	d := got - want
	if d != d || d-d != 0 {
		return "not comparable"
	}
	return fmt.Sprintf("%d ULP, %.3g", golden.Distance(got, want, bits), d)
}

func (x *Test) checkPicture(o *output, b *amber.Buffer, contents []byte, open amber.Open) []Failure {
	line := o.picture.Expect.line
	got, err := b.Picture(contents)
	if err != nil {
		return []Failure{x.failure(line, "%s: %v", o.title, err)}
	}
	name := o.picture.Expect.value
	missing := func(err error) []Failure {
		f := x.failure(line, "%s: the expected picture %s cannot be read: %v", o.title, name, err)
		f.Golden, f.Got = name, got
		return []Failure{f}
	}
	data, err := open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(err)
	case err != nil: // it may be outside of the folder, where nothing is recorded
		return []Failure{x.failure(line, "%s: %v", o.title, err)}
	}
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err == nil && (config.Width <= 0 || config.Height > amber.MaxBytes/16/config.Width) {
		err = errors.New("the picture is too large")
	}
	var want image.Image
	if err == nil {
		want, err = png.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return missing(err)
	}
	d := golden.Compare(got, want, golden.PictureTolerance(o.picture.Tolerance))
	if d.Equal() {
		return nil
	}
	f := x.failure(line, "%s differs from %s: %s", o.title, name, d)
	f.Golden, f.Got, f.Differs = name, got, d
	return []Failure{f}
}

// checkFindings compares the reports of sanitizers with the expected ones: each report must be expected, and each expected finding
// must have a report. An expected finding is the name of a sanitizer and, after a blank, a part of the report's text or rule.
func (x *Test) checkFindings(reports []vk.Report) (list []Failure) {
	found := make([]bool, len(x.body.Findings))
	for i := range reports {
		r := &reports[i]
		expected := false
		for k, f := range x.body.Findings {
			sanitizer, part, _ := strings.Cut(f.value, " ")
			matches := (sanitizer == r.Sanitizer || sanitizer == "all" || sanitizer == "faults") &&
				(strings.Contains(r.Text(), part) || strings.Contains(r.Rule, part))
			found[k], expected = found[k] || matches, expected || matches
		}
		if !expected {
			list = append(list, x.failure(x.Line, "a finding that is not expected: %s: %s", r.Sanitizer, r.Text()))
		}
	}
	for k, f := range x.body.Findings {
		if !found[k] {
			list = append(list, x.failure(f.line, "no finding %q; must have one", f.value))
		}
	}
	return list
}
