package load

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// peakMemory is the most memory that this process held, in bytes; 0 where the system does not tell.
func peakMemory() int64 { return peakOf("self") }

// brokerMemory is the most memory that the processes which listen at a broker's addresses held, all of them together, in bytes;
// 0 where the system does not tell, as it tells of other users' processes to root alone.
func brokerMemory(urls string) (sum int64) {
	counted := map[string]bool{}
	for node := range strings.SplitSeq(urls, ",") {
		u, err := url.Parse(node)
		if err != nil {
			continue
		}
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil {
			port = 1883
		}
		for _, socket := range listening(port) {
			if pid := holder(socket); pid != "" && !counted[pid] {
				counted[pid] = true
				sum += peakOf(pid)
			}
		}
	}
	return sum
}

// listening are the sockets that listen at a port, as /proc names them.
func listening(port uint64) (sockets []string) {
	const listen, local, state, inode = "0A", 1, 3, 9
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			if len(f) > inode && f[state] == listen && strings.HasSuffix(f[local], fmt.Sprintf(":%04X", port)) {
				sockets = append(sockets, "socket:["+f[inode]+"]")
			}
		}
	}
	return sockets
}

// holder is the process that holds a socket, "" for none that can be seen.
func holder(socket string) (pid string) {
	files, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		panic("load: " + err.Error()) // the pattern is well-formed
	}
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && to == socket {
			return strings.Split(file, "/")[2]
		}
	}
	return ""
}

// peakOf is the most memory that a process held.
func peakOf(pid string) int64 {
	status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if err != nil {
		return 0
	}
	return peakIn(string(status))
}

// peakIn reads the peak of memory out of /proc/self/status, proc_pid_status(5).
func peakIn(status string) int64 {
	for line := range strings.Lines(status) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}
