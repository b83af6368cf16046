package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// mattering are the environment variables that change what programs cost: of
// the C library, the dynamic linker, language runtimes. A name that ends with
// * is a prefix.
var mattering = []string{
	"LANG", "LC_ALL", "TZ", "GLIBC_TUNABLES", "MALLOC_*", "LD_BIND_NOW", "LD_PRELOAD", "LD_LIBRARY_PATH",
	"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "OMP_*", "KMP_*", "GOMP_*", "OPENBLAS_NUM_THREADS",
	"MKL_NUM_THREADS", "TBB_*", "RAYON_NUM_THREADS", "TOKIO_WORKER_THREADS", "PYTHONHASHSEED", "PYTHONMALLOC",
	"PYTHONOPTIMIZE", "PYTHONDONTWRITEBYTECODE", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "NODE_OPTIONS", "RUBYOPT",
	"RUST_BACKTRACE", "PERL_HASH_SEED",
}

// Variables returns those of the K=V pairs of environ that matter to what a
// program costs, sorted. A value that may hold the path of a file, which may
// hold a name, is replaced by a short hash of it.
func Variables(environ []string) []string {
	var kept []string
	for _, kv := range environ {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || !slices.ContainsFunc(mattering, func(m string) bool {
			prefix, isPrefix := strings.CutSuffix(m, "*")
			return k == m || isPrefix && strings.HasPrefix(k, prefix)
		}) {
			continue
		}
		if strings.Contains(v, "/") {
			sum := sha256.Sum256([]byte(v))
			v = "sha256:" + hex.EncodeToString(sum[:6])
		}
		kept = append(kept, k+"="+v)
	}
	slices.Sort(kept)
	return kept
}
