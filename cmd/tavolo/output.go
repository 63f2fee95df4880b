package main

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

// output is what a command prints on standard output. Errors of writing are kept for flush.
type output struct {
	*bufio.Writer
	json bool
}

func outputOf(cmd *cobra.Command) output {
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		panic(err) // run has made the flag
	}
	return output{bufio.NewWriter(cmd.OutOrStdout()), asJSON}
}

// print writes a result: its text for people, or the value as a line of JSON.
func (o output) print(value any, text string) {
	if !o.json {
		fmt.Fprintln(o, text)
		return
	}
	enc := json.NewEncoder(o)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil && o.Flush() == nil {
		panic(err) // the value is of a type that JSON does not know
	}
}
