package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tavolo/calibration"
	"tavolo/cmd/tavolo/play"
	"tavolo/cmd/tavolo/tasks"
	"tavolo/drivers/rfid"
	"tavolo/engine"
)

func calibrateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Register decks, and measure what the sensors of a table say",
		Long: `Register decks, and measure what the sensors of a table say: a step is a command. Each leads through what is to be done,
by one thing at a time. An empty line accepts what was measured, retry measures it anew, abort ends it all. Nothing is
written before save is answered; then the file is there whole or not at all, is read back, and what it said before is kept
beside it. A certificate with every value and its limit goes into the folder of certificates, as JSON. The daemon must not
run meanwhile.`,
	}
	c.AddCommand(calibrateDeckCommand(), calibrateChipsCommand(), calibrateMarkerCommand(), calibrateScaleCommand(), calibratePadsCommand(), calibratePanelCommand())
	return c
}

// errAborted is the error of a calibration that was ended before anything was saved.
var errAborted = errors.New("aborted: nothing was saved")

// certificateLife is how long a calibration holds at most, unless something is moved or exchanged.
const certificateLife = 365 * 24 * time.Hour

// wizard leads a technician through one step of calibration.
type wizard struct {
	ctx   context.Context
	out   output
	fresh bool          // whether what is to be done begins on an empty screen
	lines <-chan string // that the technician types; closed at the end of the input
	cfg   *Config
	d     *daemon
	cert  calibration.Certificate
	dir   string // of certificates
}

// wizardFlags are those of every step.
type wizardFlags struct{ file, by, certificates string }

func (f *wizardFlags) add(c *cobra.Command) {
	configFlag(c, &f.file)
	c.Flags().StringVar(&f.by, "by", "", "who does it, for the certificate (default: who is logged in)")
	c.Flags().StringVar(&f.certificates, "certificates", "", "folder of the certificates (default: certificates, beside the configuration)")
}

// lead runs a step of calibration on the devices of a configuration.
func (f *wizardFlags) lead(cmd *cobra.Command, step string, work func(*wizard) error) error {
	cfg, _, err := LoadDraft(f.file)
	if err != nil {
		return err
	}
	if err := idle(cfg); err != nil {
		return err
	}
	config, err := stateOf(f.file)
	if err != nil {
		return err
	}
	program, err := ownVersion()
	if err != nil {
		return err
	}
	if f.by == "" {
		if who, err := user.Current(); err == nil {
			f.by = who.Username
		}
	}
	now := time.Now().UTC()
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	w := &wizard{
		ctx: ctx, out: outputOf(cmd), lines: play.Lines(ctx, cmd.InOrStdin()), cfg: cfg, d: bareDaemon(cfg, slog.New(slog.DiscardHandler)),
		dir: cmp.Or(f.certificates, filepath.Join(filepath.Dir(f.file), "certificates")),
		cert: calibration.Certificate{
			V: 1, Table: cfg.Topics.Studio + "/" + cfg.Topics.Table, Step: step, At: now, Due: now.Add(certificateLife), By: f.by,
			Program: program, Config: config,
		},
	}
	w.fresh = isTerminal(cmd.OutOrStdout()) && !w.out.json
	err = work(w)
	if ctx.Err() != nil {
		err = errAborted
	}
	return errors.Join(err, w.out.Flush(), w.d.close())
}

// stateOf says exactly which file it is.
func stateOf(file string) (calibration.FileState, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return calibration.FileState{}, err
	}
	return calibration.FileState{File: file, SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}, nil
}

// heading begins what is to be done next, on an empty screen where there is one.
func (w *wizard) heading(title string, text ...string) error {
	if w.fresh {
		fmt.Fprint(w.out, "\x1b[H\x1b[2J")
	}
	body := strings.Join(text, "\n")
	return w.tell(struct {
		Step string `json:"step"`
		Text string `json:"text,omitempty"`
	}{title, body}, strings.TrimRight("\n== "+title+"\n"+body, "\n"))
}

// tell prints something at once.
func (w *wizard) tell(value any, text string) error {
	w.out.print(value, text)
	return w.out.Flush()
}

// note is something that is told while a step goes on.
type note struct {
	Note string `json:"note"`
}

