package recording

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Create opens a new recording at path and fails early when it could not be
// written there.
//
// A recording that exists at path stays as it is until the first session has
// been written: the new file is a hidden one beside it, which is renamed onto
// it then. So an interrupted start, or a typing error in the command, leaves
// the earlier recording whole. A file that exists, has something in it and is
// not a recording is refused, with an error that wraps fs.ErrExist: nobody
// meant to replace main.go by measurements. A symbolic link stays, and the file
// that it points to is replaced. What is not a regular file, such as a pipe, is
// written to directly.
func Create(path string) (*Writer, error) {
	w, err := create(path)
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", path, errno(err))
	}
	return w, nil
}

func create(path string) (*Writer, error) {
	mode := fs.FileMode(0o666)
	exists := false
	target, err := resolve(path)
	if err != nil {
		return nil, err
	}
	switch old, err := os.Stat(target); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case old.Mode().IsRegular():
		if err := mayReplace(target); err != nil {
			return nil, err
		}
		mode, exists = old.Mode().Perm(), true
	default: // a directory gives the right error here
		// A pipe that nobody reads is an error now, not a wait for ever.
		f, err := os.OpenFile(target, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		return &Writer{f: f, path: path}, nil
	}

	f, err := createBeside(target, mode)
	if err != nil {
		return nil, err
	}
	temp := f.Name()
	if exists {
		f.Chmod(mode) // past the umask; a file system without modes is fine
	}
	if err := lock(f); err != nil {
		f.Close()
		os.Remove(temp)
		return nil, err
	}
	w := &Writer{f: f, path: path}
	w.discard = func() { os.Remove(temp) }
	w.publish = func() error {
		if err := f.Sync(); err != nil && !cannotSync(err) {
			return err
		}
		if err := os.Rename(temp, target); err != nil {
			return err
		}
		syncDir(filepath.Dir(target))
		return nil
	}
	return w, nil
}

// createBeside opens a file of a name not yet used in the directory of target.
func createBeside(target string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(target)
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), try))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, mode)
		if errors.Is(err, fs.ErrExist) && try < 1000 {
			continue
		}
		return f, err
	}
}

// resolve follows symbolic links to a file that need not exist.
func resolve(path string) (string, error) {
	for range 40 { // the kernel's own limit
		st, err := os.Lstat(path)
		if err != nil || st.Mode()&fs.ModeSymlink == 0 {
			return path, nil // opening it will say what is wrong
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", syscall.ELOOP
}

// mayReplace returns an error unless the file at path is writable, and empty
// or a recording (also a compressed or a damaged one).
func mayReplace(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return err
	}
	if st, err := f.Stat(); err == nil && st.Size() == 0 {
		return nil
	}
	r, err := Decompress(f)
	if err == nil {
		defer r.Close()
		err = sniff(r)
	}
	var foreign *FormatError
	if errors.As(err, &foreign) {
		return fmt.Errorf("%w, and is %w", fs.ErrExist, foreign)
	}
	return nil
}

// OpenAppend opens the recording at path to add sessions to it, and creates
// it if there is none. Damage in it is left alone; a torn last line is closed
// with a newline before the first write. A compressed file cannot be appended
// to.
func OpenAppend(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return Create(path)
	}
	if err != nil {
		return nil, fmt.Errorf("appending to %s: %w", path, errno(err))
	}
	w := &Writer{f: f, path: path}
	if err := w.resume(); err != nil {
		f.Close()
		return nil, fmt.Errorf("appending to %s: %w", path, errno(err))
	}
	return w, nil
}

// resume reads what the file has, to go on after it.
func (w *Writer) resume() error {
	if err := lock(w.f); err != nil {
		return err
	}
	st, err := w.f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	if st.Size() == 0 {
		return nil
	}
	if c, err := compression(io.NewSectionReader(w.f, 0, 4)); err != nil {
		return err
	} else if c != "" {
		return fmt.Errorf("it is compressed (%s); decompress it first", c)
	}
	next := 0
	s := newScanner(io.NewSectionReader(w.f, 0, st.Size()), Visitor{})
	s.v.Session = func(Session) error {
		// Numbers start again behind a second head, where a file was joined to
		// another; the lines to come belong to the last part.
		next = max(next, s.fileID+1)
		return nil
	}
	s.v.Head = func(Head) error { next = 0; return nil }
	if err := s.run(); err != nil {
		return err
	}
	w.head = true
	// Sessions of which only the samples are left keep their numbers too.
	w.sessions = make([]shape, max(next, s.maxID+1))
	var last [1]byte
	if _, err := w.f.ReadAt(last[:], st.Size()-1); err != nil {
		return err
	}
	w.torn = last[0] != '\n'
	return nil
}

// sync is fsync, for files that have it: a pipe or terminal does not.
func (w *Writer) sync() error {
	if err := w.f.Sync(); err != nil && !cannotSync(err) {
		return w.fail(err)
	}
	return nil
}

func cannotSync(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EROFS)
}

// syncDir makes a rename last. Not every file system can, and none of them
// loses the file's contents if not.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
