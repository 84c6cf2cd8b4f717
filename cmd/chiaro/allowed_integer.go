package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/precision"
)

// integerQuestion is an instruction on integers with its operands, the permitted results and, if it is to be judged, its result. A nil
// result is any.
type integerQuestion struct {
	precision.IntegerQuery
	rule             *precision.Integer
	permitted, found []*big.Int
}

// integers reads the operands and the result of an instruction on integers, and determines the permitted results.
func (f *allowedFlags) integers(rule *precision.Integer, bits int, operands []string, result string) (asked, error) {
	if err := rule.CheckBits(bits); err != nil { // before numbers of so many bits
		return nil, err
	}
	q := &integerQuestion{rule: rule, IntegerQuery: precision.IntegerQuery{Instruction: rule.Name, Bits: bits, SignedRemainder: f.signedRemainder}}
	for n, text := range operands {
		v, err := parseIntegers(text, rule.OperandKind(n), rule.OperandBits(n, bits))
		if err != nil {
			return nil, err
		}
		q.Operands = append(q.Operands, v)
	}
	var err error
	if q.permitted, err = precision.AllowedIntegers(q.IntegerQuery); err != nil || result == "" {
		return q, err
	}
	if q.found, err = parseIntegers(result, rule.Result, rule.ResultBits(bits)); err != nil {
		return nil, err
	}
	if len(q.found) != len(q.permitted) {
		return nil, fmt.Errorf("a result of %d components; want %d", len(q.found), len(q.permitted))
	}
	return q, nil
}

// parseIntegers reads the components of an operand or a result. A number is in the range of the signed or of the unsigned type, and
// counts as the number of the given type with the same bits. A bool is true or false, too.
func parseIntegers(text string, kind precision.Kind, bits int) (list []*big.Int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if kind == precision.Bool {
			v, err := parseWhole(part, kind, bits)
			if err != nil {
				return nil, err
			}
			list = append(list, big.NewInt(int64(v)))
			continue
		}
		v, ok := new(big.Int).SetString(part, 0)
		low, high := big.NewInt(-1), big.NewInt(1)
		low.Lsh(low, uint(bits-1))
		high.Lsh(high, uint(bits))
		if !ok || v.Cmp(low) < 0 || v.Cmp(high) >= 0 {
			return nil, fmt.Errorf("%q is no integer of %d bits", part, bits)
		}
		list = append(list, precision.Wrap(v, kind, bits))
	}
	return list, nil
}

// permits reports whether component n of the result is permitted.
func (q *integerQuestion) permits(n int) bool {
	return q.permitted[n] == nil || q.permitted[n].Cmp(q.found[n]) == 0
}

func (q *integerQuestion) holds() bool {
	for n := range q.found {
		if !q.permits(n) {
			return false
		}
	}
	return true
}

// show returns a result as a number with its bits, or as a bool.
func (q *integerQuestion) show(v *big.Int) string {
	if q.rule.Result == precision.Bool {
		return strconv.FormatBool(v.Sign() != 0)
	}
	bits := q.rule.ResultBits(q.Bits)
	return fmt.Sprintf("%d (0x%0*x)", v, bits/4, precision.Wrap(v, precision.Unsigned, bits))
}

func (q *integerQuestion) writeText(c console) {
	plain.Fprintf(c.out, "%s of %d bits: %s\n", q.Instruction, q.Bits, q.rule.Rule())
	for n, v := range q.permitted {
		component := ""
		if len(q.permitted) > 1 {
			component = fmt.Sprintf("component %d: ", n)
		}
		if v == nil {
			plain.Fprintf(c.out, "%sundefined, permitted any result\n", component)
		} else {
			plain.Fprintf(c.out, "%spermitted %s\n", component, q.show(v))
		}
		if q.found == nil {
			continue
		}
		verdict := "permitted"
		if !q.permits(n) {
			verdict = "not permitted"
		}
		plain.Fprintf(c.out, "%sresult %s is %s\n", component, q.show(q.found[n]), verdict)
	}
}

// writeJSON writes the form of an instruction on floats. The exact result is the only one of its range.
func (q *integerQuestion) writeJSON(c console) error {
	var list []jsonSet
	for n, v := range q.permitted {
		j := jsonSet{Any: v == nil}
		if v != nil {
			j.Exact, j.Ranges = v.String(), [][2]string{{v.String(), v.String()}}
		}
		if q.found != nil {
			holds := q.permits(n)
			j.Result, j.Holds = q.found[n].String(), &holds
		}
		list = append(list, j)
	}
	return json.NewEncoder(c.out).Encode(jsonAnswer{q.Instruction, q.Bits, q.rule.Rule(), list})
}