func (w *wizard) note(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return w.tell(note{text}, text)
}

// answer asks for one of some answers; abort is always one, and is an error. The first is taken for an empty line, but save
// is to be said.
func (w *wizard) answer(question string, answers ...string) (string, error) {
	answers = append(answers, "abort")
	text := question + " [" + strings.Join(answers, ", ") + "]"
	if err := w.tell(struct {
		Question string   `json:"question"`
		Answers  []string `json:"answers"`
	}{question, answers}, text); err != nil {
		return "", err
	}
	for {
		line, err := w.line()
		if err != nil {
			return "", err
		}
		if line == "" && answers[0] != "save" {
			line = answers[0]
		}
		switch {
		case line == "abort":
			return "", errAborted
		case slices.Contains(answers, line):
			return line, nil
		}
		if err := w.note("%q is none of %s", line, strings.Join(answers, ", ")); err != nil {
			return "", err
		}
	}
}

// line waits for what the technician types.
func (w *wizard) line() (string, error) {
	select {
	case line, more := <-w.lines:
		if !more {
			return "", errAborted
		}
		return strings.ToLower(strings.TrimSpace(line)), nil
	case <-w.ctx.Done():
		return "", errAborted
	}
}

// save asks whether a file is to be written, writes it, reads it back by check, and writes the certificate.
func (w *wizard) save(file string, data []byte, check func(data []byte) error) error {
	if err := w.review(); err != nil {
		return err
	}
	if w.cert.Verdict != calibration.Pass {
		return fmt.Errorf("nothing was saved: %s is not within its limits", w.cert.Subject)
	}
	if _, err := w.answer("Write "+file+"?", "save"); err != nil {
		return err
	}
	kept, err := replaceFile(file, data, w.cert.At)
	if err != nil {
		return err
	}
	back, err := os.ReadFile(file)
	if err == nil {
		err = check(back)
	}
	if err != nil {
		return fmt.Errorf("%s, read back: %w", file, err)
	}
	written, err := stateOf(file)
	if err != nil {
		return err
	}
	w.cert.Written, w.cert.Kept = &written, kept
	return w.certify()
}

// measure does what measures a subject, stops the devices it was done on, and certifies it: there is nothing to save.
func (w *wizard) measure(subject string, do, stop func() error) error {
	w.cert.Subject = subject
	err := do()
	if stopped := stop(); err == nil {
		err = stopped
	}
	if err == nil {
		err = w.review()
	}
	if err != nil {
		return err
	}
	return w.certify()
}

// review shows what was measured against its limits.
func (w *wizard) review() error {
	if err := w.heading("Review of " + w.cert.Subject); err != nil {
		return err
	}
	for _, v := range w.cert.Values {
		if err := w.tell(v, valueText(v)); err != nil {
			return err
		}
	}
	return nil
}

// valueText is a value for people.
func valueText(v calibration.Value) string {
	text := fmt.Sprintf("%-4s  %-54s %s", v.Verdict, v.What, strings.TrimSpace(fmt.Sprintf("%.6g %s", v.Value, v.Unit)))
	switch {
	case v.Min != nil && v.Max != nil && *v.Min == *v.Max:
		text += fmt.Sprintf(", wanted %.6g", *v.Max)
	case v.Max != nil:
		text += fmt.Sprintf(", at most %.6g", *v.Max)
	case v.Min != nil:
		text += fmt.Sprintf(", at least %.6g", *v.Min)
	}
	if v.Note != "" {
		text += ": " + v.Note
	}
	return text
}

