package main

import (
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestExactArithmetic holds the reference against constants from the tables and
// against identities, to far more digits than a float64 has.
func TestExactArithmetic(t *testing.T) {
	decimal := func(s string) *big.Float {
		f, _, err := big.ParseFloat(s, 10, digits, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	x := func(v float64) real { return realOf(v).(real) }
	for _, c := range []struct {
		name string
		got  number
		want string
	}{
		{"π", x(1).pi(), "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"},
		{"e", x(1).exp(), "2.71828182845904523536028747135266249775724709369995957496696762772407663035354759"},
		{"ln 2", x(2).log(), "0.69314718055994530941723212145817656807550013436025525412068000949339362196969472"},
		{"ln 10", x(10).log(), "2.30258509299404568401799145468436420760110148862877297603332790096757260967735248"},
		{"log2 10", x(10).log2(), "3.32192809488736234787031942948939017586483139302458061205475639581593477660862521"},
		{"√2", x(2).sqrt(), "1.41421356237309504880168872420969807856967187537694807317667973799073247846210704"},
		{"2^½", x(0.5).exp2(), "1.41421356237309504880168872420969807856967187537694807317667973799073247846210704"},
		{"sin 1", x(1).sin(), "0.84147098480789650665250232163029899962256306079837106567275170999191040439123967"},
		{"cos 1", x(1).cos(), "0.54030230586813971740093660744297660373231042061792222767009725538110039477447176"},
		{"sin 10²²", x(1e22).sin(), "-0.85220084976718880177270589375302936826176215041004"},
		{"atan 1", x(1).atan2(x(1)), "0.78539816339744830961566084581987572104929234984377645524373614807695410157155225"},
		{"atan2(1, −2)", x(1).atan2(x(-2)), "2.67794504458898712224838715181828848216863234508898"},
	} {
		d := newReal().Sub(c.got.(real).f, decimal(c.want))
		if d.Sign() != 0 && d.MantExp(nil) > -150 {
			t.Errorf("%s is %s off", c.name, d.Text('g', 5))
		}
	}
	for v := -20.0; v < 20; v += 0.37 {
		s, c := x(v).sin(), x(v).cos()
		one := s.mul(s).add(c.mul(c)).sub(x(1)).(real).f
		back := x(v).exp().log().sub(x(v)).(real).f
		turn := x(v).sin().atan2(x(v).cos()).sub(x(math.Remainder(v, 2*math.Pi))).(real).f
		if one.Sign() != 0 && one.MantExp(nil) > -350 || back.Sign() != 0 && back.MantExp(nil) > -350 || turn.Sign() != 0 && turn.MantExp(nil) > -45 {
			t.Errorf("at %g: sin² + cos² − 1 = %s, log exp x − x = %s, atan2(sin, cos) − x = %s", v, one.Text('g', 3), back.Text('g', 3), turn.Text('g', 3))
		}
	}
}

// TestMeasured holds the recorded figures to Vulkan's bounds and to our own, and
// the document to the figures.
func TestMeasured(t *testing.T) {
	list, err := read("measured.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, i := range instructions() {
		for _, w := range i.widths() {
			if n == len(list) || list[n].name != i.name || list[n].width != w {
				t.Fatalf("no figure for %s of %d bits", i.name, w)
			}
			n++
		}
	}
	for _, f := range list {
		if f.share > 1 || f.usual > 4 {
			t.Errorf("%s of %d bits is %.2f ULP off, %.2f of what is allowed", f.name, f.width, f.usual, f.share)
		}
	}
	doc, err := os.ReadFile("../../../docs/precision.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(doc) != document(list) {
		t.Error("docs/precision.md differs from the output of -write")
	}
}

// TestPrecision measures each instruction again with a few operands: no result may be worse
// than the recorded one.
func TestPrecision(t *testing.T) {
	list, err := read("measured.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]*instruction{}
	for _, i := range instructions() {
		rows[i.name] = &i
	}
	n := 600
	if testing.Short() {
		n = 200
	}
	for _, f := range list {
		i := *rows[f.name]
		i.fast = nil
		engine := exec.Engine(jit.Engine{})
		if k, err := compile(engine, &i, f.width); err != nil {
			engine = interp.Engine{}
		} else {
			k.prog.Close()
		}
		again, err := measure(engine, &i, f.width, 0, n)
		if err != nil {
			t.Fatal(err)
		}
		if again.share > f.share*1.01+1e-9 && again.share > 1 || again.usual > f.usual*1.001+1e-9 && again.usual > 4 {
			t.Errorf("%s of %d bits: now %.3f ULP at %s, %.3f of the allowed; recorded are %.3f and %.3f", f.name, f.width, again.usual, again.at, again.share, f.usual, f.share)
		}
	}
}
