package journal

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkAppend measures an Append, with its sync, of n records of 440 bytes, an event's size: set TMPDIR to a
// directory on the disk in question.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 8} {
		b.Run(fmt.Sprintf("%d records", n), func(b *testing.B) {
			j, _ := mustOpen(b, filepath.Join(b.TempDir(), "t7"))
			batch := slices.Repeat([]Entry{{1, bytes.Repeat([]byte("x"), 440)}}, n)
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := j.Append(batch...); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkOpen measures opening and replaying a full segment.
func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "t7")
	j, _ := mustOpen(b, dir)
	batch := slices.Repeat([]Entry{{1, bytes.Repeat([]byte("x"), 440)}}, 100)
	for !j.Full() {
		if err := j.Append(batch...); err != nil {
			b.Fatal(err)
		}
	}
	mustClose(b, j)
	for b.Loop() {
		j, found := mustOpen(b, dir)
		for _, err := range j.Records(found.Start) {
			if err != nil {
				b.Fatal(err)
			}
		}
		mustClose(b, j)
	}
}
