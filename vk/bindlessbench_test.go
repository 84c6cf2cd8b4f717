package vk

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/internal/tools/client"
)

// The frames of the benchmarks of many textures.
const (
	bindlessSize     = 1000
	bindlessTextures = 500
	bindlessDraws    = 10000
	bindlessSide     = 64
)

// frames are the times of frames in milliseconds; the first one is not among the others.
type frames struct {
	first      float64
	wall, used []float64
}

// report reports the first frame, the median of the others and the longest of them, in milliseconds of wall time, and the median and the
// longest processor time of a frame: on a busy machine wall times include other programs.
func (f *frames) report(b *testing.B, name string) {
	slices.Sort(f.wall)
	b.ReportMetric(f.first, name+"first-ms")
	b.ReportMetric(f.wall[len(f.wall)/2], name+"median-ms")
	b.ReportMetric(f.wall[len(f.wall)-1], name+"longest-ms")
	b.ReportMetric(f.cpu(), name+"cpu-ms")
	b.ReportMetric(f.used[len(f.used)-1], name+"longest-cpu-ms")
}

// cpu returns the median of the processor time.
func (f *frames) cpu() float64 {
	slices.Sort(f.used)
	return f.used[len(f.used)/2]
}

func (f *frames) add(wall, used float64) {
	if f.first == 0 {
		f.first = wall
		return
	}
	f.wall, f.used = append(f.wall, wall), append(f.used, used)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// measure draws a frame.
func (g *gallery) measure(b *testing.B, c *CommandBuffer, f *frames) {
	begin, before := time.Now(), cputime.Now()
	g.one(b, c, bindlessDraws, bindlessTextures)
	f.add(milliseconds(time.Since(begin)), milliseconds(cputime.Now()-before))
}

// BenchmarkBindless draws frames of 10,000 draws of 100 triangles with 500 textures in ten formats.
func BenchmarkBindless(b *testing.B) {
	for _, array := range []bool{false, true} {
		b.Run(map[bool]string{false: "sets", true: "array"}[array], func(b *testing.B) {
			g := newGallery(b, bindlessSize, bindlessTextures, bindlessSide, array)
			c := must(g.dev.NewCommandBuffer(CommandBufferInfo{}))(b)
			var f frames
			g.measure(b, c, &f)
			for b.Loop() {
				g.measure(b, c, &f)
			}
			f.report(b, "")
		})
	}
}

//go:embed testdata/bindless.c
var bindlessClient []byte

// BenchmarkBindlessPeer draws the frames of BenchmarkBindless alternately with us and with the Vulkan driver of the manifest
// CHIARO_PEER, and compares the pictures and the processor times. It needs gcc and Vulkan's loader.
func BenchmarkBindlessPeer(b *testing.B) {
	icd := os.Getenv("CHIARO_PEER")
	if icd == "" {
		b.Skip("CHIARO_PEER does not name the manifest of a Vulkan driver to compare with")
	}
	program, err := client.Program{
		Source: bindlessClient, Name: "bindless.c", Compiler: []string{"gcc", "-std=gnu11", "-O2"}, Libs: []string{"-lvulkan"}, Needs: "libvulkan-dev",
	}.Build(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for _, array := range []bool{false, true} {
		b.Run(map[bool]string{false: "sets", true: "array"}[array], func(b *testing.B) {
			const rounds, each = 3, 4
			g := newGallery(b, bindlessSize, bindlessTextures, bindlessSide, array)
			c := must(g.dev.NewCommandBuffer(CommandBufferInfo{}))(b)
			var ours, theirs frames
			var picture []byte
			g.measure(b, c, &ours)
			for b.Loop() {
				for range rounds {
					for range each {
						g.measure(b, c, &ours)
					}
					picture = g.peer(b, program, icd, array, each+1, &theirs)
				}
			}
			if n := different(g.picture(b), picture); n > 0 {
				b.Errorf("%d of %d pixels differ by more than 1 in a component", n, len(picture)/4)
			}
			ours.report(b, "")
			theirs.report(b, "peer-")
			b.ReportMetric(theirs.cpu()/ours.cpu(), "times")
		})
	}
}

// peer runs the client for a number of frames, of which it leaves out the first, and returns its last picture.
func (g *gallery) peer(b *testing.B, program, icd string, array bool, count int, f *frames) []byte {
	b.Helper()
	dir := b.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		return path
	}
	vertices := make([]byte, 300*16)
	g.patch(vertices, 20)
	textures, flag := 1, "0"
	if array {
		textures, flag = bindlessTextures, "1"
	}
	pixels := filepath.Join(dir, "pixels")
	c := exec.Command(program, file("vertex", code(b, moved)), file("fragment", code(b, texturedWith(textures))), file("vertices", vertices), pixels,
		strconv.Itoa(bindlessSize), strconv.Itoa(bindlessTextures), strconv.Itoa(bindlessDraws), strconv.Itoa(bindlessSide), flag, strconv.Itoa(count))
	c.Env, c.Stderr = client.Environment(icd), os.Stderr
	out, err := c.Output()
	if err != nil {
		b.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var wall, used float64
		if _, err := fmt.Sscan(line, &wall, &used); err != nil {
			b.Fatalf("%q: %v", line, err)
		}
		if i > 0 || f.first == 0 {
			f.add(wall, used)
		}
	}
	picture, err := os.ReadFile(pixels)
	if err != nil {
		b.Fatal(err)
	}
	return bytes.Clone(picture)
}

// picture returns the pixels of the color attachment.
func (g *gallery) picture(t testing.TB) []byte {
	t.Helper()
	n := uint64(4 * g.size * g.size)
	to := must(g.dev.NewBuffer(BufferInfo{Size: n, Usage: TransferTarget}))(t)
	memory := must(g.dev.Allocate(MemoryInfo{Size: n}))(t)
	if err := to.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	c := g.record(t, func(c *CommandBuffer) {
		c.CopyImageToBuffer(g.color, to, []BufferImageCopy{{Extent: [3]int{g.size, g.size, 1}}})
	})
	if err := g.submit(t, c); err != nil {
		t.Fatal(err)
	}
	return memory.Bytes()
}

// different returns the number of pixels that differ by more than 1 in a component.
func different(x, y []byte) (n int) {
	for i := 0; i+4 <= min(len(x), len(y)); i += 4 {
		for k := i; k < i+4; k++ {
			if d := int(x[k]) - int(y[k]); d > 1 || d < -1 {
				n++
				break
			}
		}
	}
	return n
}
