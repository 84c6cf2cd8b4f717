package valid

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

var writeSentences = flag.String("sentences", "", "write the modules of the sentence tables to this folder")

// TestSentences checks testdata/sentences, the tables of the sentences of the
// specification that a validator can decide. README.md there describes the
// format. The failing module of a row has errors of exactly the row's codes, the
// passing module has none.
func TestSentences(t *testing.T) {
	b := newSentenceBuilder(t)
	for _, table := range sentenceTables(t) {
		t.Run(table.name, func(t *testing.T) {
			for _, r := range table.rows {
				t.Run(r.subject+":"+strconv.Itoa(r.line), func(t *testing.T) {
					want := slices.Sorted(slices.Values(r.codes))
					if got := b.judge(t, &r, '-'); !slices.Equal(got, want) {
						t.Errorf("%s\nthe failing module has findings %v; want %v", r.words, got, want)
					}
					if got := b.judge(t, &r, '+'); len(got) > 0 {
						t.Errorf("%s\nthe passing module has findings %v", r.words, got)
					}
				})
			}
		})
	}
}

// TestSentenceSubjects requires that each opcode has a row or a reason why it has
// none, and that each row names a rule.
func TestSentenceSubjects(t *testing.T) {
	has := map[string]bool{}
	for _, table := range sentenceTables(t) {
		for _, s := range table.subjects {
			has[s] = true
		}
		for _, r := range table.rows {
			for _, code := range r.codes {
				if _, ok := RuleOf(code); !ok {
					t.Errorf("%s:%d: there is no rule %s", table.name, r.line, code)
				}
			}
		}
	}
	ops := spirv.Ops()
	for i := range ops {
		if name := spirv.Op(ops[i].Value()).String(); !has[name] {
			t.Errorf("%s has no row and no reason", name)
		}
	}
}

// sentenceTable is one file of testdata/sentences.
type sentenceTable struct {
	name     string
	subjects []string // with rows or a reason why there are none
	rows     []sentenceRow
}

// sentenceRow is one sentence with its two modules.
type sentenceRow struct {
	table, subject string
	line           int // of the sentence, from 1 in the file
	words          string
	codes          []string
	env, base      string
	lines          []sentenceLine
}

// sentenceLine is one instruction of a row: for the failing module (-), the
// passing module (+), or both (space).
type sentenceLine struct {
	sign byte
	text string
}

// sentenceTables reads every table.
func sentenceTables(t *testing.T) []sentenceTable {
	files, err := filepath.Glob("testdata/sentences/*.table")
	if err != nil || len(files) == 0 {
		t.Fatal("no tables", err)
	}
	var out []sentenceTable
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		table := readSentences(t, strings.TrimSuffix(filepath.Base(file), ".table"), text)
		table.expand()
		out = append(out, table)
	}
	return out
}

// expand replaces each row that has $op in its instructions by one row for each
// name of its subject.
func (table *sentenceTable) expand() {
	var out []sentenceRow
	for _, r := range table.rows {
		if !slices.ContainsFunc(r.lines, func(l sentenceLine) bool { return strings.Contains(l.text, "$op") }) {
			out = append(out, r)
			continue
		}
		for _, op := range strings.Fields(r.subject) {
			own := r
			own.subject, own.lines = op, slices.Clone(r.lines)
			for i := range own.lines {
				own.lines[i].text = strings.ReplaceAll(own.lines[i].text, "$op", op)
			}
			out = append(out, own)
		}
	}
	table.rows = out
}

// readSentences reads one table.
func readSentences(t *testing.T, name string, text []byte) sentenceTable {
	table := sentenceTable{name: name}
	subject := ""
	defaults := sentenceRow{table: name, env: "spv1.6", base: "compute"}
	scan := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; scan.Scan(); n++ {
		line := scan.Text()
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case line[0] == '*':
			subject = strings.TrimSpace(line[1:])
		case line[0] == '!': // the reason why the subject has no row
			table.subjects = append(table.subjects, strings.Fields(subject)...)
		case line[0] == '-' || line[0] == '+' || line[0] == ' ':
			if len(table.rows) == 0 {
				t.Fatalf("%s:%d: an instruction before the first sentence", name, n)
			}
			r := &table.rows[len(table.rows)-1]
			r.lines = append(r.lines, sentenceLine{line[0], strings.TrimSpace(line[1:])})
		default:
			words, options, ok := strings.Cut(line, " | ")
			if !ok || subject == "" {
				t.Fatalf("%s:%d: a sentence has the form WORDS | CODE, below a subject", name, n)
			}
			r := defaults
			r.subject, r.line, r.words = subject, n, words
			r.readOptions(options)
			if len(r.codes) == 0 {
				t.Fatalf("%s:%d: no code", name, n)
			}
			table.subjects = append(table.subjects, strings.Fields(subject)...)
			table.rows = append(table.rows, r)
		}
	}
	return table
}

