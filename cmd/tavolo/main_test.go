package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tavolo/controller/broker/brokertest"
	"tavolo/controller/journal"
	"tavolo/controller/mqtt"
)

func TestMain(m *testing.M) {
	brokertest.Serve()
	testscript.Main(m, map[string]func(){"tavolo": main, "tavolo-dealt": dealt})
}

// TestScripts runs the program as a shell does, by the scripts in testdata/script. Beside the usual commands they have:
//
//	makejournal DIR N     writes a journal of N records, a checkpoint after the second
//	tear FILE N           cuts N bytes off the end of a file
//	spoil FILE N          changes byte N of a file
//	forge DIR TO RE TEXT  writes a journal once more with what a regular expression finds in its records replaced
//	exits N tavolo ...    runs tavolo and wants that exit status
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or every run of a program built with -race takes a second more
			for _, name := range []string{"table.toml", "deck.toml", "chips.toml", "marker.toml"} {
				data, err := os.ReadFile(filepath.Join("testdata", name))
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(env.WorkDir, name), data, 0o600); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"makejournal": makeJournal, "tear": tear, "spoil": spoil, "forge": forge, "exits": exits,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N tavolo ...")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	if err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		status = exit.ExitCode()
	}
	if want := number(ts, args[0]); status != want {
		ts.Fatalf("exit status %d, want %d", status, want)
	}
}

func makeJournal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: makejournal DIR N")
	}
	j, _, err := journal.Open(ts.MkAbs(args[0]), journal.Options{Table: "milano/t1"})
	ts.Check(err)
	for i := range number(ts, args[1]) {
		ts.Check(j.Append(journal.Entry{Kind: 1, Payload: fmt.Appendf(nil, `{"n":%d}`, i+1)}))
		if i == 1 {
			note, err := j.Checkpoint()
			ts.Check(err)
			ts.Check(os.WriteFile(ts.MkAbs(args[0]+".note"), note, 0o600))
			ts.Check(os.WriteFile(ts.MkAbs(args[0]+".jsonl"), append(mqtt.Pack(mqtt.CheckpointPayload{V: 1, Note: string(note)}), '\n'), 0o600))
		}
	}
	ts.Check(j.Close())
}

func tear(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tear FILE N")
	}
	file := ts.MkAbs(args[0])
	info, err := os.Stat(file)
	ts.Check(err)
	ts.Check(os.Truncate(file, info.Size()-int64(number(ts, args[1]))))
}

func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: spoil FILE N")
	}
	file := ts.MkAbs(args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	data[number(ts, args[1])] ^= 1
	ts.Check(os.WriteFile(file, data, 0o600))
}

func forge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: forge DIR TO RE TEXT")
	}
	j, _, err := journal.Open(ts.MkAbs(args[1]), journal.Options{Table: "milano/t1"})
	ts.Check(err)
	re, found := regexp.MustCompile(args[2]), false
	for r, err := range journal.Read(ts.MkAbs(args[0]), 0) {
		ts.Check(err)
		if r.Kind == journal.Snapshot || r.Kind >= 250 { // the journal's own
			continue
		}
		payload := re.ReplaceAll(r.Payload, []byte(args[3]))
		found = found || !bytes.Equal(payload, r.Payload)
		ts.Check(j.Append(journal.Entry{Kind: r.Kind, Payload: payload}))
	}
	ts.Check(j.Close())
	if !found {
		ts.Fatalf("%s is nowhere in %s", args[2], args[0])
	}
}

func number(ts *testscript.TestScript, s string) int {
	n, err := strconv.Atoi(s)
	ts.Check(err)
	return n
}
