package journal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// The signing key of a journal and its public half, in the journal's directory.
const (
	keyFile    = "checkpoint.key" // the signer's key and, on a second line, the verifier's
	publicFile = "checkpoint.pub" // the verifier's key alone
)

// origin names a table's journal in its checkpoints and its key.
func origin(table string) string { return "tavolo/" + table }

// salt is what a checkpoint's record has before the note, and the world does not see: a note with the bare hash would tell a
// record with a card in it to whoever tries each card.
type salt [sha256.Size]byte

// Checkpoint appends a checkpoint and returns it: a signed note (C2SP signed-note, Ed25519) laid out like a C2SP
// tlog-checkpoint. Its lines are the origin, "tavolo/" and the table; the sequence of the last record; and, in base64, the
// SHA-256 of a salt and that record's hash, which is the head of a chain and not the root of a tree. The salt is in the
// journal alone, so a note tells nothing of what it signs. Give it to others: who keeps it can tell with Verify if any record
// up to it is changed later, or missing. Errors are as for Append.
func (j *Journal) Checkpoint() ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var s salt
	_, _ = rand.Read(s[:]) // which never fails
	signed, err := note.Sign(&note.Note{Text: checkpointText(j.signer.Name(), j.last, s, j.head)}, j.signer)
	if err != nil {
		return nil, fmt.Errorf("journal: sign checkpoint: %w", err)
	}
	if err := j.append(Entry{Checkpoint, append(s[:], signed...)}); err != nil {
		return nil, err
	}
	return signed, nil
}

func checkpointText(origin string, seq uint64, s salt, head Hash) string {
	sum := sha256.Sum256(append(s[:], head[:]...))
	return fmt.Sprintf("%s\n%d\n%s\n", origin, seq, base64.StdEncoding.EncodeToString(sum[:]))
}

// noteOf is what a checkpoint's record gave to the world, nil for a record that is none.
func noteOf(r Record) []byte {
	if r.Kind != Checkpoint || len(r.Payload) < len(salt{}) {
		return nil
	}
	return r.Payload[len(salt{}):]
}

// checkCheckpoint checks that a checkpoint signs what stands before it.
func checkCheckpoint(r Record, key note.Verifier) error {
	n, err := note.Open(noteOf(r), note.VerifierList(key))
	if err != nil {
		return err
	}
	if n.Text != checkpointText(key.Name(), r.Seq-1, salt(r.Payload), r.prev) {
		return errors.New("signed for other records than those before it")
	}
	return nil
}

// held are checkpoints that somebody kept, by the sequence of the last record they sign.
type held map[uint64][]byte

// openHeld reads notes that were kept. One that the journal's key has not signed is an error.
func openHeld(notes [][]byte, key note.Verifier) (held, error) {
	out := held{}
	for _, kept := range notes {
		n, err := note.Open(kept, note.VerifierList(key))
		if err != nil {
			return nil, fmt.Errorf("journal: checkpoint %.60q: not one of this journal's key %s: %w", kept, key.Name(), err)
		}
		_, rest, _ := strings.Cut(n.Text, "\n")
		number, _, _ := strings.Cut(rest, "\n")
		seq, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("journal: checkpoint %.60q: %q is no number of a record", kept, number)
		}
		if first := out[seq]; first != nil && !bytes.Equal(first, kept) {
			return nil, fmt.Errorf("journal: two checkpoints sign the records up to number %d, and differ: one of them is of another journal with the same key", seq)
		}
		out[seq] = kept
	}
	return out, nil
}

// find takes a checkpoint's record off those that are looked for, and reports whether it was one.
func (h held) find(r Record) bool {
	kept := h[r.Seq-1]
	if kept == nil || !bytes.Equal(kept, noteOf(r)) {
		return false
	}
	delete(h, r.Seq-1)
	return true
}

// missing is the error that checkpoints were not found.
func (h held) missing(rep *Report) error {
	if len(h) == 0 {
		return nil
	}
	seq := slices.Min(slices.Collect(maps.Keys(h)))
	if seq+1 < rep.First {
		return fmt.Errorf("journal: the checkpoint of record %d is older than the journal, which begins with record %d: put the older segments back", seq, rep.First)
	}
	return fmt.Errorf("journal: the checkpoint of record %d that was kept is not in the journal, which ends with record %d: "+
		"the records up to it are not those that were signed", seq, rep.Last)
}

// loadSigner reads the journal's signing key. If there is none yet it makes one.
func loadSigner(dir *os.File, name string) (note.Signer, error) {
	path := filepath.Join(dir.Name(), keyFile)
	keys, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		keys, err = makeKey(dir, name)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	private, public, _ := strings.Cut(strings.TrimSpace(string(keys)), "\n")
	signer, err := note.NewSigner(private)
	if err != nil {
		return nil, fmt.Errorf("journal: %s: %w", path, err)
	}
	if signer.Name() != name {
		return nil, fmt.Errorf("journal: %s is the key of %s, not of %s", path, signer.Name(), name)
	}
	if err := publish(dir, public+"\n"); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return signer, nil
}

func makeKey(dir *os.File, name string) ([]byte, error) {
	if _, err := os.Lstat(filepath.Join(dir.Name(), publicFile)); err == nil {
		return nil, fmt.Errorf("%s has %s but no %s: put it back from a copy, or move %s away to go on with a new key",
			dir.Name(), publicFile, keyFile, publicFile)
	}
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return nil, err
	}
	keys := []byte(private + "\n" + public + "\n")
	return keys, place(dir, keyFile, keys, 0o600)
}

// publish writes the public key beside the journal, unless it is there.
func publish(dir *os.File, public string) error {
	path := filepath.Join(dir.Name(), publicFile)
	found, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return place(dir, publicFile, []byte(public), 0o644)
	case err == nil && string(found) != public:
		return fmt.Errorf("%s is not the public half of %s", path, keyFile)
	}
	return err
}

// loadVerifier reads the public key, and its text form, by which the checkpoints in dir are checked.
func loadVerifier(dir string) (note.Verifier, string, error) {
	path := filepath.Join(dir, publicFile)
	public, err := os.ReadFile(path)
	if err != nil {
		return nil, "", fmt.Errorf("journal: public key: %w", err)
	}
	text := strings.TrimSpace(string(public))
	key, err := note.NewVerifier(text)
	if err != nil {
		return nil, "", fmt.Errorf("journal: %s: %w", path, err)
	}
	return key, text, nil
}
