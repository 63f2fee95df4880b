package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tavolo/controller/journal"
	"tavolo/controller/mqtt"
)

func journalCommand() *cobra.Command {
	c := &cobra.Command{Use: "journal", Short: "Verify, export or repair the journal of a table, or print its books"}
	c.AddCommand(
		journalVerifyCommand(),
		&cobra.Command{
			Use:   "export DIR",
			Short: "Print every record as a line of JSON, up to the first that is damaged",
			Args:  cobra.ExactArgs(1),
			RunE:  func(cmd *cobra.Command, args []string) error { return journal.Export(args[0], cmd.OutOrStdout()) },
		},
		&cobra.Command{
			Use:   "repair DIR",
			Short: "Cut the newest segment back to its last whole record, which loses what is cut",
			Long: `Cut the newest segment of a journal back to its last whole record, so that the table starts again.

What is cut off is lost to the table, but kept in a .torn file beside the segment. Look for a copy of the segment
first. A tail torn by a power cut needs no repair: the table cuts it by itself.`,
			Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return repairJournal(outputOf(cmd), args[0]) },
		},
		journalLedgerCommand(),
	)
	return c
}

func journalVerifyCommand() *cobra.Command {
	var files []string
	c := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check every checksum, sequence, hash and signature",
		Long: `Check every checksum, sequence, hash and signature of a journal.

That alone does not show that its end was cut off, or all of it made anew with another key. What was kept elsewhere does: give
--checkpoint files with what the table published on MQTT under audit/checkpoint, a message a line, or with a bare note.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return verifyJournal(outputOf(cmd), args[0], files) },
	}
	c.Flags().StringArrayVar(&files, "checkpoint", nil, "checkpoints kept elsewhere, which must be in the journal; a `FILE`, or several")
	return c
}

// keptIn reads the checkpoints in a file: messages of audit/checkpoint one a line, or one note.
func keptIn(file string) (notes [][]byte, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return [][]byte{data}, nil
	}
	n := 0
	for line := range bytes.Lines(data) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var m mqtt.CheckpointPayload
		if err := json.Unmarshal(line, &m); err != nil || m.V != mqtt.Version {
			return nil, fmt.Errorf("%s:%d: no message of audit/checkpoint: want {\"v\":%d,...,\"note\":...}", file, n, mqtt.Version)
		}
		notes = append(notes, []byte(m.Note))
	}
	return notes, nil
}

// verified is a report on a journal, with its damage if there is any.
type verified struct {
	Dir    string `json:"dir"`
	Result string `json:"result"` // ok or damaged
	journal.Report
	Fault *journal.Fault `json:"fault,omitempty"`
}

func verifyJournal(out output, dir string, files []string) error {
	var kept [][]byte
	for _, file := range files {
		notes, err := keptIn(file)
		if err != nil {
			return err
		}
		kept = append(kept, notes...)
	}
	report, err := journal.Verify(dir, kept...)
	v := verified{Dir: dir, Result: "ok", Report: report}
	if fault, ok := errors.AsType[*journal.Fault](err); ok {
		v.Result, v.Fault = "damaged", fault
	} else if err != nil {
		return err
	}
	out.print(v, v.String())
	return errors.Join(out.Flush(), err)
}

// String is the report for people.
func (v verified) String() string {
	of := ""
	if v.Fault != nil {
		of = ", before the damage"
	}
	found := ""
	if v.Held > 0 {
		found = fmt.Sprintf("; %d kept elsewhere found", v.Held)
	}
	return fmt.Sprintf(`%s: %s
  records     %d, number %d to %d%s, in %d segments
  snapshots   %d
  checkpoints %d, which sign the records up to number %d%s
  head        %v
  key         %s`,
		v.Dir, v.Result, v.Records, v.First, v.Last, of, v.Segments, v.Snapshots, v.Checkpoints, v.Signed, found, v.Head, v.Key)
}

// repaired is one part cut off a journal; Cut is nil if there was nothing to cut.
type repaired struct {
	Dir    string `json:"dir"`
	Result string `json:"result"` // ok or cut
	*journal.Cut
}

func repairJournal(out output, dir string) error {
	cuts, err := journal.Repair(dir)
	for _, c := range cuts {
		out.print(repaired{dir, "cut", &c}, fmt.Sprintf("%s: cut %d bytes off %s, from record %d on (%s); they are in %s",
			dir, c.Fault.Size, c.Fault.File, c.Fault.Seq, c.Fault.Reason, c.Saved))
	}
	if err == nil && len(cuts) == 0 {
		out.print(repaired{dir, "ok", nil}, dir+": ok, nothing to repair")
	}
	return errors.Join(err, out.Flush())
}
