package cli

import (
	ucli "github.com/urfave/cli/v2"

	"microcost/report"
)

// showOptions say how a report is shown.
type showOptions struct {
	format string
	color  string
}

func readShow(c *ucli.Context) (showOptions, error) {
	o := showOptions{format: c.String("format"), color: c.String("color")}
	switch o.format {
	case "text", "json":
	default:
		return o, usagef("text or json", "unknown format %q", o.format)
	}
	switch o.color {
	case "auto", "always", "never":
	default:
		return o, usagef("auto, always or never", "--color %q is none of its values", o.color)
	}
	return o, nil
}

// show writes a report to standard output.
func (w *World) show(doc *report.Document, o showOptions) error {
	if o.format == "json" {
		return report.JSON(w.Stdout, doc)
	}
	return report.Text(w.Stdout, doc, w.textOptions(o))
}

// showSingle writes the counts of one variant to standard output.
func (w *World) showSingle(s *report.Single, o showOptions) error {
	if o.format == "json" {
		return report.SingleJSON(w.Stdout, s)
	}
	return report.SingleText(w.Stdout, s, w.textOptions(o))
}

// textOptions suit the stream that standard output is.
func (w *World) textOptions(o showOptions) report.TextOptions {
	return report.TextOptions{Color: w.coloured(o.color, w.Stdout), Width: width(w.Stdout)}
}
