package recording

import (
	"errors"
	"fmt"
	"io/fs"
)

// A FormatError says that a file is not a recording at all.
type FormatError struct {
	Msg string
}

func (e *FormatError) Error() string { return "not a recording: " + e.Msg }

// A VersionError says that a file was written in a format that is too new.
type VersionError struct {
	Version int    // of the file
	Tool    string // that created it
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("recording has format version %d, written by %s; this version reads up to %d", e.Version, e.Tool, Version)
}

// ErrInUse is wrapped by the error of OpenAppend when another process is
// writing the file.
var ErrInUse = errors.New("another process is writing it")

// errno strips the operation and path of an error of package os, for messages
// that name the file themselves.
func errno(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
