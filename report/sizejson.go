package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"microcost/compare/elfsize"
)

// SizeJSONVersion is the version of the shape of SizeJSON. Fields may be added
// within a version; none changes its meaning.
const SizeJSONVersion = 1

type sizeJSON struct {
	Format     string            `json:"format"` // "microcost-size"
	Version    int               `json:"version"`
	Unit       string            `json:"unit"` // "bytes", of every size
	A          sizeJSONSide      `json:"a"`
	B          sizeJSONSide      `json:"b"`
	Identical  bool              `json:"identical"`
	Objects    []sizeJSONObject  `json:"objects,omitempty"`
	Sections   []sizeJSONSection `json:"sections"`
	HasSymbols bool              `json:"has_symbols"`
	Fold       string            `json:"fold"`
	Totals     *sizeJSONTotals   `json:"totals,omitempty"`
	Symbols    []sizeJSONSymbol  `json:"symbols,omitempty"`
	Left       int               `json:"symbols_left_out,omitempty"` // by --top
	By         string            `json:"by,omitempty"`
	Groups     []sizeJSONGroup   `json:"groups,omitempty"`
	Notes      []sizeJSONNote    `json:"notes"`
	FailOn     []sizeJSONCheck   `json:"fail_on,omitempty"`
}

type sizeJSONSide struct {
	Path        string   `json:"path"`
	Kind        string   `json:"kind"` // "file", "archive", "directory"
	Text        uint64   `json:"text"`
	Data        uint64   `json:"data"`
	BSS         uint64   `json:"bss"`
	Total       uint64   `json:"total"`
	Objects     int      `json:"objects"`
	Skipped     int      `json:"skipped"`
	Machine     string   `json:"machine"`
	BuildID     string   `json:"build_id,omitempty"`
	Wrapping    []string `json:"unpacked_from,omitempty"`
	SymbolsFrom string   `json:"symbols_from,omitempty"`
	Vmlinux     string   `json:"vmlinux,omitempty"` // read in place of an arm64 Image
	Stripped    bool     `json:"stripped"`
}

type sizeJSONSizes struct {
	Text uint64 `json:"text"`
	Data uint64 `json:"data"`
	BSS  uint64 `json:"bss"`
}

type sizeJSONObject struct {
	Name string         `json:"name"`
	A    *sizeJSONSizes `json:"a"` // null: not there
	B    *sizeJSONSizes `json:"b"`
}

type sizeJSONSection struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"` // "text", "data", "bss", "" not loaded
	A     *uint64 `json:"a"`    // null: not there
	B     *uint64 `json:"b"`
	Delta int64   `json:"delta"`
	AddrA *uint64 `json:"addr_a"` // of the first section of the name
	AddrB *uint64 `json:"addr_b"`
}

type sizeJSONTotals struct {
	Added     int    `json:"added"`
	Removed   int    `json:"removed"`
	Grown     int    `json:"grown"`
	Shrunk    int    `json:"shrunk"`
	Renamed   int    `json:"renamed"`
	Rewritten int    `json:"rewritten"`
	Up        uint64 `json:"up"`
	Down      uint64 `json:"down"`
	A         uint64 `json:"a"`
	B         uint64 `json:"b"`
	Delta     int64  `json:"delta"`
}

type sizeJSONSymbol struct {
	Name     string  `json:"name"`
	OldName  string  `json:"old_name,omitempty"`
	Object   string  `json:"object,omitempty"`
	Change   string  `json:"change"`
	A        *uint64 `json:"a"` // null: not there
	B        *uint64 `json:"b"`
	Delta    int64   `json:"delta"`
	CountA   int     `json:"count_a"`
	CountB   int     `json:"count_b"`
	ClonesA  int     `json:"clones_a,omitempty"`
	ClonesB  int     `json:"clones_b,omitempty"`
	Section  string  `json:"section"`
	File     string  `json:"file,omitempty"`
	Inferred bool    `json:"inferred,omitempty"`
}

type sizeJSONGroup struct {
	Name   string `json:"name"`
	A      uint64 `json:"a"`
	B      uint64 `json:"b"`
	Delta  int64  `json:"delta"`
	CountA int    `json:"count_a"`
	CountB int    `json:"count_b"`
}

type sizeJSONNote struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

type sizeJSONCheck struct {
	Condition string `json:"condition"`
	Holds     bool   `json:"holds"`
	What      string `json:"what"`
	A         uint64 `json:"a"`
	B         uint64 `json:"b"`
}

