package machine

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"microcost/workload/recording"
)

func readKernel(t tree, env *recording.Env) {
	env.BootID = t.text("proc/sys/kernel/random/boot_id")
	env.Host = hostHash(t.text("etc/machine-id"))
	env.Kernel = t.text("proc/sys/kernel/osrelease")
	env.Build = t.text("proc/sys/kernel/version")
	env.CmdLine = redact(t.text("proc/cmdline"))
	if packed, config := readConfig(t, env.Kernel); len(config) > 0 {
		env.ConfigSHA256 = configHash(config)
		env.ConfigGZ = packed
	}
}

// hostHash tells one machine from another without naming either. The machine
// id itself is confidential (machine-id(5)), so it goes through a hash that is
// of no use to any other program.
func hostHash(id string) string {
	if id == "" || id == "uninitialized" {
		return ""
	}
	sum := sha256.Sum256([]byte("microcost host\x00" + id))
	return hex.EncodeToString(sum[:8])
}

// readConfig returns the configuration of the kernel, with and without gzip:
// from the kernel itself (CONFIG_IKCONFIG_PROC), or from where distributions
// put it. The file in /boot may be of another build of the same release.
func readConfig(t tree, release string) (packed, config []byte) {
	if packed = t.bytes("proc/config.gz"); len(packed) > 0 {
		if z, err := gzip.NewReader(bytes.NewReader(packed)); err == nil {
			if config, err = io.ReadAll(io.LimitReader(z, maxFile)); err == nil {
				return packed, config
			}
		}
	}
	if release == "" || strings.Contains(release, "/") {
		return nil, nil
	}
	for _, path := range []string{
		"boot/config-" + release,
		"lib/modules/" + release + "/config",
		"lib/modules/" + release + "/build/.config",
	} {
		if config = t.bytes(path); len(config) > 0 {
			return pack(config), config
		}
	}
	return nil, nil
}

// SetKernelConfig says which configuration the kernel was built with, where it
// does not say so itself.
func SetKernelConfig(env *recording.Env, config []byte) {
	env.ConfigSHA256, env.ConfigGZ = configHash(config), pack(config)
}

// pack compresses fast rather than well: 270 kB take 3 ms instead of 12.
func pack(config []byte) []byte {
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestSpeed) // the level is right
	z.Write(config)                                   // a Buffer never fails
	z.Close()
	return buf.Bytes()
}

// configHash identifies what a configuration sets: its comments carry the
// kernel's version and the order of options changes between versions.
func configHash(config []byte) string {
	var set []string
	for line := range strings.Lines(string(config)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "CONFIG_") {
			set = append(set, line)
		}
	}
	slices.Sort(set)
	sum := sha256.Sum256([]byte(strings.Join(set, "\n")))
	return hex.EncodeToString(sum[:])
}

// identifying are the parts of names of kernel parameters whose values say
// which machine this is, or are secret.
var identifying = []string{
	"root", "resume", "ip", "nfs", "uuid", "luks", "lvm", "crypt", "host", "machine", "mac", "addr",
	"token", "pass", "secret", "key", "cred", "url", "serial", "netconsole", "ds", "user", "iscsi", "wwn",
}

// redact strikes out the values of identifying parameters, and what is meant
// for init and not for the kernel.
func redact(line string) string {
	line, _, _ = strings.Cut(line+" ", " -- ")
	words := strings.Fields(line)
	for i, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if ok && value != "" && slices.ContainsFunc(partsOf(name), func(part string) bool {
			return slices.ContainsFunc(identifying, func(s string) bool {
				return part == s || len(s) > 3 && strings.Contains(part, s)
			})
		}) {
			words[i] = name + "=*"
		}
	}
	return strings.Join(words, " ")
}

// partsOf splits the name of a parameter such as "rd.luks.uuid" or "nfs_root".
func partsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("._-:", r) })
}
