package journal_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"tavolo/controller/journal"
)

// A table that counts: its inputs are what it adds, its state is the sum.
func Example() {
	parent, err := os.MkdirTemp("", "tavolo")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	const added = 1
	for range 3 { // three starts
		j, found, err := journal.Open(filepath.Join(parent, "t7"), journal.Options{Table: "riga/t7", SegmentSize: 400})
		if err != nil {
			log.Fatal(err)
		}
		sum := 0
		for r, err := range j.Records(found.Start) {
			switch {
			case err != nil:
				log.Fatal(err)
			case r.Kind == journal.Snapshot:
				sum = int(r.Payload[0])
			case r.Kind == added:
				sum += int(r.Payload[0])
			}
		}
		fmt.Println("replayed from", found.Start, "to", found.Last, "sum", sum)

		for n := range byte(4) {
			if err := j.Append(journal.Entry{Kind: added, Payload: []byte{n}}); err != nil {
				log.Fatal(err)
			}
			sum += int(n) // now it may be shown
			if j.Full() {
				if err := j.Rotate([]byte{byte(sum)}); err != nil {
					log.Fatal(err)
				}
			}
		}
		if err := j.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// replayed from 1 to 0 sum 0
	// replayed from 1 to 4 sum 6
	// replayed from 7 to 9 sum 12
}
