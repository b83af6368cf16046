// Package recording holds the samples of a measurement and the file they are
// kept in: JSON Lines, append-only, one checksummed line for each session,
// sample and end. It runs nothing and judges nothing.
//
// A file that was cut short loses only its last, torn line; Read reports the
// damage beside everything that it could read.
package recording
