package mockbroker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	stopTimeout = 10 * time.Second
	// outputDelay is how long a child of the command may keep its output open.
	outputDelay  = time.Second
	outputMax    = 64 << 10
	installation = "pip install 'mockbroker[http]', or set MOCKBROKER_COMMAND to the command that runs it"
)

// A StartError is the failure of a cluster to start.
type StartError struct {
	// Command is the command with its arguments.
	Command string
	// Output is what the command printed.
	Output string
	// Cause is why it did not start.
	Cause error
}

// Error shows the command, what it printed, and what to do.
func (e *StartError) Error() string {
	text := fmt.Sprintf("mockbroker cannot start: %v\n  command: %s", e.Cause, e.Command)
	if e.Output != "" {
		text += "\n  output:\n    " + strings.ReplaceAll(strings.TrimSpace(e.Output), "\n", "\n    ")
	}
	if errors.Is(e.Cause, exec.ErrNotFound) {
		text += "\n  install it: " + installation
	}
	return text
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Cause }

// readiness is the line that a cluster prints once it is ready.
type readiness struct {
	BootstrapServers string `json:"bootstrap_servers"`
	AdminURL         string `json:"admin_url"`
}

// A process is a cluster that this program has started.
type process struct {
	command *exec.Cmd
	// input ends with this program, even when that is killed, and the cluster stops at its end.
	input  io.Closer
	output *tail
	exited chan struct{}
}

// start runs `mockbroker serve` and waits until it is ready.
func (s *settings) start(ctx context.Context) (*process, readiness, error) {
	words := s.command
	if words == nil {
		words = strings.Fields(os.Getenv("MOCKBROKER_COMMAND"))
	}
	if len(words) == 0 {
		words = []string{"mockbroker"}
	}
	words = append(append([]string{}, words...), "serve", "--port", "0", "--admin-port", "0", "--json", "--until-eof")
	words = append(words, s.arguments...)
	failure := &StartError{Command: strings.Join(words, " ")}
	p := &process{command: exec.Command(words[0], words[1:]...), output: &tail{}, exited: make(chan struct{})}
	ready, err := p.run()
	if err != nil {
		failure.Cause = err
		return nil, readiness{}, failure
	}
	timer := time.NewTimer(s.startTimeout)
	defer timer.Stop()
	select {
	case line, printed := <-ready:
		var found readiness
		if printed && json.Unmarshal(line, &found) == nil && found.AdminURL != "" {
			return p, found, nil
		}
		failure.Cause = errors.New("the command ended before the cluster was ready")
		if printed {
			failure.Cause = fmt.Errorf("the command printed no address of the HTTP API, but %q", line)
		}
	case <-timer.C:
		failure.Cause = fmt.Errorf("the cluster was not ready within %v", s.startTimeout)
	case <-ctx.Done():
		failure.Cause = ctx.Err()
	}
	p.kill()
	failure.Output = p.output.String()
	return nil, readiness{}, failure
}

// run starts the command, and returns a channel with the first line of its output.
func (p *process) run() (<-chan []byte, error) {
	input, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.input = input
	ready := make(chan []byte, 1)
	p.command.Stdout = &firstLine{found: ready}
	p.command.Stderr = p.output
	p.command.WaitDelay = outputDelay
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.command.Wait()
		close(ready)
		close(p.exited)
	}()
	return ready, nil
}

// lastWords shows what a process printed that has ended; nothing while it runs, or if there is none.
func (p *process) lastWords() string {
	if p == nil {
		return ""
	}
	select {
	case <-p.exited:
		return "\nmockbroker has ended; it printed:\n" + p.output.String()
	default:
		return ""
	}
}

// stop ends the process and waits for it.
func (p *process) stop() error {
	_ = p.input.Close()
	timer := time.NewTimer(stopTimeout)
	defer timer.Stop()
	select {
	case <-p.exited:
		return nil
	case <-timer.C:
		p.kill()
		return fmt.Errorf("mockbroker did not stop within %v, and was killed; it printed:\n%s", stopTimeout, p.output)
	}
}

func (p *process) kill() {
	_ = p.input.Close()
	_ = p.command.Process.Kill()
	<-p.exited
}

// A firstLine sends the first line that is written to it.
type firstLine struct {
	line   bytes.Buffer
	found  chan<- []byte
	isSent bool
}

// Write forgets what follows the first line.
func (l *firstLine) Write(data []byte) (int, error) {
	if l.isSent {
		return len(data), nil
	}
	l.line.Write(data)
	if line, _, isWhole := bytes.Cut(l.line.Bytes(), []byte("\n")); isWhole {
		l.found <- line
		l.isSent = true
	}
	return len(data), nil
}

// A tail keeps the end of what is written to it.
type tail struct {
	mutex sync.Mutex
	kept  bytes.Buffer
}

// Write appends, and forgets the beginning of what is too long.
func (t *tail) Write(data []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	written, err := t.kept.Write(data)
	if excess := t.kept.Len() - outputMax; excess > 0 {
		t.kept.Next(excess)
	}
	return written, err
}

// String returns what is kept.
func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.kept.String()
}
