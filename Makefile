# make test installs what the tests need and runs them all.
# make bench measures what docs/benchmarks.md states, beside its neighbours.

GO ?= go
# perf, hyperfine and hackbench are measured beside this tool; binutils and gcc
# are what its readers of ELF files are checked against, with the compressors that
# kernels are packed by; bloat-o-meter is in Python; QEMU boots kernels.
PACKAGES = linux-perf hyperfine rt-tests procps util-linux strace binutils gcc libc6-dev \
	python3 xz-utils zstd lz4 bzip2 qemu-system-x86 qemu-system-arm

# A program with the race detector waits a second at its end; the tests start
# thousands of them.
GORACE = atexit_sleep_ms=0

.PHONY: all build test check tools kernels bench clean

all: build

build:
	$(GO) build -o microcost .

test: tools kernels check
	GORACE="$(GORACE)" $(GO) test -race -timeout 60m ./...

# What can be said without running anything.
check:
	@test -z "$$(gofmt -l .)" || { echo "not formatted by gofmt:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./compare/... ./report/...
	GOARCH=arm64 $(GO) vet ./...
	GOARCH=riscv64 $(GO) build -o /dev/null .
	$(GO) tool staticcheck ./...

tools:
	@scripts/install-tools.sh $(PACKAGES)

# Kernels to be read by microcost size and booted by microcost kernel: Debian's, and
# three that are built here once, in some minutes.
kernels:
	@scripts/fetch-kernels.sh
	@scripts/kernel-ab.sh

bench:
	scripts/bench.sh

clean:
	rm -rf microcost .cache
