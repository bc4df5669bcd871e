package tests

import (
	"fmt"
	"strings"
	"testing"
)

// A recorder stands for the *testing.T of a test that may fail.
type recorder struct {
	errors, logs []string
	cleanups     []func()
	isFatal      bool
}

func (r *recorder) Name() string       { return "recorder" }
func (r *recorder) Helper()            {}
func (r *recorder) Cleanup(end func()) { r.cleanups = append(r.cleanups, end) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Failed() bool { return len(r.errors) > 0 }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.isFatal = true
}

// end runs what the test has left for its end.
func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

// hasText fails the test unless a text has all parts.
func hasText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}
