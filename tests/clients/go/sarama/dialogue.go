package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// answerLines runs one command per line of stdin: tabs part its words, and those of the answer.
func answerLines(
	run func(command string, words []string) ([]string, error), errorName func(error) string,
) error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Split(lines.Text(), "\t")
		values, err := run(words[0], words[1:])
		answer := append([]string{"ok"}, values...)
		if err != nil {
			detail := strings.Join(strings.Fields(err.Error()), " ")
			answer = []string{"error", errorName(err), detail}
		}
		fmt.Println(strings.Join(answer, "\t"))
	}
	return lines.Err()
}
