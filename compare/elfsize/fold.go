package elfsize

import (
	"fmt"
	"regexp"
	"strings"
)

// Fold says which symbols are one row.
type Fold string

const (
	// FoldClones sums the parts and specialisations that compilers make of one
	// function, and counts them.
	FoldClones Fold = "clones"
	// FoldNumbers is what the kernel's scripts/bloat-o-meter does: drop ".123",
	// leave out the generated names that it leaves out, and nothing more. No
	// size is inferred and no rename recognised: the result is the script's.
	FoldNumbers Fold = "numbers"
	// FoldNone keeps every name as it is.
	FoldNone Fold = "none"
)

// ParseFold reads the word of a Fold.
func ParseFold(s string) (Fold, error) {
	switch f := Fold(s); f {
	case FoldClones, FoldNumbers, FoldNone:
		return f, nil
	}
	return "", fmt.Errorf("unknown fold %q: clones, numbers or none", s)
}

var (
	// cloneSuffix matches what GCC (.isra, .constprop, .part, .cold, .lto_priv,
	// .localalias) and LLVM (.llvm, .cold, .__uniq) append, with their numbers,
	// in any order; a bare number is a function-local static or an LTO copy.
	cloneSuffix = regexp.MustCompile(`(?:\.(?:isra|constprop|part|cold|llvm|lto_priv|localalias|__uniq|clone)(?:\.[0-9a-f]+)*|\.[0-9]+)+$`)
	allNumbers  = regexp.MustCompile(`\.[0-9]+`)
	// counted names carry __COUNTER__ or __LINE__ at their end: another include
	// renumbers all of them, which is no change of the code.
	counted = regexp.MustCompile(`^(__UNIQUE_ID_.*?|__addressable_.*?|__BTF_ID__.*?)[0-9]+$`)
)

// name gives the row name of a symbol, whether it is a clone, and whether the
// symbol is left out altogether.
func (f Fold) name(s string) (base string, clone, drop bool) {
	switch f {
	case FoldNone:
		return s, false, false
	case FoldNumbers:
		if generated(s) {
			return "", false, true
		}
		return allNumbers.ReplaceAllString(s, ""), false, false
	}
	base = s
	// At index 0 a dot belongs to the name (.plt entries, PowerPC functions).
	if strings.IndexByte(s, '.') > 0 {
		if i := cloneSuffix.FindStringIndex(s); i != nil && i[0] > 0 {
			base, clone = s[:i[0]], strings.ContainsAny(s[i[0]:], "acilnoprstuv")
		}
	}
	if strings.HasPrefix(base, "__") {
		if m := counted.FindStringSubmatch(base); m != nil {
			base = strings.TrimRight(m[1], "_")
		}
	}
	return base, clone, false
}

// generated names are skipped by bloat-o-meter.
func generated(s string) bool {
	for _, p := range []string{"__mod_", "__se_sys", "__se_compat_sys", "__addressable_"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return s == "linux_banner" || s == "vermagic"
}
