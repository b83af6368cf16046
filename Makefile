# make test installs what the tests need and runs them all.
# make bench measures what docs/benchmarks.md states, beside its neighbours.

GO ?= go
# perf, hyperfine and hackbench are measured beside this tool; binutils and gcc
# are what its readers of ELF files are checked against.
PACKAGES = linux-perf hyperfine rt-tests binutils gcc libc6-dev

.PHONY: all build test check tools bench fuzz clean

all: build

build:
	$(GO) build -o microcost .

test: tools check
	$(GO) test -race -timeout 60m ./...

# What can be said without running anything.
check:
	@test -z "$$(gofmt -l .)" || { echo "not formatted by gofmt:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./compare/... ./report/...
	GOARCH=arm64 $(GO) vet ./...
	$(GO) tool staticcheck ./...

tools:
	@scripts/install-tools.sh $(PACKAGES)

bench:
	scripts/bench.sh

clean:
	rm -rf microcost .cache
