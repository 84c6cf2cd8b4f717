package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestHeat: the page of a script with draws has the picture and the instructions at its pixels. Two draws of two triangles over 64×64
// pixels execute the same instructions at each pixel, so that the mean is the largest count.
func TestHeat(t *testing.T) {
	var out, messages bytes.Buffer
	if code := run([]string{"profile", "testdata/debug_draw.amber", "--format", "html"}, console{strings.NewReader(""), &out, &messages, new(lastInput), nil}); code != 0 {
		t.Fatalf("exit code %d: %s", code, &messages)
	}
	page := out.String()
	found := regexp.MustCompile(`64 × 64 pixels, draws: 2, instructions of fragments: (\d+), ([\d.]+) at a pixel`).FindStringSubmatch(page)
	if found == nil || strings.Count(page, `src="data:image/png;base64,`) != 2 {
		t.Fatalf("the page has no picture with its heat:\n%.1500s", page)
	}
	total, err := strconv.Atoi(found[1])
	if err != nil || total == 0 || total%(64*64) != 0 || found[2] != strconv.Itoa(total/(64*64))+".0" {
		t.Errorf("%s instructions, %s at a pixel: must be the same at all", found[1], found[2])
	}
	if !strings.Contains(page, "<span>"+strconv.Itoa(total/(64*64))+"</span>") {
		t.Errorf("the largest count is not that of all pixels")
	}
}
