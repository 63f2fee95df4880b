package replay

import (
	"testing"

	"tavolo/engine"
)

// TestEveryGameAndLimitHasACode holds the codes against the games there are: each one different, and read back as what it
// was.
func TestEveryGameAndLimitHasACode(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range engine.Games {
		for l := range limitLetters {
			code := Code(g, l)
			if back, limit, ok := variantNamed(code); !ok || back != g || limit != l {
				t.Errorf("%s of %s, %v is read as %v, %v", code, g.Name, l, back, limit)
			}
			if seen[code] {
				t.Errorf("%s stands for two", code)
			}
			seen[code] = true
		}
	}
	for _, code := range []string{"", "_", "N", "_N", "_NHOLDEM", "_Nsoko", "_XSOKO", "_NCHESS"} {
		if g, _, ok := variantNamed(code); ok {
			t.Errorf("%q is read as %s", code, g.Name)
		}
	}
}