// readOptions reads the codes, the environment and the base of a row.
func (r *sentenceRow) readOptions(text string) {
	for _, o := range strings.Fields(text) {
		if strings.HasPrefix(o, "SPV-") || strings.HasPrefix(o, "VUID-") {
			r.codes = append(r.codes, o)
		} else if _, ok := ParseEnv(o); ok {
			r.env = o
		} else {
			r.base = o
		}
	}
}

// judge returns the codes of the findings of the row's module of a sign, each
// once, in order.
func (b *sentenceBuilder) judge(t *testing.T, r *sentenceRow, sign byte) []string {
	env, ok := ParseEnv(r.env)
	if !ok {
		t.Fatalf("no environment %s", r.env)
	}
	text := b.build(t, r, env, sign)
	words, err := asm.Assemble([]byte(text), asm.AssembleOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	words[1] = uint32(env.SPIRV) // also for instructions of later versions
	if *writeSentences != "" {
		kind := map[byte]string{'-': "fail", '+': "pass"}[sign]
		file := filepath.Join(*writeSentences, strings.Join([]string{r.table, strings.Fields(r.subject)[0], strconv.Itoa(r.line), kind, r.env}, "_"))
		if err := os.WriteFile(file+".spvasm", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var bytes []byte
		for _, w := range words {
			bytes = binary.LittleEndian.AppendUint32(bytes, w)
		}
		if err := os.WriteFile(file+".spv", bytes, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := spirv.FromWords(words)
	var got []string
	for _, f := range findingsOf(t, env, Limits{}, m, err, caseLines(text, "spvasm")) {
		_, code, _ := strings.Cut(f, " ")
		got = append(got, code)
	}
	slices.Sort(got)
	got = slices.Compact(got)
	if t.Failed() || len(got) > 0 && sign == '+' {
		t.Logf("module:\n%s", text)
	}
	return got
}

// sentenceBuilder builds the modules of rows.
type sentenceBuilder struct {
	bases map[string][]string
	pool  []poolEntry
	byID  map[string]int // index into pool
}

// poolEntry is one definition that a module has only if it uses its id.
type poolEntry struct {
	id    string
	lines []string // the definition, then the lines that it needs
}

// newSentenceBuilder reads the bases and the pool.
func newSentenceBuilder(t *testing.T) *sentenceBuilder {
	files, err := filepath.Glob("testdata/sentences/pool*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no pool", err)
	}
	b := &sentenceBuilder{bases: map[string][]string{}, byID: map[string]int{}}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			b.read(t, f)
		}
	}
	return b
}

// read reads a base or a part of the pool.
func (b *sentenceBuilder) read(t *testing.T, f txtar.File) {
	lines := slices.DeleteFunc(strings.Split(string(f.Data), "\n"), func(l string) bool {
		return strings.TrimSpace(l) == "" || l[0] == ';'
	})
	if f.Name != "pool" {
		b.bases[f.Name] = lines
		return
	}
	for _, l := range lines {
		if l[0] == ' ' {
			last := &b.pool[len(b.pool)-1]
			last.lines = append(last.lines, strings.TrimSpace(l))
			continue
		}
		id := resultOf(strings.TrimPrefix(strings.TrimPrefix(l, "global "), "last "))
		if _, twice := b.byID[id]; id == "" || twice {
			t.Fatalf("pool: %q defines no id or an id twice", l)
		}
		b.byID[id] = len(b.pool)
		b.pool = append(b.pool, poolEntry{id, []string{l}})
	}
}
