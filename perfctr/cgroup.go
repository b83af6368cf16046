package perfctr

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// cgroupDir finds the directory of a control group: an absolute name that is a
// directory below one of the mounts, or a name below the mount that perf events
// use. That is the perf_event hierarchy where cgroup v1 has it mounted, and the
// unified hierarchy of v2 everywhere else: the controller can only be on one.
func (s *System) cgroupDir(name string) (string, error) {
	if s.Proc == nil || s.Root == nil {
		return "", fmt.Errorf("cgroup %s: %w", name, fs.ErrNotExist)
	}
	mounts, err := fs.ReadFile(s.Proc, "mounts")
	if err != nil {
		return "", fmt.Errorf("finding cgroup %s: %w", name, err)
	}
	mount := cgroupMount(string(mounts))
	if mount == "" {
		return "", fmt.Errorf("finding cgroup %s: no cgroup filesystem is mounted: "+
			"`mount -t cgroup2 cgroup2 /sys/fs/cgroup` as root: %w", name, fs.ErrNotExist)
	}
	clean := path.Clean("/" + name)
	tries := []string{path.Clean(mount + clean)}
	if clean == mount || strings.HasPrefix(clean, mount+"/") {
		tries = []string{clean}
	}
	for _, dir := range tries {
		info, err := fs.Stat(s.Root, strings.TrimPrefix(dir, "/"))
		if err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no cgroup %s below %s: %w", name, mount, fs.ErrNotExist)
}

// cgroupMount reads /proc/mounts: where the perf_event controller lives.
func cgroupMount(mounts string) string {
	unified := ""
	for _, line := range strings.Split(mounts, "\n") {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		switch f[2] {
		case "cgroup":
			for _, option := range strings.Split(f[3], ",") {
				if option == "perf_event" {
					return unescapeMount(f[1])
				}
			}
		case "cgroup2":
			if unified == "" {
				unified = unescapeMount(f[1])
			}
		}
	}
	return unified
}
