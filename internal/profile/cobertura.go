package profile

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// The elements of a report of Cobertura (coverage-04.dtd). It requires the elements of lists even if they are empty.
type (
	coberturaReport struct {
		XMLName xml.Name `xml:"coverage"`
		coberturaRates
		LinesCovered    int                `xml:"lines-covered,attr"`
		LinesValid      int                `xml:"lines-valid,attr"`
		BranchesCovered int                `xml:"branches-covered,attr"`
		BranchesValid   int                `xml:"branches-valid,attr"`
		Version         string             `xml:"version,attr"`
		Timestamp       int64              `xml:"timestamp,attr"`
		Sources         []string           `xml:"sources>source"`
		Packages        []coberturaPackage `xml:"packages>package"`
	}
	coberturaPackage struct {
		Name string `xml:"name,attr"`
		coberturaRates
		Classes coberturaClasses `xml:"classes"`
	}
	coberturaClasses struct {
		List []coberturaClass `xml:"class"`
	}
	coberturaClass struct {
		Name     string `xml:"name,attr"`
		Filename string `xml:"filename,attr"`
		coberturaRates
		Methods coberturaMethods `xml:"methods"`
		Lines   coberturaLines   `xml:"lines"`
	}
	coberturaMethods struct {
		List []coberturaMethod `xml:"method"`
	}
	coberturaMethod struct {
		Name      string `xml:"name,attr"`
		Signature string `xml:"signature,attr"`
		coberturaRates
		Lines coberturaLines `xml:"lines"`
	}
	coberturaLines struct {
		List []coberturaLine `xml:"line"`
	}
	coberturaLine struct {
		Number    int    `xml:"number,attr"`
		Hits      uint64 `xml:"hits,attr"`
		Branch    bool   `xml:"branch,attr"`
		Condition string `xml:"condition-coverage,attr,omitempty"`
	}
	coberturaRates struct {
		LineRate   string `xml:"line-rate,attr"`
		BranchRate string `xml:"branch-rate,attr"`
		Complexity int    `xml:"complexity,attr"`
	}
)

// Cobertura writes the coverage as a report of Cobertura. The time of the report is 0, so that equal runs have equal reports.
func (p *Profile) Cobertura(w io.Writer) error {
	var lines, branches [2]int
	pack := coberturaPackage{Name: "shaders"}
	for _, f := range p.Lines() {
		l, _, b := f.covered()
		for i := range 2 {
			lines[i] += l[i]
			branches[i] += b[i]
		}
		name := plain.Line(f.Name)
		class := coberturaClass{Name: name, Filename: name, coberturaRates: rates(l, b)}
		for _, fn := range f.functions() {
			class.Methods.List = append(class.Methods.List, coberturaMethod{
				Name: plain.Line(fn.Unique), coberturaRates: rates([2]int{1, int(min(fn.Calls, 1))}, [2]int{}),
				Lines: coberturaLines{[]coberturaLine{{Number: fn.Line, Hits: fn.Calls}}},
			})
		}
		for i := range f.Lines {
			class.Lines.List = append(class.Lines.List, coberturaLineOf(&f.Lines[i]))
		}
		pack.Classes.List = append(pack.Classes.List, class)
	}
	pack.coberturaRates = rates(lines, branches)
	report := coberturaReport{
		coberturaRates: pack.coberturaRates, LinesCovered: lines[1], LinesValid: lines[0], BranchesCovered: branches[1], BranchesValid: branches[0],
		Version: "chiaro", Sources: []string{"."}, Packages: []coberturaPackage{pack},
	}
	const head = xml.Header + `<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">` + "\n"
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(report); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// coberturaLineOf returns the element of a line.
func coberturaLineOf(l *Line) coberturaLine {
	out := coberturaLine{Number: l.Number, Hits: l.Executed, Branch: len(l.Branches) > 0}
	if n := len(l.Branches); n > 0 {
		taken := 0
		for _, b := range l.Branches {
			if b.Taken > 0 {
				taken++
			}
		}
		out.Condition = fmt.Sprintf("%d%% (%d/%d)", 100*taken/n, taken, n)
	}
	return out
}

// rates returns the executed shares of lines and branches.
func rates(lines, branches [2]int) coberturaRates {
	return coberturaRates{LineRate: rate(lines), BranchRate: rate(branches)}
}

// rate returns the executed share of a number; 1 of none.
func rate(c [2]int) string {
	if c[0] == 0 {
		return "1"
	}
	return strconv.FormatFloat(float64(c[1])/float64(c[0]), 'f', 4, 64)
}
