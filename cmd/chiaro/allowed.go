package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/precision"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// allowedFlags are the flags of allowed.
type allowedFlags struct {
	bits              int
	result, from      string
	format            string
	preserveDenormals bool
	signedRemainder   bool
	list              bool
}

const allowedLong = `Show the results that Vulkan permits for an instruction on floats ("Precision and Operation of SPIR-V
Instructions") or integers: of any implementation, not only of Chiaro. The range of an instruction that is "inherited from" a formula
has all formulas that are equal by associativity, commutativity and distributivity. An instruction on integers has one result, or any if
SPIR-V leaves it undefined.

An operand is a number, such as 0.1, 0x1p-3, inf, nan, or the bits, such as 0x3f800000; a vector has commas: 1,2,3. A matrix is
its columns. Flags are before the instruction. With --result the exit code is 1 if the result is not permitted. --from reads
questions from a file, one a line, INSTRUCTION[:BITS] OPERAND... = RESULT, and lists the results that are not permitted.`

func newAllowed(c console) *cobra.Command {
	var f allowedFlags
	cmd := &cobra.Command{
		Use:     "allowed [flags] INSTRUCTION OPERAND...",
		Short:   "Show the results that Vulkan's precision rules permit for an instruction",
		Long:    allowedLong,
		Example: "  chiaro allowed OpFDiv 1 3\n  chiaro allowed --result 0.8414 Sin 1\n  chiaro allowed --bits 16 OpDot 1,2,3 0.5,0.5,0.5\n  chiaro allowed OpShiftLeftLogical 1 40\n  chiaro allowed --from results.txt",
		RunE:    stoppable(func(ctx context.Context, args []string) error { return allowed(ctx, c, &f, args) }),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				names = precisionNames()
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	fl := cmd.Flags()
	fl.SetInterspersed(false) // operands may begin with a minus sign
	fl.IntVar(&f.bits, "bits", 32, "width of the operands: 16, 32, 64, of integers also 8")
	fl.StringVar(&f.result, "result", "", "result to judge")
	fl.StringVar(&f.from, "from", "", "read questions with results from a file, one per line; - for standard input")
	fl.BoolVar(&f.preserveDenormals, "preserve-denormals", false, "with the execution mode DenormPreserve: denormal numbers are not flushed to zero")
	fl.BoolVar(&f.signedRemainder, "maintenance8", false, "with the feature maintenance8: remainders of negative numbers are defined")
	fl.BoolVar(&f.list, "list", false, "list the instructions and their precision")
	fl.StringVar(&f.format, "format", "text", "output format: text, json")
	complete(cmd, "format", "text", "json")
	return cmd
}

func precisionNames() (names []string) {
	for _, i := range append(precision.Instructions(), precision.Judged()...) {
		names = append(names, i.Name)
	}
	for _, i := range precision.Integers() {
		names = append(names, i.Name)
	}
	return names
}

// question is one instruction with its operands and, if it is to be judged, its result.
type question struct {
	precision.Query
	rule   *precision.Instruction
	to     int         // width of the result
	result [][]float64 // one operand, or none
	sets   []precision.Set
}

func allowed(ctx context.Context, c console, f *allowedFlags, args []string) error {
	if f.format != "text" && f.format != "json" {
		return unreadable("--format %q: must be text or json", f.format)
	}
	switch {
	case f.list && (len(args) > 0 || f.from != "" || f.result != ""):
		return unreadable("--list has no instruction, no --from and no --result")
	case f.list:
		return f.listRules(c)
	case f.from != "" && f.result != "":
		return unreadable("--from reads the results from the file; it excludes --result")
	case f.from != "" && len(args) == 0:
		return f.judgeFile(ctx, c)
	case f.from != "" || len(args) == 0:
		return unreadable("want an instruction with its operands, or --from")
	}
	q, err := f.ask(ctx, args[0], args[1:], f.result)
	if err != nil {
		return questionError(ctx, "%s", err)
	}
	if f.format == "json" {
		err = q.writeJSON(c)
	} else {
		q.writeText(c)
	}
	if err == nil && !q.holds() {
		err = &coded{code: exitFindings}
	}
	return err
}

// questionError returns the error of a context that has ended, else a usage error.
func questionError(ctx context.Context, format string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return unreadable(format, args...)
}

// listRules lists the instructions with their rules.
func (f *allowedFlags) listRules(c console) error {
	type row struct {
		Instruction string `json:"instruction"`
		Bits        []int  `json:"bits"`
		Rule        string `json:"rule"`
	}
	e := json.NewEncoder(c.out)
	for _, i := range append(precision.Instructions(), precision.Judged()...) {
		if f.format == "json" {
			if err := e.Encode(row{i.Name, i.Widths(), i.Rule()}); err != nil {
				return err
			}
			continue
		}
		plain.Fprintf(c.out, "%s: %s\n", i.Name, i.Rule())
	}
	for _, i := range precision.Integers() {
		if f.format == "json" {
			if err := e.Encode(row{i.Name, i.Widths, i.Rule()}); err != nil {
				return err
			}
			continue
		}
		plain.Fprintf(c.out, "%s: %s\n", i.Name, i.Rule())
	}
	return nil
}

// asked is a question with its answer.
type asked interface {
	holds() bool
	writeText(c console)
	writeJSON(c console) error
}

// ask reads a question and answers it. The name may have the width after a colon. The name of a conversion may be three words, as in a
// file, which has its words apart.
func (f *allowedFlags) ask(ctx context.Context, name string, operands []string, result string) (asked, error) {
	bits := f.bits
	if len(operands) > 1 && operands[0] == "to" {
		name, operands = name+" to "+operands[1], operands[2:]
	}
	if base, width, ok := strings.Cut(name, ":"); ok {
		n, err := strconv.Atoi(width)
		if err != nil {
			return nil, fmt.Errorf("%q is no width", width)
		}
		name, bits = base, n
	}
	if rule, ok := precision.FindInteger(name); ok {
		return f.integers(&rule, bits, operands, result)
	}
	q, err := f.question(ctx, name, bits, operands, result)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// question reads an instruction, its operands and its result, and determines the permitted results.
func (f *allowedFlags) question(ctx context.Context, name string, bits int, operands []string, result string) (*question, error) {
	q := &question{Query: precision.Query{Instruction: name, Bits: bits, PreserveDenormals: f.preserveDenormals}}
	if q.Bits != 16 && q.Bits != 32 && q.Bits != 64 {
		return nil, fmt.Errorf("a width of %d bits; must be 16, 32 or 64", q.Bits)
	}
	rule, ok := precision.FindJudged(q.Instruction)
	if !ok {
		return nil, fmt.Errorf("no precision is defined for an instruction %q; see chiaro allowed --list", q.Instruction)
	}
	q.rule, q.Instruction, q.to = &rule, rule.Name, q.Bits
	if rule.To != 0 {
		q.to = rule.To
	}
	for _, text := range operands {
		v, err := parseNumbers(text, rule.Operand, q.Bits)
		if err != nil {
			return nil, err
		}
		q.Operands = append(q.Operands, v)
	}
	var err error
	if q.sets, err = precision.Allowed(ctx, q.Query); err != nil {
		return nil, err
	}
	if result != "" {
		v, err := parseNumbers(result, rule.Result, q.to)
		if err != nil {
			return nil, err
		}
		if len(v) != len(q.sets) {
			return nil, fmt.Errorf("a result of %d components; want %d", len(v), len(q.sets))
		}
		q.result = [][]float64{v}
	}
	return q, nil
}

// parseNumbers reads the components of an operand or a result. An integer is exact, so it has at most 53 significant bits.
func parseNumbers(text string, kind precision.Kind, bits int) (list []float64, err error) {
	if kind == precision.Float {
		return parseFloats(text, bits)
	}
	for part := range strings.SplitSeq(text, ",") {
		v, err := parseWhole(strings.TrimSpace(part), kind, bits)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func parseWhole(part string, kind precision.Kind, bits int) (float64, error) {
	switch kind {
	case precision.Bool:
		v, err := strconv.ParseBool(part)
		if err != nil {
			return 0, fmt.Errorf("%q is no bool; must be true or false", part)
		}
		if v {
			return 1, nil
		}
		return 0, nil
	case precision.Signed:
		v, err := strconv.ParseInt(part, 0, bits)
		if f := float64(v); err == nil && f < math.MaxInt64 && int64(f) == v {
			return f, nil
		}
	default:
		v, err := strconv.ParseUint(part, 0, bits)
		if f := float64(v); err == nil && f < math.MaxUint64 && uint64(f) == v {
			return f, nil
		}
	}
	return 0, fmt.Errorf("%q is no integer of %d bits with at most 53 significant ones", part, bits)
}

// parseFloats reads the components of an operand and rounds them to a width.
func parseFloats(text string, bits int) (list []float64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if lower := strings.ToLower(part); strings.HasPrefix(lower, "0x") && !strings.ContainsAny(lower, "p.") {
			n, err := strconv.ParseUint(lower[2:], 16, bits)
			if err != nil {
				return nil, fmt.Errorf("%q is no number of %d bits", part, bits)
			}
			list = append(list, scalar.Float(uint8(bits), n))
			continue
		}
		v, err := strconv.ParseFloat(part, 64)
		if err != nil && !math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q is no number", part)
		}
		list = append(list, scalar.Float(uint8(bits), scalar.FromFloat(uint8(bits), false, v)))
	}
	return list, nil
}

// holds reports whether the result, if there is one, is permitted.
func (q *question) holds() bool {
	for _, r := range q.result {
		for n, v := range r {
			if !q.sets[n].Has(v) {
				return false
			}
		}
	}
	return true
}

// bitsOf returns the bits of a result.
func (q *question) bitsOf(v float64) uint64 { return scalar.FromFloat(uint8(q.to), false, v) }

// show returns a result as a number and its bits.
func (q *question) show(v float64) string {
	switch q.rule.Result {
	case precision.Bool:
		return strconv.FormatBool(v != 0)
	case precision.Signed, precision.Unsigned:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	size := q.to
	if size == 16 {
		size = 32
	}
	return fmt.Sprintf("%s (0x%0*x)", strconv.FormatFloat(v, 'g', -1, size), q.to/4, q.bitsOf(v))
}

// describe returns a set in words.
func (q *question) describe(s *precision.Set) string {
	switch {
	case s.Any && q.rule.Result != precision.Float:
		return "any result"
	case s.Any:
		return "any result, NaN too"
	}
	var texts []string
	ranges := s.Ranges
	if q.rule.Result == precision.Bool { // of several denormal operands a range may have both
		ranges = nil
		for v := range 2 {
			if s.Has(float64(v)) {
				ranges = append(ranges, precision.Range{Low: float64(v), High: float64(v)})
			}
		}
	}
	for _, r := range ranges {
		text := q.show(r.Low)
		if r.Low != r.High {
			text += " to " + q.show(r.High)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", or ")
}

func (q *question) writeText(c console) {
	plain.Fprintf(c.out, "%s of %d bits: %s\n", q.Instruction, q.Bits, q.rule.Rule())
	for n := range q.sets {
		s, component := &q.sets[n], ""
		if len(q.sets) > 1 {
			component = fmt.Sprintf("component %d: ", n)
		}
		exact := s.Exact
		switch {
		case exact == "":
			exact = "not defined"
		case q.rule.Result == precision.Bool:
			exact = strconv.FormatBool(exact != "0")
		}
		plain.Fprintf(c.out, "%sexact %s, permitted %s\n", component, exact, q.describe(s))
		for _, r := range q.result {
			verdict := "permitted"
			if !s.Has(r[n]) {
				verdict = "not permitted"
			}
			plain.Fprintf(c.out, "%sresult %s is %s\n", component, q.show(r[n]), verdict)
		}
	}
}

// jsonSet is a set of results in JSON: numbers are texts, because JSON has no infinities, with their bits.
type jsonSet struct {
	Exact  string      `json:"exact,omitempty"`
	Any    bool        `json:"any"`
	Ranges [][2]string `json:"ranges,omitempty"`
	Bits   [][2]string `json:"bits,omitempty"`
	Result string      `json:"result,omitempty"`
	Holds  *bool       `json:"permitted,omitempty"`
}

// jsonAnswer is an instruction with the sets of its components.
type jsonAnswer struct {
	Instruction string    `json:"instruction"`
	Bits        int       `json:"bits"`
	Rule        string    `json:"rule"`
	Components  []jsonSet `json:"components"`
}

func (q *question) writeJSON(c console) error {
	var list []jsonSet
	for n := range q.sets {
		s := &q.sets[n]
		j := jsonSet{Exact: s.Exact, Any: s.Any}
		for _, r := range s.Ranges {
			number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
			hex := func(v float64) string { return fmt.Sprintf("0x%0*x", q.to/4, q.bitsOf(v)) }
			j.Ranges = append(j.Ranges, [2]string{number(r.Low), number(r.High)})
			if q.rule.Result == precision.Float {
				j.Bits = append(j.Bits, [2]string{hex(r.Low), hex(r.High)})
			}
		}
		for _, r := range q.result {
			holds := s.Has(r[n])
			j.Result, j.Holds = strconv.FormatFloat(r[n], 'g', -1, 64), &holds
		}
		list = append(list, j)
	}
	return json.NewEncoder(c.out).Encode(jsonAnswer{q.Instruction, q.Bits, q.rule.Rule(), list})
}

// judgeFile judges the questions of a file and shows those with a result that is not permitted.
func (f *allowedFlags) judgeFile(ctx context.Context, c console) error {
	data, err := readInput(c, f.from)
	if err != nil {
		return err
	}
	lines, all, wrong := bufio.NewScanner(bytes.NewReader(data)), 0, 0
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		left, result, _ := strings.Cut(text, "=")
		words := strings.Fields(left)
		if len(words) == 0 {
			continue
		}
		if strings.TrimSpace(result) == "" {
			return unreadable("%s:%d: no result; want INSTRUCTION OPERAND... = RESULT", f.from, n)
		}
		q, err := f.ask(ctx, words[0], words[1:], strings.TrimSpace(result))
		if err != nil {
			return questionError(ctx, "%s:%d: %s", f.from, n, err)
		}
		all++
		if q.holds() {
			continue
		}
		wrong++
		if f.format == "json" {
			if err := q.writeJSON(c); err != nil {
				return err
			}
			continue
		}
		plain.Fprintf(c.out, "%s:%d:\n", f.from, n)
		q.writeText(c)
	}
	if err := lines.Err(); err != nil {
		return unreadable("%s: %s", f.from, err)
	}
	plain.Fprintf(c.err, "%d results, %d not permitted\n", all, wrong)
	switch {
	case wrong > 0:
		return &coded{code: exitFindings}
	case all == 0:
		return &coded{code: exitNothing}
	}
	return nil
}
