package workload

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A NotFoundError says that a command's program could not be used.
type NotFoundError struct {
	Name string // argv[0] as given
	Err  error  // fs.ErrNotExist, fs.ErrPermission, or what stat said
}

func (e *NotFoundError) Error() string {
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		return "command not found: " + e.Name
	case errors.Is(e.Err, fs.ErrPermission):
		return "not executable: " + e.Name
	}
	return "looking up " + e.Name + ": " + e.Err.Error()
}

func (e *NotFoundError) Unwrap() error { return e.Err }

// LookPath finds the program that a command starting in dir with the given
// PATH would run. A name with a slash is taken from dir; the result is then
// absolute, so that it does not change its meaning with the directory.
func LookPath(name, dir, path string) (string, error) {
	if name == "" {
		return "", &NotFoundError{Name: name, Err: fs.ErrNotExist}
	}
	if strings.Contains(name, "/") {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, name)
		}
		full, err := filepath.Abs(full)
		if err == nil {
			err = executable(full)
		}
		if err != nil {
			return "", &NotFoundError{Name: name, Err: err}
		}
		return full, nil
	}
	found := fs.ErrNotExist
	for _, d := range filepath.SplitList(path) {
		if d == "" {
			d = "."
		}
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		full, err := filepath.Abs(filepath.Join(d, name))
		if err != nil {
			continue
		}
		switch err := executable(full); {
		case err == nil:
			return full, nil
		case errors.Is(err, fs.ErrPermission):
			found = err // there is one, but it may not be run: say that
		}
	}
	return "", &NotFoundError{Name: name, Err: found}
}

// Program is the file that a variant would run in dir with env, or "" when it
// is not there.
func Program(v Variant, env []string, dir string) string {
	path, err := LookPath(v.Argv[0], dir, pathOf(append(env[:len(env):len(env)], v.Env...)))
	if err != nil {
		return ""
	}
	return path
}

// pathOf is the PATH of an environment; the last setting counts.
func pathOf(env []string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if p, ok := strings.CutPrefix(env[i], "PATH="); ok {
			return p
		}
	}
	return ""
}

// executable says whether path is a file that somebody may execute. Whether
// this user may, execve(2) decides.
func executable(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fs.ErrNotExist
		}
		return err
	}
	if st.IsDir() || st.Mode()&0o111 == 0 {
		return fs.ErrPermission
	}
	return nil
}
