package journal

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// Checkpoint appends a checkpoint and returns it: a signed note (C2SP signed-note, Ed25519) laid out like a C2SP
// tlog-checkpoint. Its lines are the origin, "tavolo/" and the table; the sequence of the last record; and that record's
// hash in base64, which here is the head of a chain and not the root of a tree. Give it to others: who keeps it can tell
// if any record up to it is changed later, or missing. Errors are as for Append.
func (j *Journal) Checkpoint() ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := checkpointText(j.signer.Name(), j.last, j.head)
	signed, err := note.Sign(&note.Note{Text: text}, j.signer)
	if err != nil {
		return nil, fmt.Errorf("journal: sign checkpoint: %w", err)
	}
	if err := j.append(Entry{Checkpoint, signed}); err != nil {
		return nil, err
	}
	return signed, nil
}

func checkpointText(origin string, seq uint64, head Hash) string {
	return fmt.Sprintf("%s\n%d\n%s\n", origin, seq, base64.StdEncoding.EncodeToString(head[:]))
}

// checkCheckpoint checks that a checkpoint signs what stands before it.
func checkCheckpoint(r Record, key note.Verifier) error {
	n, err := note.Open(r.Payload, note.VerifierList(key))
	if err != nil {
		return err
	}
	if n.Text != checkpointText(key.Name(), r.Seq-1, r.prev) {
		return errors.New("signed for other records than those before it")
	}
	return nil
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
