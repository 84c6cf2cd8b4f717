package precision

import (
	"math"
	"math/big"
	"testing"
)

// TestExactArithmetic holds the reference against constants from the tables and
// against identities, to far more Digits than a float64 has.
func TestExactArithmetic(t *testing.T) {
	decimal := func(s string) *big.Float {
		f, _, err := big.ParseFloat(s, 10, Digits, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	x := func(v float64) Real { return RealOf(v).(Real) }
	for _, c := range []struct {
		name string
		got  Number
		want string
	}{
		{"π", x(1).Pi(), "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"},
		{"e", x(1).Exp(), "2.71828182845904523536028747135266249775724709369995957496696762772407663035354759"},
		{"ln 2", x(2).Log(), "0.69314718055994530941723212145817656807550013436025525412068000949339362196969472"},
		{"ln 10", x(10).Log(), "2.30258509299404568401799145468436420760110148862877297603332790096757260967735248"},
		{"log2 10", x(10).Log2(), "3.32192809488736234787031942948939017586483139302458061205475639581593477660862521"},
		{"√2", x(2).Sqrt(), "1.41421356237309504880168872420969807856967187537694807317667973799073247846210704"},
		{"2^½", x(0.5).Exp2(), "1.41421356237309504880168872420969807856967187537694807317667973799073247846210704"},
		{"sin 1", x(1).Sin(), "0.84147098480789650665250232163029899962256306079837106567275170999191040439123967"},
		{"cos 1", x(1).Cos(), "0.54030230586813971740093660744297660373231042061792222767009725538110039477447176"},
		{"sin 10²²", x(1e22).Sin(), "-0.85220084976718880177270589375302936826176215041004"},
		{"atan 1", x(1).Atan2(x(1)), "0.78539816339744830961566084581987572104929234984377645524373614807695410157155225"},
		{"atan2(1, −2)", x(1).Atan2(x(-2)), "2.67794504458898712224838715181828848216863234508898"},
	} {
		d := NewReal().Sub(c.got.(Real).Big, decimal(c.want))
		if d.Sign() != 0 && d.MantExp(nil) > -150 {
			t.Errorf("%s is %s off", c.name, d.Text('g', 5))
		}
	}
	for v := -20.0; v < 20; v += 0.37 {
		s, c := x(v).Sin(), x(v).Cos()
		one := s.Mul(s).Add(c.Mul(c)).Sub(x(1)).(Real).Big
		back := x(v).Exp().Log().Sub(x(v)).(Real).Big
		turn := x(v).Sin().Atan2(x(v).Cos()).Sub(x(math.Remainder(v, 2*math.Pi))).(Real).Big
		if one.Sign() != 0 && one.MantExp(nil) > -350 || back.Sign() != 0 && back.MantExp(nil) > -350 || turn.Sign() != 0 && turn.MantExp(nil) > -45 {
			t.Errorf("at %g: sin² + cos² − 1 = %s, log exp x − x = %s, atan2(sin, cos) − x = %s", v, one.Text('g', 3), back.Text('g', 3), turn.Text('g', 3))
		}
	}
}
