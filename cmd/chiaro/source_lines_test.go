package main

import "testing"

func TestIndexLines(t *testing.T) {
	index := map[namedLine]string{}
	indexLines(index, "a.frag", "// OpModuleProcessed client vulkan100\n// OpModuleProcessed entry-point main\n#line 1\n#version 450\r\nb\n"+
		"#line 100 \"other.glsl\"\nfloat f()\n# line 11 \"a.frag\" // back\nvoid main() {\n  #line 7 2\nx\n#line 20 0\ny\n# 5 \"gcc.h\"\nz")
	for at, want := range map[namedLine]string{
		{"a.frag", 1}: "#version 450", {"a.frag", 2}: "b", {"a.frag", 11}: "void main() {", {"a.frag", 20}: "y",
		{"other.glsl", 100}: "float f()", {"2", 7}: "x", {"gcc.h", 5}: "z", {"a.frag", 3}: "",
	} {
		if got := index[at]; got != want {
			t.Errorf("%v: %q; want %q", at, got, want)
		}
	}
}
