package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"microcost/workload/recording"
	"microcost/workload/recording/convert"
)

// converters are the forms that convert writes, by name; the endings of file
// names choose one of them.
var converters = []struct {
	name, ending, what string
	write              func(io.Writer, *recording.Recording) error
}{
	{"gobench", ".txt", "the Go benchmark format, which benchstat reads", convert.GoBench},
	{"csv", ".csv", "CSV, one line for each run", convert.CSV},
	{"jsonl", ".jsonl", "JSON Lines, a recording of this tool", writeRecording},
}

func writeRecording(w io.Writer, r *recording.Recording) error {
	_, err := r.WriteTo(w)
	return err
}

func (w *World) convertCommand() *ucli.Command {
	var forms []string
	for _, c := range converters {
		forms = append(forms, fmt.Sprintf("   %-8s %s (%s)", c.name, c.what, c.ending))
	}
	return &ucli.Command{
		Name:      "convert",
		Usage:     "write a recording in another form",
		UsageText: "microcost convert [flags] IN OUT",
		Description: "Reads what compare reads and writes one of these, chosen by --to or by the ending\n" +
			"of OUT; - is standard output:\n\n" + strings.Join(forms, "\n"),
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "to", Usage: "write `FORM`: gobench, csv or jsonl"},
		},
		Action: w.convertAction,
	}
}

func (w *World) convertAction(c *ucli.Context) error {
	if c.NArg() != 2 {
		return usagef("microcost convert IN OUT; flags go before them", "convert takes two files, not %d", c.NArg())
	}
	in, out := c.Args().Get(0), c.Args().Get(1)
	form := c.String("to")
	if form == "" {
		for _, v := range converters {
			if strings.EqualFold(filepath.Ext(out), v.ending) {
				form = v.name
			}
		}
	}
	var write func(io.Writer, *recording.Recording) error
	for _, v := range converters {
		if v.name == form {
			write = v.write
		}
	}
	if write == nil {
		return usagef("--to gobench, csv or jsonl", "what to write %s as is not known", out)
	}
	if err := plainName(out); err != nil {
		return err
	}
	rec, err := w.importFile(in, 0)
	if err != nil {
		return err
	}
	for _, note := range damage(in, rec.Damage) {
		w.say("warning", note)
	}
	if out == "-" {
		return conversion(write(w.Stdout, rec), in)
	}
	return writeBeside(out, func(f io.Writer) error { return conversion(write(f, rec), in) })
}

// conversion words what cannot be converted.
func conversion(err error, in string) error {
	if errors.Is(err, convert.ErrNoSamples) {
		return usagef("means cannot be made into runs", "%s: %v", in, err)
	}
	return err
}

// writeBeside writes a file under another name and renames it once it is whole:
// what was at path before stays until then.
func writeBeside(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return &UsageError{Msg: fmt.Sprintf("writing %s: %v", path, reason(err))}
	}
	defer os.Remove(f.Name()) // after the rename there is nothing of that name
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Close()); err != nil {
		return &MeasureError{Msg: fmt.Sprintf("writing %s: %v", path, reason(err)), Err: err}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return &UsageError{Msg: fmt.Sprintf("writing %s: %v", path, reason(err))}
	}
	return nil
}
