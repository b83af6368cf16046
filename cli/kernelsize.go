package cli

import (
	"microcost/workload/guest"
	"microcost/workload/recording"
)

// imageBinary identifies a kernel image, with its sizes as far as they are known:
// the sections of the vmlinux in it or beside it, or those of an arm64 Image.
func imageBinary(im *guest.Image) *recording.Binary {
	b := identify(im.Path)
	if b == nil || b.SHA256 != im.SHA256 { // replaced since it was read
		b = &recording.Binary{SHA256: im.SHA256}
	}
	b.Flat, b.Memory = im.Flat, im.Memory
	return b
}
