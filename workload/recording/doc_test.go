package recording

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
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
	for typ := range memberTypes() {
		for _, name := range namesOf(typ) {
			if !documented[name] {
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

// Every object of a file has a place for the members that it does not know.
func TestEveryTypeKeepsUnknownMembers(t *testing.T) {
	for typ := range memberTypes() {
		if f, ok := typ.FieldByName("Extra"); !ok || f.Type != reflect.TypeFor[Extra]() {
			t.Errorf("%s has no field Extra", typ.Name())
			continue
		}
		v := reflect.New(typ)
		if err := json.Unmarshal([]byte(`{"later":1}`), v.Interface()); err != nil {
			t.Errorf("%s: %v", typ.Name(), err)
		}
		out, err := json.Marshal(v.Interface())
		if err != nil || !strings.HasSuffix(string(out), `"later":1}`) {
			t.Errorf("%s is written as %s, %v", typ.Name(), out, err)
		}
	}
}

// memberTypes returns the structs that are written as objects.
func memberTypes() map[reflect.Type]bool {
	found := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			if found[t] || t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[Count]() {
				return
			}
			found[t] = true
			for i := range t.NumField() {
				visit(t.Field(i).Type)
			}
		}
	}
	for _, v := range []any{Head{}, Session{}, Sample{}, Summary{}, End{}} {
		visit(reflect.TypeOf(v))
	}
	return found
}
