package source

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Limits are the constants of GLSL, such as gl_MaxGeometryOutputVertices, with the limits of Chiaro's device where the compilers have
// less. A compiler refuses sources beyond its limits, and the device that runs or checks the module has others.
var Limits = []struct {
	Name   string // in the settings of glslc and glslangValidator, without gl_
	Device string // the limit of Vulkan that it is, in Per's unit
	Value  int
	Per    int // of the unit of Device for one of Value's
}{
	{"MaxGeometryOutputVertices", "maxGeometryOutputVertices", 1024, 1},
	{"MaxGeometryTotalOutputComponents", "maxGeometryTotalOutputComponents", 16384, 1},
	{"MaxGeometryInputComponents", "maxGeometryInputComponents", 128, 1},
	{"MaxVertexOutputComponents", "maxVertexOutputComponents", 128, 1},
	{"MaxTessPatchComponents", "maxTessellationControlPerPatchOutputComponents", 128, 1},
	{"MaxComputeWorkGroupSizeZ", "maxComputeWorkGroupSize[2]", 1024, 1},
	{"MaxTransformFeedbackInterleavedComponents", "maxTransformFeedbackBufferDataSize", 512, 4},
}

// limitFlag is the setting of all limits for glslc.
func limitFlag() string {
	var words []string
	for _, l := range Limits {
		words = append(words, l.Name, strconv.Itoa(l.Value))
	}
	return "-flimit=" + strings.Join(words, " ")
}

// settings are the settings of glslangValidator with the limits raised, by the path of the program: each process asks the program once.
var settings sync.Map

// limitFile writes the settings of glslangValidator to a file of a folder, and returns its name. The file replaces all settings of the
// program, so that it has the others as the program prints them.
func limitFile(ctx context.Context, program, folder string) (string, error) {
	text, ok := settings.Load(program)
	if !ok {
		all, err := exec.CommandContext(ctx, program, "-c").Output()
		if err != nil {
			return "", err
		}
		text, _ = settings.LoadOrStore(program, withLimits(string(all)))
	}
	name := filepath.Join(folder, "limits.conf")
	return name, os.WriteFile(name, []byte(text.(string)), 0o600)
}

// withLimits returns settings, a name and a number in each line, with the limits in them raised.
func withLimits(settings string) string {
	lines := strings.Split(settings, "\n")
	for i, line := range lines {
		for _, l := range Limits {
			if name, _, ok := strings.Cut(line, " "); ok && name == l.Name {
				lines[i] = l.Name + " " + strconv.Itoa(l.Value)
			}
		}
	}
	return strings.Join(lines, "\n")
}
