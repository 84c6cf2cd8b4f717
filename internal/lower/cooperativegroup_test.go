package lower

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestCooperativeOfWorkgroups runs the cases of cooperative matrices with matrices
// of the scope Workgroup, in workgroups of several sizes that subgroups divide in
// several ways: the results that they want do not depend on the scope of a matrix.
func TestCooperativeOfWorkgroups(t *testing.T) {
	files, err := filepath.Glob("testdata/cooperative/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	matrix := regexp.MustCompile(`(= OpTypeCooperativeMatrix(?:KHR|NV) %\w+ )%\w+`)
	size := regexp.MustCompile(`LocalSize \d+ 1 1`)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		switch name {
		case "array", "length", "workgroup": // matrices of subgroups alone, a length, of workgroups already
			continue
		}
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source := string(a.Files[0].Data)
		if !matrix.MatchString(source) {
			continue
		}
		first := strings.LastIndex(source[:matrix.FindStringIndex(source)[0]], "\n")
		source = source[:first] + "\n%workgroup = OpConstant %u32 2" + source[first:]
		source = matrix.ReplaceAllString(source, "${1}%workgroup")
		sizes := [][3]int{{4, 1, 1}, {16, 1, 1}, {8, 4, 1}}
		if name == "nv" { // which wants a length as of four lanes
			sizes = sizes[:1]
		}
		for n, s := range sizes {
			t.Run(fmt.Sprint(name, s), func(t *testing.T) {
				t.Parallel()
				text := size.ReplaceAllString(source, fmt.Sprintf("LocalSize %d %d %d", s[0], s[1], s[2]))
				script := string(a.Files[1].Data)
				script = regexp.MustCompile(`(?m)^subgroup \d+$`).ReplaceAllString(script, "")
				script = fmt.Sprintf("subgroup %d\n", 4<<(n%2)) + script
				runCase(t, []byte(text), script)
				if strings.Contains(source, "MatrixMulAdd") {
					runCase(t, []byte(text), "loops 1\n"+script)
				}
			})
		}
	}
}

// TestCooperativeLoops runs the cases of cooperative matrices with all products as
// loops: the results are the same.
func TestCooperativeLoops(t *testing.T) {
	files, err := filepath.Glob("testdata/cooperative/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(a.Files[0].Data), "MatrixMulAdd") {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runCase(t, a.Files[0].Data, "loops 1\n"+string(a.Files[1].Data))
		})
	}
}

// TestLengthOfWorkgroups lowers a constant that is the length of a matrix of the scope Workgroup, which needs
// the size of the workgroup before there is a program: 6 columns of 5 components on 16 invocations are 5 for
// each.
func TestLengthOfWorkgroups(t *testing.T) {
	a, err := txtar.ParseFile("testdata/cooperative/length.txtar")
	if err != nil {
		t.Fatal(err)
	}
	const subgroup, workgroup = "CooperativeMatrixKHR %s32 %u32_3", "CooperativeMatrixKHR %s32 %u32_2"
	source := string(a.Files[0].Data)
	if !strings.Contains(source, subgroup) {
		t.Fatal("the case has no matrix of a subgroup")
	}
	source = strings.Replace(source, subgroup, workgroup, 1)
	p, err := stage(t, []byte(source), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.String(); !strings.Contains(text, "5:i32") {
		t.Errorf("no length of 5:\n%s", text)
	}
	for _, size := range []string{"LocalSize 0 1 1", "LocalSize 65536 65536 2"} { // an error, not a panic
		if _, err := stage(t, []byte(strings.Replace(source, "LocalSize 16 1 1", size, 1)), nil, Options{}); err == nil {
			t.Errorf("%s: no error", size)
		}
	}
}
