package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release and commit are set by the linker, see the Makefile. Otherwise Go knows them where it builds in a repository.
var release, commit string

// version is the release, "(devel)" if nobody knows it.
func version() string {
	if release != "" {
		return release
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return build.Main.Version
}

// versionInfo says exactly which program this is.
type versionInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit"` // with "+changes" if the tree was not clean; "unknown" if it was not built in one
	Go      string `json:"go"`     // of the compiler
	SHA256  string `json:"sha256"` // of the executable
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, commit, compiler and checksum of this program",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := ownVersion()
			if err != nil {
				return err
			}
			out := outputOf(cmd)
			out.print(v, fmt.Sprintf("tavolo %s\ncommit %s\n%s\nsha256 %s", v.Version, v.Commit, v.Go, v.SHA256))
			return out.Flush()
		},
	}
}

func ownVersion() (versionInfo, error) {
	v := versionInfo{Version: version(), Commit: commit, Go: runtime.Version()}
	if build, ok := debug.ReadBuildInfo(); ok && v.Commit == "" {
		for _, s := range build.Settings {
			switch {
			case s.Key == "vcs.revision":
				v.Commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				v.Commit += "+changes"
			}
		}
	}
	if v.Commit == "" {
		v.Commit = "unknown"
	}
	var err error
	v.SHA256, err = ownChecksum()
	return v, err
}

// ownChecksum is the SHA-256 of the executable, as sha256sum prints it.
func ownChecksum() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the executable: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
