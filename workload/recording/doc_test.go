package recording

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Every member that is written is explained in docs/recording.md.
func TestEveryMemberIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = true
	}
	for _, v := range []any{Head{}, Session{}, Variant{}, Binary{}, Event{}, Plan{}, Judge{}, Env{}, Private{}, Sample{}, Summary{}, End{}} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name != "-" && !documented[name] {
				t.Errorf("%s: member %q is not in docs/recording.md", typ.Name(), name)
			}
		}
	}
	for _, kind := range []string{kindHead, kindSession, kindSample, kindSummary, kindEnd, EndComplete, EndPrecise, EndTime, EndInterrupted, EndFailed, EndImported} {
		if !documented[kind] {
			t.Errorf("%q is not in docs/recording.md", kind)
		}
	}
}
