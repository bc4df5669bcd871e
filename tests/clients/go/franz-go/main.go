// Does what the lines on stdin say; support/client_program.py has the words.
// The argument consumer makes the members of groups those of the consumer protocol.
package main

import (
	"fmt"
	"maps"
	"os"
)

func main() {
	all := commands{"round-trip": runRoundTrip, "secure": runSecure}
	for _, some := range []commands{
		transactors{}.commands(),
		producers{}.commands(),
		members{}.commands(),
		processors{}.commands(),
		administration(),
	} {
		maps.Copy(all, some)
	}
	if err := answerLines(all.run, errorName); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A command is given the words behind it and returns those of its answer.
type command func(words []string) ([]string, error)

type commands map[string]command

func (all commands) run(name string, words []string) ([]string, error) {
	run, known := all[name]
	if !known {
		return nil, fmt.Errorf("%s: no such command", name)
	}
	return run(words)
}

// done is a command whose answer is that it was done.
func done(deed func(words []string) error) command {
	return func(words []string) ([]string, error) { return nil, deed(words) }
}
