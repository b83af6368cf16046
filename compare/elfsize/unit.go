package elfsize

import "fmt"

// A symbolUnit is what is linked together, within which a name means one
// thing: a file, or a whole archive, on both sides.
type symbolUnit struct {
	name string // in a directory: the file
	a, b []*Object
}

// comparableUnits gives the units of which both sides have symbols, or which
// one side does not have at all. The others are named in notes: symbols of one
// side against a stripped other would all look added or removed.
func comparableUnits(pairs []pair, perFile bool) ([]symbolUnit, []Note) {
	var out []symbolUnit
	index := map[string]int{}
	for _, p := range pairs {
		name := ""
		if perFile {
			name = archiveOf(p.name)
		}
		i, ok := index[name]
		if !ok {
			i = len(out)
			index[name] = i
			out = append(out, symbolUnit{name: name})
		}
		if p.a != nil {
			out[i].a = append(out[i].a, p.a)
		}
		if p.b != nil {
			out[i].b = append(out[i].b, p.b)
		}
	}
	var notes []Note
	keep := out[:0]
	stripped, first := 0, ""
	for _, u := range out {
		sa, sb := allStripped(u.a), allStripped(u.b)
		if !sa && !sb {
			keep = append(keep, u)
			continue
		}
		stripped++
		if stripped == 1 {
			first = u.name
		}
		if !perFile {
			notes = append(notes, strippedNote(sa, sb))
		}
	}
	if perFile && stripped > 0 {
		notes = append(notes, Note{NoteStripped, fmt.Sprintf("%d of %d files have no symbols on a side (%s ...): sections only", stripped, len(out), first)})
	}
	return keep, notes
}

func strippedNote(a, b bool) Note {
	who := "A and B are"
	switch {
	case !b:
		who = "A is"
	case !a:
		who = "B is"
	}
	return Note{NoteStripped, who + " stripped and no debug file was found: sections only, symbols are not compared"}
}

// allStripped is false for no objects: what is absent has no symbols to miss.
func allStripped(os []*Object) bool {
	for _, o := range os {
		if !o.Stripped {
			return false
		}
	}
	return len(os) > 0
}

// archiveOf takes "(member)" away from the name of an archive's member within
// a directory.
func archiveOf(name string) string {
	if n := len(name); n > 0 && name[n-1] == ')' {
		for i := n - 1; i > 0; i-- {
			if name[i] == '(' {
				return name[:i]
			}
		}
	}
	return name
}
