package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// cacheModule is a vertex shader with a uniform buffer that some layouts have.
const cacheModule = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main"
OpName %u "u"
OpDecorate %u DescriptorSet 0
OpDecorate %u Binding 1
OpDecorate %s Block
OpMemberDecorate %s 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%s = OpTypeStruct %float
%p = OpTypePointer Uniform %s
%u = OpVariable %p Uniform
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %s %u
OpReturn
OpFunctionEnd
`

// writeArchive writes an archive of one pipeline. Its set layout has one binding.
func writeArchive(t *testing.T, file, binding string) {
	t.Helper()
	m := asmtest.Module(t, cacheModule, spirv.Version10)
	var b bytes.Buffer
	w, err := fossil.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []struct {
		tag  fossil.Tag
		hash fossil.Hash
		data []byte
	}{
		{fossil.ShaderModule, 1, fossil.Module(1, m.Encode())},
		{fossil.SetLayout, 2, []byte(`{"version":6,"setLayouts":{"0000000000000002":{"flags":0,"bindings":[{"descriptorType":6,"descriptorCount":1,"stageFlags":1,"binding":` + binding + `}]}}}`)},
		{fossil.PipelineLayout, 3, []byte(`{"version":6,"pipelineLayouts":{"0000000000000003":{"flags":0,"setLayouts":["0000000000000002"]}}}`)},
		{fossil.GraphicsPipeline, 4, []byte(`{"version":6,"graphicsPipelines":{"0000000000000004":{"flags":0,"layout":"0000000000000003","renderPass":"0",
			"stages":[{"flags":0,"stage":1,"module":"0000000000000001","name":"main"}]}}}`)},
	} {
		if err := w.Add(o.tag, o.hash, o.data, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkCached returns the report and the messages of a check of an archive with a folder of results.
func checkCached(cache, archive string) string {
	var out, errs bytes.Buffer
	f := checkFlags{format: "text", targetEnv: "vulkan1.3", jobs: 2, cacheDir: cache}
	_ = checkFiles(console{out: &out, err: &errs}, f, []string{archive}) // findings are an exit code
	return out.String() + errs.String()
}

// TestCache checks that a cached result equals the original, that it is not reused
// if an object of the pipeline has changed, and that a truncated or damaged file is
// used up to the damage.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	cache, archive := filepath.Join(dir, "cache"), filepath.Join(dir, "a.foz")
	check := func() string { return checkCached(cache, archive) }
	writeArchive(t, archive, "7")
	cold := check()
	if !strings.Contains(cold, "layout-07988") || !strings.Contains(cold, "EXERCISED 2/2") {
		t.Fatalf("got\n%s", cold)
	}
	files, err := filepath.Glob(cache + "/*.results")
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if warm := check(); warm != cold {
		t.Errorf("got\n%s\nthe second time, must be\n%s", warm, cold)
	}
	writeArchive(t, archive, "1") // the pipeline itself has not changed
	if fixed := check(); strings.Contains(fixed, "07988") {
		t.Errorf("a set layout has changed, and the old result is taken:\n%s", fixed)
	}
	writeArchive(t, archive, "7")
	kept, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 5, len(cacheMagic), len(kept) / 2, len(kept) - 1} {
		if err := os.WriteFile(files[0], kept[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if got := check(); got != cold {
			t.Errorf("cut at %d: got\n%s\nmust be\n%s", n, got, cold)
		}
	}
	for n := range kept {
		bad := bytes.Clone(kept)
		bad[n] ^= 0x55
		c := &resultCache{known: map[cacheKey][]byte{}}
		if err := os.WriteFile(files[0], bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if c.file, err = os.Open(files[0]); err != nil {
			t.Fatal(err)
		}
		c.load()
		c.file.Close()
		for k, v := range c.known {
			if !bytes.Contains(kept, v) || !bytes.Contains(kept, k[:]) {
				t.Fatalf("byte %d changed: a damaged result is used", n)
			}
		}
	}
}

// forge returns a file of results in which old is new in each result, with correct checksums.
func forge(file []byte, old, new string) []byte {
	forged := bytes.Clone(file[:len(cacheMagic)])
	for rest := file[len(cacheMagic):]; len(rest) > 0; {
		n := int(binary.LittleEndian.Uint32(rest))
		body := append(bytes.Clone(rest[8:24]), bytes.ReplaceAll(rest[24:24+n], []byte(old), []byte(new))...)
		forged = binary.LittleEndian.AppendUint32(forged, uint32(len(body)-16))
		forged = binary.LittleEndian.AppendUint32(forged, crc32.ChecksumIEEE(body))
		forged, rest = append(forged, body...), rest[24+n:]
	}
	return forged
}

// TestCacheAbsent checks that a named folder that cannot be made is reported, and that the results are those without a cache.
func TestCacheAbsent(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.foz")
	writeArchive(t, archive, "7")
	cached := checkCached(filepath.Join(dir, "cache"), archive)
	got := checkCached(filepath.Join(archive, "cache"), archive)
	if !strings.Contains(got, "results are not cached") || !strings.Contains(got, cached) {
		t.Errorf("below a file: %s; want a message, and %s", got, cached)
	}
}

// TestCacheDistrust checks that results which another user may have written are not used: a folder is not used at all, a
// file is replaced.
func TestCacheDistrust(t *testing.T) {
	dir := t.TempDir()
	cache, archive := filepath.Join(dir, "cache"), filepath.Join(dir, "a.foz")
	check := func() string { return checkCached(cache, archive) }
	writeArchive(t, archive, "7")
	cold := check()
	files, err := filepath.Glob(cache + "/*.results")
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	kept, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	forged := forge(kept, "07988", "forged")
	if bytes.Equal(forged, kept) {
		t.Fatal("no result names the rule")
	}
	write := func(file, folder os.FileMode) {
		t.Helper()
		for _, err := range []error{os.WriteFile(files[0], forged, 0o600), os.Chmod(files[0], file), os.Chmod(cache, folder)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if write(0o600, 0o700); !strings.Contains(check(), "forged") {
		t.Fatal("a forged result of the user is not used: the test proves nothing")
	}
	for _, c := range []struct {
		name         string
		file, folder os.FileMode
		word         string
		owner        int // 0: this user
	}{
		{"others write the file", 0o606, 0o700, "replaced", 0},
		{"the group writes the file", 0o660, 0o700, "replaced", 0},
		{"all write the file", 0o666, 0o700, "replaced", 0},
		{"all write the folder", 0o600, 0o777, "not cached", 0},
		{"the group writes the folder", 0o600, 0o770, "not cached", 0},
		{"another user's file", 0o600, 0o700, "replaced", 12345},
	} {
		write(c.file, c.folder)
		if c.owner != 0 && (os.Geteuid() != 0 || os.Chown(files[0], c.owner, -1) != nil) {
			continue // only root can change the owner
		}
		got := check()
		if strings.Contains(got, "forged") || !strings.Contains(got, "07988") {
			t.Errorf("%s: a forged result is used:\n%s", c.name, got)
		}
		if !strings.Contains(got, c.word) {
			t.Errorf("%s: no word of it:\n%s", c.name, got)
		}
		if c.word == "replaced" {
			if warm := check(); warm != cold {
				t.Errorf("%s: after the replacement\n%s\nmust be\n%s", c.name, warm, cold)
			}
		}
	}
	if err := os.Chmod(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "target")
	for _, err := range []error{os.WriteFile(target, forged, 0o600), os.Remove(files[0]), os.Symlink(target, files[0])} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := check(); strings.Contains(got, "forged") {
		t.Errorf("a link is followed:\n%s", got)
	}
}
