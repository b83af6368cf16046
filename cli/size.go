package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"microcost/compare/elfsize"
	"microcost/report"
)

const sizeDescription = `A and B are ELF files, static archives, kernel images (bzImage, arm64 Image,
vmlinux.xz) or directories of them, which are matched by path. A is the base. Sizes
are exact: nothing is run, repeated or tested.

A boot image has no symbols: they are those of the vmlinux in the tree around it, of
IMAGE.vmlinux beside it, or of the distribution's debug files.

EXIT STATUS
   0  compared; no --fail-on condition holds
   1  a --fail-on condition holds
   2  the command line is wrong, or a file is none of these
   3  a file could not be read, or a condition could not be told

EXAMPLES
   microcost size base/vmlinux patched/vmlinux
   microcost size --by file --match '^(select_task|try_to_wake)' base/vmlinux patched/vmlinux
   microcost size --format lkml --top 5 A/arch/x86/boot/bzImage B/arch/x86/boot/bzImage
   microcost size --fail-on 'text>+4KiB' --fail-on 'symbol:try_to_wake_up>+64' A/vmlinux B/vmlinux
   microcost size A/kernel/sched B/kernel/sched`

func (w *World) sizeCommand() *ucli.Command {
	return &ucli.Command{
		Name:        "size",
		Usage:       "compare the sizes of two builds: sections and symbols",
		UsageText:   "microcost size [flags] A B",
		Description: sizeDescription,
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "format", Value: "text", Usage: "text, markdown, json or lkml"},
			&ucli.StringFlag{Name: "color", Value: "auto", Usage: "auto, always or never"},
			&ucli.IntFlag{Name: "top", Value: 25, Usage: "show the `N` largest effects of each list; 0 shows all (json: all unless given)"},
			&ucli.BoolFlag{Name: "all-sections", Usage: "list every section, as size -A does", DisableDefaultText: true},
			&ucli.StringSliceFlag{Name: "section", Usage: "show only symbols in the section `NAME` (repeatable)"},
			&ucli.StringFlag{Name: "match", Usage: "only symbols whose name matches `REGEXP`"},
			&ucli.StringFlag{Name: "by", Usage: "sum symbols by `GROUP`: file, dir, section or object; file and dir need DWARF"},
			&ucli.StringFlag{Name: "fold", Value: "clones", Usage: "fold names as `HOW` says: clones with their function; numbers as bloat-o-meter; or none"},
			&ucli.StringSliceFlag{Name: "debug-dir", Usage: "look for separate debug files below `DIR`, too (repeatable)"},
			&ucli.StringSliceFlag{Name: "fail-on", Usage: "exit 1 when `COND` holds, such as 'text>+0' or 'symbol:try_to_wake_up>+64' (repeatable)"},
		},
		Action: w.sizeAction,
	}
}

// A sizeRequest is the command line of size, checked.
type sizeRequest struct {
	a, b       string
	format     string
	color      string
	read       elfsize.ReadOptions
	options    elfsize.Options
	conditions []elfsize.Condition
	top        int
	sections   bool
}

func sizeRequestOf(c *ucli.Context) (*sizeRequest, error) {
	r := &sizeRequest{format: c.String("format"), color: c.String("color"), top: c.Int("top"), sections: c.Bool("all-sections"), read: elfsize.DefaultReadOptions}
	if c.NArg() != 2 {
		hint := "microcost size A/vmlinux B/vmlinux"
		for _, a := range c.Args().Slice() {
			if strings.HasPrefix(a, "-") && len(a) > 1 {
				hint = "flags go before the files: microcost size " + a + " ... A B"
			}
		}
		return nil, usagef(hint, "size compares two files, %d given", c.NArg())
	}
	r.a, r.b = c.Args().Get(0), c.Args().Get(1)
	switch r.format {
	case "text", "markdown", "json", "lkml":
	default:
		return nil, usagef("text, markdown, json or lkml", "unknown format %q", r.format)
	}
	switch r.color {
	case "auto", "always", "never":
	default:
		return nil, usagef("auto, always or never", "--color %q is none of its values", r.color)
	}
	if r.top < 0 {
		return nil, usagef("0 shows all", "--top %d is negative", r.top)
	}
	if r.format == "json" && !c.IsSet("top") {
		r.top = 0
	}
	var err error
	if r.options.Fold, err = elfsize.ParseFold(c.String("fold")); err != nil {
		return nil, usagef("", "--fold: %v", err)
	}
	if by := c.String("by"); by != "" {
		if r.options.By, err = elfsize.ParseBy(by); err != nil {
			return nil, usagef("", "--by: %v", err)
		}
		r.read.SourceFiles = r.options.By == elfsize.ByFile || r.options.By == elfsize.ByDir
	}
	if m := c.String("match"); m != "" {
		if r.options.Match, err = regexp.Compile(m); err != nil {
			return nil, usagef("the syntax is that of Go's regexp package", "--match: %v", err)
		}
	}
	r.options.Sections = c.StringSlice("section")
	r.read.DebugDirs = append(c.StringSlice("debug-dir"), r.read.DebugDirs...)
	for _, text := range c.StringSlice("fail-on") {
		cond, err := elfsize.ParseCondition(text)
		if err != nil {
			return nil, usagef("--fail-on 'text>+0', 'section:.text>+1%' or 'symbol:NAME>+64'", "--fail-on: %v", err)
		}
		r.conditions = append(r.conditions, cond)
	}
	return r, nil
}

func (w *World) sizeAction(c *ucli.Context) error {
	r, err := sizeRequestOf(c)
	if err != nil {
		return err
	}
	cmp, err := elfsize.CompareFiles(r.a, r.b, r.read, r.options)
	if err != nil {
		return sizeError(err)
	}
	doc := &report.SizeDocument{Comparison: cmp, Top: r.top, AllSections: r.sections}
	failed := false
	var untold error
	for _, cond := range r.conditions {
		f, err := cond.Check(cmp)
		if err != nil {
			// The report is still worth having, but it must not look like a pass.
			untold = errors.Join(untold, err)
			continue
		}
		doc.Findings = append(doc.Findings, f)
		failed = failed || f.Holds
	}
	out := c.App.Writer
	switch r.format {
	case "markdown":
		err = report.SizeMarkdown(out, doc)
	case "json":
		err = report.SizeJSON(out, doc)
	case "lkml":
		err = report.SizeLKML(out, doc)
	default:
		err = report.SizeText(out, doc, report.TextOptions{Color: w.coloured(r.color, out), Width: width(out)})
	}
	switch {
	case err != nil:
		return fmt.Errorf("writing the report: %w", err)
	case untold != nil:
		return &MeasureError{Msg: "--fail-on could not be told: " + untold.Error(), Hint: "--top 0 and --all-sections list what there is", Err: untold}
	case failed:
		return &ExitError{Code: ExitCondition}
	}
	return nil
}

// sizeError words what kept two files from being compared: a file that is not
// there, or is not of the right kind, is a mistake in the command line.
func sizeError(err error) error {
	var format *elfsize.FormatError
	var kinds *elfsize.KindError
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &path):
		return usagef("", "%s does not exist", path.Path)
	case errors.As(err, &format):
		return usagef("size reads ELF files, static archives, kernel images and directories of them", "%v", err)
	case errors.As(err, &kinds):
		return usagef("give two files or two directories", "%v", err)
	}
	return &MeasureError{Msg: err.Error(), Err: err}
}
