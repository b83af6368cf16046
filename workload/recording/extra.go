package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Extra holds the members of a JSON object that this version does not know,
// as the text of an object: `{"colour":"red"}`, or "" for none. A file written
// by a later version keeps them when an earlier one reads and writes it.
//
// It is a string, not a map, so that the types that have one stay comparable.
type Extra string

// eachMember calls f for each member of the JSON object obj, which must be
// valid. Key and value are slices of obj; the key is without its quotes, and
// still escaped.
func eachMember(obj []byte, f func(key, value []byte) error) error {
	i := skipSpace(obj, 0)
	if i >= len(obj) || obj[i] != '{' {
		return fmt.Errorf("not a JSON object")
	}
	for i = skipSpace(obj, i+1); i < len(obj) && obj[i] != '}'; {
		end := skipValue(obj, i)
		key := obj[i+1 : end-1]
		i = skipSpace(obj, skipSpace(obj, end)+1) // the colon
		end = skipValue(obj, i)
		if err := f(key, obj[i:end]); err != nil {
			return err
		}
		if i = skipSpace(obj, end); i < len(obj) && obj[i] == ',' {
			i = skipSpace(obj, i+1)
		}
	}
	return nil
}

// eachElement calls f for each element of the JSON array arr, which must be
// valid.
func eachElement(arr []byte, f func(value []byte) error) error {
	i := skipSpace(arr, 0)
	if i >= len(arr) || arr[i] != '[' {
		return fmt.Errorf("not a JSON array")
	}
	for i = skipSpace(arr, i+1); i < len(arr) && arr[i] != ']'; {
		end := skipValue(arr, i)
		if err := f(arr[i:end]); err != nil {
			return err
		}
		if i = skipSpace(arr, end); i < len(arr) && arr[i] == ',' {
			i = skipSpace(arr, i+1)
		}
	}
	return nil
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the index after the JSON value that starts at b[i]. The
// text is valid JSON, so counting brackets outside strings is enough.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			i++
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// memberNames caches, by type, the names of the members that a struct has.
var memberNames sync.Map // reflect.Type -> []string

func namesOf(t reflect.Type) []string {
	if n, ok := memberNames.Load(t); ok {
		return n.([]string)
	}
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "-" && name != "" {
			names = append(names, name)
		}
	}
	memberNames.Store(t, names)
	return names
}

// decode fills the struct at v from the JSON object data and returns the
// members that v has no field for.
func decode(data []byte, v any) (Extra, error) {
	if err := json.Unmarshal(data, v); err != nil {
		return "", err
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return "", nil
	}
	names := namesOf(reflect.TypeOf(v).Elem())
	var extra []byte
	err := eachMember(data, func(key, value []byte) error {
		// encoding/json ignores case, and so must this: otherwise a member
		// would be both in its field and among the extras.
		for _, name := range names {
			if strings.EqualFold(name, string(key)) {
				return nil
			}
		}
		extra = appendExtra(extra, key, value)
		return nil
	})
	if err != nil || extra == nil {
		return "", err
	}
	return Extra(append(extra, '}')), nil
}

// appendExtra adds a member to the object that is being built in extra.
func appendExtra(extra, key, value []byte) []byte {
	if extra == nil {
		extra = append(extra, '{')
	} else {
		extra = append(extra, ',')
	}
	extra = append(extra, '"')
	extra = append(extra, key...)
	extra = append(extra, `":`...)
	return append(extra, value...)
}

// encode returns v as a JSON object with the members of extra at its end.
func encode(v any, extra Extra) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // commands are full of < and &, and this is no web page
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return extra.appendTo(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))), nil
}

// appendTo adds the members to the object at the end of b.
func (e Extra) appendTo(b []byte) []byte {
	if len(e) <= len("{}") {
		return b
	}
	b = b[:len(b)-1]
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(b, e[1:]...)
}