// SizeJSON writes a comparison of sizes as one JSON object. It has every
// section and, but for Top, every row. Names that are not valid UTF-8 have the
// offending bytes written as \xNN, as the text report does.
func SizeJSON(w io.Writer, d *SizeDocument) error {
	c := d.Comparison
	out := sizeJSON{
		Format: "microcost-size", Version: SizeJSONVersion, Unit: "bytes",
		A: sizeJSONSideOf(c.A), B: sizeJSONSideOf(c.B), Identical: c.Identical,
		HasSymbols: c.HasSymbols, Fold: string(c.Fold), By: string(c.By),
		Sections: []sizeJSONSection{}, Notes: []sizeJSONNote{},
	}
	for _, o := range c.Objects {
		j := sizeJSONObject{Name: sizeUTF8(o.Name)}
		if o.InA {
			j.A = &sizeJSONSizes{o.A.Text, o.A.Data, o.A.BSS}
		}
		if o.InB {
			j.B = &sizeJSONSizes{o.B.Text, o.B.Data, o.B.BSS}
		}
		out.Objects = append(out.Objects, j)
	}
	for _, s := range c.Sections {
		out.Sections = append(out.Sections, sizeJSONSection{sizeUTF8(s.Name), string(s.Kind), sizeMaybe(s.A, s.CountA), sizeMaybe(s.B, s.CountB), s.Delta(),
			sizeMaybe(s.AddrA, s.CountA), sizeMaybe(s.AddrB, s.CountB)})
	}
	if c.HasSymbols {
		t := c.Totals
		out.Totals = &sizeJSONTotals{t.Added, t.Removed, t.Grown, t.Shrunk, t.Renamed, t.Rewritten, t.Up, t.Down, t.A, t.B, t.Delta()}
	}
	shown, left := sizeShown(c.Symbols, d.Top)
	out.Left = left
	for _, s := range shown {
		out.Symbols = append(out.Symbols, sizeJSONSymbol{
			Name: sizeUTF8(s.Name), OldName: sizeUTF8(s.OldName), Object: sizeUTF8(s.Object), Change: string(s.Change),
			A: sizeMaybe(s.A, s.CountA), B: sizeMaybe(s.B, s.CountB), Delta: s.Delta(),
			CountA: s.CountA, CountB: s.CountB, ClonesA: s.ClonesA, ClonesB: s.ClonesB,
			Section: sizeUTF8(s.Section), File: sizeUTF8(s.File), Inferred: s.Inferred,
		})
	}
	for _, g := range c.Groups {
		out.Groups = append(out.Groups, sizeJSONGroup{sizeUTF8(g.Name), g.A, g.B, g.Delta(), g.CountA, g.CountB})
	}
	for _, n := range c.Notes {
		out.Notes = append(out.Notes, sizeJSONNote{string(n.Kind), sizeUTF8(n.Text)})
	}
	for _, f := range d.Findings {
		out.FailOn = append(out.FailOn, sizeJSONCheck{f.Condition, f.Holds, sizeUTF8(f.What), f.A, f.B})
	}
	e := json.NewEncoder(jsonASCII{w})
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// jsonASCII writes as escapes what is valid in JSON and still moves a terminal's
// cursor or reorders its text: names of symbols may hold it, and keep it so.
type jsonASCII struct{ w io.Writer }

func (j jsonASCII) Write(p []byte) (int, error) {
	if bytes.ContainsFunc(p, jsonUnsafe) {
		var b bytes.Buffer
		for _, r := range string(p) {
			if !jsonUnsafe(r) {
				b.WriteRune(r)
				continue
			}
			for _, u := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, u)
			}
		}
		if _, err := j.w.Write(b.Bytes()); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return j.w.Write(p)
}

func jsonUnsafe(r rune) bool { return r != '\n' && !safe(r) }

func sizeJSONSideOf(s elfsize.Side) sizeJSONSide {
	b := s.Berkeley
	return sizeJSONSide{sizeUTF8(s.Path), string(s.Kind), b.Text, b.Data, b.BSS, b.Total(), s.Objects, s.Skipped,
		s.Machine, s.BuildID, s.Wrapping, sizeUTF8(s.SymbolsFrom), sizeUTF8(s.Vmlinux), s.Stripped}
}

func sizeMaybe(n uint64, count int) *uint64 {
	if count == 0 {
		return nil
	}
	return &n
}

// sizeUTF8 keeps valid text as it is: what is unsafe in it is escaped in JSON.
func sizeUTF8(s string) string {
	if strings.ToValidUTF8(s, "") == s {
		return s
	}
	return Printable(s)
}
