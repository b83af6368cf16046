// Package elfsize compares the sizes of two builds: ELF files, static archives,
// kernel images, or directories of them. It gives the Berkeley sums of size(1),
// every section, and every symbol that was added, removed, grown, shrunk,
// renamed or rewritten.
//
// Sizes are exact, so nothing here is estimated, repeated or tested: any
// difference is a difference. All sizes are in bytes.
//
// # Words
//
// An image is what one path named: a file, an archive or a directory. An object
// is one ELF file in it; a section and a symbol are what ELF calls so. A clone
// is a symbol that the compiler split off or specialised (foo.cold,
// foo.constprop.0). A fold is how symbol names become row names, so that clones
// are summed with the function that they came from. A body is the code of a
// function with the addresses taken out.
//
// # Contract
//
// This package is the one place below compare that reads files. It opens what
// Read is given, and separate debug files where the user's distribution puts
// them, and closes everything before it returns; it prints nothing. Input is
// hostile: memory is bounded by the size of the files and by
// ReadOptions.MaxUnpacked, names are kept as found, and renderers escape them.
//
// What cannot be compared is said in a Note, never shown as no difference: a
// stripped file has sections and no symbols, and its Comparison has no symbol
// rows and a note that says why.
package elfsize
