// Package machine reads what a measurement depends on besides the command:
// the kernel and its configuration, processors and their frequencies, limits,
// scheduler settings. It changes nothing.
//
// Everything is read from an fs.FS that stands for the root of the file
// system, os.DirFS("/") on a real machine, so that fixtures replace it in
// tests. What cannot be read is absent from the result; that is never an
// error, because a measurement is worth having on any machine.
//
// Nothing that is read by default names the machine, its user or their files.
package machine
