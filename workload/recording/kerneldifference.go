package recording

import (
	"bytes"
	"compress/gzip"
	"io"
	"strconv"
	"strings"
)

// maxOptions bounds the kernel options listed; the rest are counted.
const maxOptions = 20

// kernel compares kernels: another release or build is what was meant, other
// options or parameters may not be.
func (d *differences) kernel(a, b *Env) {
	d.text("kernel", a.Kernel, b.Kernel, Intended)
	d.text("kernel_version", a.Build, b.Build, Intended)
	if a.CmdLine != "" && b.CmdLine != "" {
		d.set("kernel_command_line", strings.Fields(a.CmdLine), strings.Fields(b.CmdLine), Other)
	}
	if a.ConfigSHA256 == b.ConfigSHA256 || a.ConfigSHA256 == "" || b.ConfigSHA256 == "" {
		return
	}
	before := len(d.list)
	if x, y := options(a.ConfigGZ), options(b.ConfigGZ); x != nil && y != nil {
		d.table("kernel_config", x, y, Other)
	}
	switch n := len(d.list) - before; {
	case n == 0:
		d.text("kernel_config_sha256", a.ConfigSHA256, b.ConfigSHA256, Other)
	case n > maxOptions:
		d.list = d.list[:before+maxOptions]
		d.add("kernel_config", "and "+strconv.Itoa(n-maxOptions)+" options more", "", Other)
	}
}

// maxConfig bounds what a configuration is decompressed to.
const maxConfig = 8 << 20

// options returns what a kernel configuration sets; nil if it cannot be read.
func options(packed []byte) map[string]string {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(z, maxConfig))
	if err != nil {
		return nil
	}
	set := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.HasPrefix(name, "CONFIG_") {
			set[name] = value
		}
	}
	return set
}
