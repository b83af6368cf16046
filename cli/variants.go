package cli

import (
	"errors"
	"slices"
	"strings"

	"microcost/workload"
)

// positional splits what stands behind the flags into the commands that are
// compared.
func positional(raw, args []string, shell bool) ([]workload.Variant, error) {
	const usage = "microcost ab 'CMD A' 'CMD B', or microcost ab -- A args -- B args"
	list, err := commands(raw, args, shell, usage)
	if err != nil {
		return nil, err
	}
	if len(list) < 2 {
		return nil, usagef("give the base first and then what it is compared with: "+usage, "only one command given: a comparison needs at least two")
	}
	for i := range list {
		list[i].Label = workload.Label(i)
	}
	return list, nil
}

// commands splits what stands behind the flags. raw is the whole command line,
// args what the flag parser left over (a suffix of raw): only raw tells whether
// a "--" stood between them.
//
//	'CMD A' 'CMD B' ...         one string each, split without a shell
//	-- A args -- B args ...     argv forms
func commands(raw, args []string, shell bool, usage string) ([]workload.Variant, error) {
	dashed := len(raw) > len(args) && raw[len(raw)-len(args)-1] == "--"
	if len(args) == 0 {
		return nil, usagef(usage, "no command given")
	}
	var list []workload.Variant
	if !dashed && !slices.Contains(args, "--") {
		for i, text := range args {
			v, err := oneString(text, i, shell)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	if !dashed {
		return nil, usagef(usage, "a command in argv form starts behind --, but %q stands before it", args[0])
	}
	if shell {
		return nil, usagef("leave --shell out, or give each command as one string", "--shell does not go with commands in argv form")
	}
	for _, argv := range split(args, "--") {
		if len(argv) == 0 || argv[0] == "" {
			return nil, usagef(usage, "command %s is empty", workload.Label(len(list)))
		}
		list = append(list, workload.Variant{Argv: argv, Text: shellJoin(argv)})
	}
	return list, nil
}

// oneString makes a variant of a command given as one string.
func oneString(text string, i int, shell bool) (workload.Variant, error) {
	if strings.TrimSpace(text) == "" {
		return workload.Variant{}, usagef("a command such as 'gzip -9 -c FILE'", "command %s is empty", workload.Label(i))
	}
	if strings.HasPrefix(text, "-") {
		return workload.Variant{}, usagef("flags go before the commands", "%q stands where a command is expected", text)
	}
	if shell {
		return workload.Variant{Argv: []string{"/bin/sh", "-c", text}, Text: text, Shell: true}, nil
	}
	argv, err := workload.Split(text)
	if err != nil {
		var s *workload.SplitError
		if errors.As(err, &s) {
			return workload.Variant{}, usagef("--shell runs each command with /bin/sh (whose start is then counted too); quoting the character passes it on as it is",
				"command %s: %s, at offset %d of %q", workload.Label(i), s.Msg, s.Offset, s.Command)
		}
		return workload.Variant{}, err
	}
	return workload.Variant{Argv: argv, Text: text}, nil
}

// split cuts a list at every sep.
func split(list []string, sep string) [][]string {
	var parts [][]string
	for {
		i := slices.Index(list, sep)
		if i < 0 {
			return append(parts, list)
		}
		parts = append(parts, list[:i])
		list = list[i+1:]
	}
}

// shellJoin writes an argv so that it can be pasted into a shell.
func shellJoin(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@%", r))
		}) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
