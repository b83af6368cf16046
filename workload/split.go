package workload

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A SplitError says why a one-string command cannot be run without a shell.
type SplitError struct {
	Command string
	Offset  int // in bytes from the start of Command
	Msg     string
}

func (e *SplitError) Error() string {
	return fmt.Sprintf("%s (at offset %d of %q)", e.Msg, e.Offset, e.Command)
}

// Split turns a one-string command into its words by the shell's rules of
// quoting, without running a shell. Whatever only a shell could do (pipes,
// redirections, expansions, several commands) is a *SplitError: passing it on
// as a literal argument would measure something else than was meant.
func Split(command string) ([]string, error) {
	fail := func(offset int, format string, args ...any) ([]string, error) {
		return nil, &SplitError{Command: command, Offset: offset, Msg: fmt.Sprintf(format, args...)}
	}
	// The parser drops carriage returns, a shell keeps them: better neither.
	if i := strings.IndexAny(command, "\x00\r"); i >= 0 {
		return fail(i, "a command in one string cannot hold %s", map[byte]string{0: "a NUL byte", '\r': "a carriage return"}[command[i]])
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangPOSIX))
	file, err := parser.Parse(strings.NewReader(command), "")
	if err != nil {
		if pe, ok := err.(syntax.ParseError); ok {
			return fail(int(pe.Pos.Offset()), "the command cannot be split: %s", pe.Text)
		}
		return fail(0, "the command cannot be split: %v", err)
	}
	switch {
	case len(file.Stmts) == 0:
		return fail(0, "the command is empty")
	case len(file.Stmts) > 1:
		return fail(int(file.Stmts[1].Pos().Offset()), "more than one command needs a shell")
	}
	stmt := file.Stmts[0]
	at := func(n syntax.Node) int { return int(n.Pos().Offset()) }
	if len(stmt.Redirs) > 0 {
		return fail(at(stmt.Redirs[0]), "the redirection %q needs a shell", stmt.Redirs[0].Op.String())
	}
	if stmt.Background {
		return fail(len(command)-1, "running in the background with %q needs a shell", "&")
	}
	if stmt.Negated {
		return fail(at(stmt), "negation with %q needs a shell", "!")
	}
	if bin, ok := stmt.Cmd.(*syntax.BinaryCmd); ok {
		return fail(int(bin.OpPos.Offset()), "the operator %q needs a shell", bin.Op.String())
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return fail(at(stmt), "a shell construct needs a shell")
	}
	if len(call.Assigns) > 0 {
		return fail(at(call.Assigns[0]), "setting a variable in front of a command needs a shell")
	}
	words := make([]string, 0, len(call.Args))
	for _, w := range call.Args {
		word, err := literal(w, command)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	if words[0] == "" {
		return fail(0, "the command's name is empty")
	}
	return words, nil
}

// literal is the value of a word that a shell would not expand.
func literal(w *syntax.Word, command string) (string, error) {
	var b strings.Builder
	for i, part := range w.Parts {
		fail := func(offset int, what string) (string, error) {
			return "", &SplitError{Command: command, Offset: offset, Msg: what + " needs a shell"}
		}
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				return fail(int(p.Pos().Offset()), `expanding an unquoted "~"`)
			}
			if j := unescaped(p.Value, "*?["); j >= 0 {
				return fail(int(p.Pos().Offset())+j, fmt.Sprintf("expanding an unquoted %q", p.Value[j:j+1]))
			}
			b.WriteString(unescape(p.Value, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return fail(int(q.Pos().Offset()), fmt.Sprintf("expanding %q", source(command, q)))
				}
				b.WriteString(unescape(lit.Value, "$`\"\\\n"))
			}
		default:
			return fail(int(part.Pos().Offset()), fmt.Sprintf("expanding %q", source(command, part)))
		}
	}
	return b.String(), nil
}

// source is the text of a node in the command.
func source(command string, n syntax.Node) string {
	lo, hi := int(n.Pos().Offset()), int(n.End().Offset())
	if lo > hi || hi > len(command) {
		return ""
	}
	return command[lo:hi]
}

// unescaped finds the first byte of s that is in set and not behind a backslash.
func unescaped(s, set string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		if strings.IndexByte(set, s[i]) >= 0 {
			return i
		}
	}
	return -1
}

// unescape removes backslashes: before every byte, or inside double quotes
// only before those in special, as POSIX has it. A backslash before a newline
// joins lines.
func unescape(s, special string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		if special != "" && strings.IndexByte(special, s[i+1]) < 0 {
			b.WriteByte('\\')
			continue
		}
		i++
		if s[i] != '\n' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