// certify writes the certificate. A step that has not passed is one with an error.
func (w *wizard) certify() error {
	data, err := json.MarshalIndent(w.cert, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return err
	}
	name := strings.ReplaceAll(w.cert.Step+" "+w.cert.Subject, " ", "-")
	name = strings.Map(func(r rune) rune {
		if r == os.PathSeparator || r == 0 {
			return '-'
		}
		return r
	}, name)
	file := filepath.Join(w.dir, name+"."+w.cert.At.Format(stampLayout)+".json")
	if _, err := replaceFile(file, append(data, '\n'), w.cert.At); err != nil {
		return err
	}
	result := struct {
		Result      calibration.Verdict `json:"result"`
		File        string              `json:"file,omitempty"`
		Kept        string              `json:"kept,omitempty"`
		Certificate string              `json:"certificate"`
	}{w.cert.Verdict, "", w.cert.Kept, file}
	text := fmt.Sprintf("%s: %s", w.cert.Subject, w.cert.Verdict)
	if w.cert.Written != nil {
		result.File = w.cert.Written.File
		text += ", written to " + result.File + " and read back"
	}
	if w.cert.Kept != "" {
		text += "; what it said before is in " + w.cert.Kept
	}
	if err := w.tell(result, text+"\ncertificate: "+file); err != nil {
		return err
	}
	if w.cert.Verdict != calibration.Pass {
		return errReported
	}
	return nil
}

// stampLayout is how the time is written in the names of files.
const stampLayout = "20060102-150405"

// replaceFile writes a file that, whenever the power goes, is there with all of data or as it was. What it was is kept beside
// it, under the name that is given, "" if there was none.
func replaceFile(file string, data []byte, at time.Time) (kept string, err error) {
	mode := fs.FileMode(0o640)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
		kept = file + "." + at.Format(stampLayout)
		if err := os.Link(file, kept); err != nil {
			return "", fmt.Errorf("keep %s: %w", file, err)
		}
	}
	fresh, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".new-")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(fresh.Name()))
		}
	}()
	_, err = fresh.Write(data)
	err = errors.Join(err, fresh.Chmod(mode), fresh.Sync(), fresh.Close())
	if err != nil {
		return "", err
	}
	if err := os.Rename(fresh.Name(), file); err != nil {
		return "", err
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	return kept, errors.Join(dir.Sync(), dir.Close())
}

// antennas are the antennas of some readers, at work.
type antennas struct {
	looks chan rfid.Report
	stop  func() error
}

// at does something with what the antenna that watches a zone sees, while its reader works.
func (w *wizard) at(z engine.Zone, do func(looks <-chan rfid.Report, antenna int) error) error {
	for _, d := range w.cfg.Devices {
		i := slices.Index(d.Zones, z)
		if i < 0 {
			continue
		}
		a, err := w.work(d)
		if err != nil {
			return err
		}
		err = do(a.looks, i+1)
		if stopped := a.stop(); err == nil {
			err = stopped
		}
		return err
	}
	return fmt.Errorf("no antenna watches zone %q: want one that does in [[devices]], or another zone", z)
}

// work runs the reader of a device alone, until stop is called. It returns when the reader is up.
func (w *wizard) work(c DeviceConfig) (*antennas, error) {
	dev, err := openDevice(c, w.d, newPanels(w.cfg))
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", c.Name, err)
	}
	r := dev.(*reader) // it has antennas
	ctx, cancel := context.WithCancel(w.ctx)
	a := &antennas{looks: make(chan rfid.Report)}
	var g tasks.Group
	take := func(report rfid.Report) {
		select {
		case a.looks <- report:
		case <-ctx.Done():
		}
	}
	g.Go(func() error { return attend(ctx, r.dev.Run, r.dev.Reports(), take, func() {}) })
	a.stop = func() error { cancel(); return g.Wait() }
	firmware, err := w.comesUp(a.looks)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("device %s: %w", c.Name, err), a.stop())
	}
	w.cert.Devices = append(w.cert.Devices, calibration.DeviceState{Name: c.Name, Kind: c.Kind, Place: c.place(), Firmware: firmware})
	return a, nil
}

// comesUp waits until a reader is up, or has failed for as long as a trial lets it.
func (w *wizard) comesUp(looks <-chan rfid.Report) (firmware string, err error) {
	late := time.After(trialMends)
	limit := time.After(trialLimit)
	var down error
	for {
		select {
		case report := <-looks:
			s, ok := report.(rfid.State)
			switch {
			case ok && s.Up:
				return s.Firmware, nil
			case ok:
				down = s.Err
			}
		case <-late:
			if down != nil {
				return "", down
			}
		case <-limit:
			return "", cmp.Or(down, errors.New("nothing is heard of it; see tavolo doctor"))
		case <-w.ctx.Done():
			return "", errAborted
		}
	}
}
