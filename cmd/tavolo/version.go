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

// release is set by the linker: go build -ldflags "-X main.release=v1.2.3".
var release string

// version is the release or, where none was set, the version that Go takes from the repository; "(devel)" without one.
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
	v := versionInfo{Version: version(), Commit: "unknown", Go: runtime.Version()}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			switch {
			case s.Key == "vcs.revision":
				v.Commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				v.Commit += "+changes"
			}
		}
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
