package valid

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// presumed are rules that report a missing property even without a device: other
// validators also presume its absence, and a flag declares its presence.
var presumed = map[string]string{
	vuid.RuntimeSpirv_None_10824:   "--allow-vulkan-32-bit-bitwise",
	vuid.RuntimeSpirv_Offset_10213: "--allow-offset-texture-operand",
}

// anyDevice are rules about properties that no device can have: nothing turns them
// off.
var anyDevice = map[string]bool{
	vuid.VkShaderModuleCreateInfo_pCode_08739: true,
	vuid.VkShaderModuleCreateInfo_pCode_08741: true,
}

// TestDeviceRules checks each rule that needs a device, with the modules
// of its case that break it. The rule is silent and counted if the device is not
// known; it reports on a device that has everything except the properties that the
// case names; it is silent on a device that has only these properties, and
// on max. Min is checked by its own features and limits. A finding without a device
// is the module's own fault; at least one module must be of the other kind.
// the other kind.
func TestDeviceRules(t *testing.T) {
	for r := range Rules() {
		if r.Need != NeedDevice {
			continue
		}
		t.Run(r.Code, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", r.Code+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(text)
			env, limits := caseEnv(t, r.Code, string(a.Comment))
			judged := 0
			for _, f := range a.Files {
				if !strings.HasPrefix(f.Name, "fail") || !strings.HasSuffix(f.Name, ".spvasm") {
					continue
				}
				d := deviceCase{t, r.Code, f.Name, *env, limits, nil, env.Device}
				if !d.read(f.Data) {
					t.Fatal("not a module")
				}
				if d.judge() {
					judged++
				}
			}
			if judged == 0 && presumed[r.Code] == "" {
				t.Error("no module breaks the rule on a device alone")
			}
		})
	}
}

// deviceCase is a module that breaks a rule on a device.
type deviceCase struct {
	t          *testing.T
	code, name string
	env        Env
	limits     Limits
	module     *spirv.Module
	given      *Device // the properties that the case names as lacking
}

// read reads the module; it is false for a text that is not well-formed.
func (d *deviceCase) read(text []byte) bool {
	words, err := asm.Assemble(text, asm.AssembleOptions{Version: d.env.SPIRV})
	if err != nil {
		d.t.Fatal(err)
	}
	d.module, err = spirv.FromWords(words)
	return err == nil
}

// on returns whether the rule finds and whether it is counted on a device.
func (d *deviceCase) on(device *Device) (finds, counts bool) {
	d.env.Device = device
	r, err := Check(context.Background(), facts.Gather(d.module, nil), &d.env, Options{Limits: d.limits})
	if err != nil {
		d.t.Fatal(err)
	}
	for i := range r.Findings {
		finds = finds || r.Findings[i].Code == d.code
	}
	return finds, r.Unchecked[d.code] > 0
}

// judge checks the module on each device; it is false if the fault is the
// module's own.
func (d *deviceCase) judge() bool {
	if finds, counts := d.on(nil); finds {
		return false
	} else if !counts {
		d.t.Errorf("%s: not counted where the device is not known", d.name)
	}
	switch {
	case d.given == nil:
		d.t.Errorf("%s: the case says of no device what it lacks", d.name)
	case anyDevice[d.code]:
	case d.given.Name == "min":
		d.least()
	default:
		d.lacking()
	}
	return true
}

// least checks a case of min: it finds there, and not on max.
func (d *deviceCase) least() {
	if finds, _ := d.on(d.given); !finds {
		d.t.Errorf("%s: silent on min", d.name)
	}
	most, _ := BuiltinDevice("max", d.env.Version)
	if finds, _ := d.on(most); finds {
		d.t.Errorf("%s: finds on max", d.name)
	}
}

// lacking checks a case that names the lacking properties itself.
func (d *deviceCase) lacking() {
	g := d.given
	all := &Device{Name: "lacks", AllOthers: true, Others: true, Features: g.Features, Limits: g.Limits, Extensions: g.Extensions, Matrices: g.Matrices, Vectors: g.Vectors}
	if finds, _ := d.on(all); !finds {
		d.t.Errorf("%s: silent on a device with all but what the case says", d.name)
	}
	has := &Device{Name: "has", AllOthers: true, Features: turned(g.Features), Extensions: turned(g.Extensions)}
	lists := len(g.Matrices)+len(g.Vectors) > 0 // the other devices do not have them
	if finds, counts := d.on(has); finds || counts != (len(g.Limits) > 0) && !lists {
		d.t.Errorf("%s: on a device with what the case says is lacking: finds %v, counted %v", d.name, finds, counts)
	}
	more := false // whether the rule forbids something that a device with more properties allows
	for _, on := range g.Features {
		more = more || on
	}
	most, _ := BuiltinDevice("max", d.env.Version)
	if finds, counts := d.on(most); finds && !more || counts && len(g.Limits) == 0 && !lists {
		d.t.Errorf("%s: on max: finds %v, counted %v", d.name, finds, counts)
	}
	least, _ := BuiltinDevice("min", d.env.Version)
	if finds, counts := d.on(least); !finds && !counts && d.same(least) {
		d.t.Errorf("%s: on min: finds %v, counted %v", d.name, finds, counts)
	}
}

// same reports whether a device has exactly the properties that the case names.
func (d *deviceCase) same(o *Device) bool {
	for name, on := range d.given.Features {
		if has, _ := o.feature(name); has != on {
			return false
		}
	}
	for name, on := range d.given.Extensions {
		if has, _ := o.extension(name); has != on {
			return false
		}
	}
	for name, value := range d.given.Limits {
		if v, ok := o.limit(name); !ok || v != value {
			return false
		}
	}
	return true
}

// turned returns features or extensions with the given states inverted.
func turned(m map[string]bool) map[string]bool {
	m = maps.Clone(m)
	for name, on := range m {
		m[name] = !on
	}
	return m
}

// TestCountedRules checks that only rules that declare the need of a device are
// counted as unchecked, in the modules of all cases.
func TestCountedRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		env, limits := caseEnv(t, strings.TrimSuffix(filepath.Base(file), ".txtar"), string(a.Comment))
		env.Device = nil
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Name, ".spvasm") {
				continue
			}
			d := deviceCase{t: t, name: f.Name, env: *env, limits: limits}
			if !d.read(f.Data) {
				continue
			}
			r, err := Check(context.Background(), facts.Gather(d.module, nil), env, Options{Limits: limits})
			if err != nil {
				t.Fatal(err)
			}
			for code := range r.Unchecked {
				if rule, ok := RuleOf(code); (!ok || rule.Need != NeedDevice) && !told[code] {
					told[code] = true
					t.Errorf("%s: %s is counted; must be a rule that has to know a device", file, code)
				}
			}
		}
	}
}
