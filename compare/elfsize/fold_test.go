package elfsize

import (
	"encoding/binary"
	"testing"
)

var leOrder = binary.LittleEndian

func TestFold(t *testing.T) {
	for _, c := range []struct {
		in, clones, numbers string
		clone               bool
	}{
		{"schedule", "schedule", "schedule", false},
		{"foo.cold", "foo", "foo.cold", true},
		{"foo.cold.12", "foo", "foo.cold", true},
		{"foo.isra.0", "foo", "foo.isra", true},
		{"foo.constprop.0", "foo", "foo.constprop", true},
		{"foo.part.0", "foo", "foo.part", true},
		{"foo.part.0.isra.0.cold", "foo", "foo.part.isra.cold", true},
		{"foo.constprop.0.isra.0", "foo", "foo.constprop.isra", true},
		{"foo.llvm.1234567890", "foo", "foo.llvm", true},
		{"foo.lto_priv.0", "foo", "foo.lto_priv", true},
		{"foo.__uniq.12345", "foo", "foo.__uniq", true},
		{"counter.3", "counter", "counter", false},
		{"__func__.12345", "__func__", "__func__", false},
		{".foo", ".foo", ".foo", false},
		{".cold", ".cold", ".cold", false},
		{"main.init.0", "main.init", "main.init", false},
		{"runtime.part", "runtime", "runtime.part", true},
		{"part.runtime", "part.runtime", "part.runtime", false},
		{"__UNIQUE_ID_ddebug306", "__UNIQUE_ID_ddebug", "__UNIQUE_ID_ddebug306", false},
		{"__UNIQUE_ID_ddebug306.5", "__UNIQUE_ID_ddebug", "__UNIQUE_ID_ddebug306", false},
		{"__BTF_ID__struct__sock__1234", "__BTF_ID__struct__sock", "__BTF_ID__struct__sock__1234", false},
		{"__pfx_foo2", "__pfx_foo2", "__pfx_foo2", false},
		{"x86_64", "x86_64", "x86_64", false},
		{"", "", "", false},
	} {
		base, clone, drop := FoldClones.name(c.in)
		if base != c.clones || clone != c.clone || drop {
			t.Errorf("clones %q: %q %v %v", c.in, base, clone, drop)
		}
		if base, _, _ := FoldNumbers.name(c.in); base != c.numbers {
			t.Errorf("numbers %q: %q, want %q", c.in, base, c.numbers)
		}
		if base, clone, drop := FoldNone.name(c.in); base != c.in || clone || drop {
			t.Errorf("none %q: %q", c.in, base)
		}
	}
	for _, s := range []string{"linux_banner", "vermagic", "__se_sys_read", "__se_compat_sys_read", "__mod_x", "__addressable_x"} {
		if _, _, drop := FoldNumbers.name(s); !drop {
			t.Errorf("numbers keeps %s", s)
		}
		if _, _, drop := FoldClones.name(s); drop {
			t.Errorf("clones drops %s", s)
		}
	}
}

// Clones are one row with their function, and counted.
func TestClonesAreOneRow(t *testing.T) {
	spec := simple(2, leOrder, 62)
	spec.syms = []symSpec{fn("f", 1, 0x10000, 20), fn("f.cold", 1, 0x10014, 10), fn("s", 1, 0x10030, 4), fn("s", 1, 0x10034, 4)}
	a := write(t, "a", spec.build())
	spec.syms = []symSpec{fn("f", 1, 0x10000, 10), fn("f.cold", 1, 0x10014, 15), fn("f.part.0", 1, 0x10024, 7), fn("s", 1, 0x10030, 4), fn("s", 1, 0x10034, 4), fn("s", 1, 0x10038, 4)}
	c := mustCompare(t, a, write(t, "b", spec.build()), Options{})
	if len(c.Symbols) != 2 || c.Totals.Added+c.Totals.Removed != 0 {
		t.Fatalf("%+v", c.Symbols)
	}
	f, s := c.Symbols[1], c.Symbols[0]
	if f.Name != "f" || f.A != 30 || f.B != 32 || f.CountA != 2 || f.CountB != 3 || f.ClonesA != 1 || f.ClonesB != 2 {
		t.Errorf("%+v", f)
	}
	if s.Name != "s" || s.A != 8 || s.B != 12 || s.CountA != 2 || s.CountB != 3 || s.ClonesB != 0 {
		t.Errorf("%+v", s)
	}
	c = mustCompare(t, a, write(t, "b", spec.build()), Options{Fold: FoldNone})
	if c.Totals.Added != 1 || c.Totals.Grown != 2 || c.Totals.Shrunk != 1 {
		t.Errorf("without folding: %+v", c.Totals)
	}
}
