package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"runtime"
	"syscall"
	"time"
)

// load gives requests and reads their answers; both are called in order, next and check by different goroutines.
type load interface {
	next(i int) []byte
	check(body []byte, t *tally)
}

// limits end a run, whichever comes first.
type limits struct {
	requests int
	duration time.Duration
}

// tally is what one connection saw.
type tally struct {
	requests, records, bytes int
	errors, firstError       int
	latencies                []time.Duration
	took                     time.Duration
}

func (t *tally) refused(code int) {
	if t.errors == 0 {
		t.firstError = code
	}
	t.errors++
}

// readAnswer lets the load read an answer; one that is too short for what was asked is an error.
func readAnswer(l load, body []byte, t *tally) (err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("an answer of %d bytes is not what was asked for", len(body))
		}
	}()
	l.check(body, t)
	return nil
}

// roundTrips sends the next request when the last one is answered. It blocks in the system call itself: the
// runtime's poller would add its own wake-ups to each round trip.
func roundTrips(c *net.TCPConn, l load, limit limits) (tally, error) {
	file, err := c.File()
	if err != nil {
		return tally{}, err
	}
	defer file.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fd, err := newBlockingSocket(file.Fd(), limit.duration+30*time.Second)
	if err != nil {
		return tally{}, err
	}
	var t tally
	var body []byte
	r := bufio.NewReaderSize(fd, 1<<16)
	begin := time.Now()
	for i := 0; i < limit.requests; i++ {
		sent := time.Now()
		if sent.Sub(begin) > limit.duration {
			break
		}
		if err := fd.writeAll(l.next(i)); err != nil {
			return t, err
		}
		if body, err = readFrame(r, body); err != nil {
			return t, err
		}
		t.latencies = append(t.latencies, time.Since(sent))
		t.requests++
		if err := readAnswer(l, body, &t); err != nil {
			return t, err
		}
	}
	t.took = time.Since(begin)
	return t, nil
}

// pipeline keeps `depth` requests in flight, written `burst` at a time. A latency is that of a burst's last answer.
func pipeline(c *net.TCPConn, l load, depth, burst int, limit limits) (tally, error) {
	begin := time.Now()
	inFlight := make(chan time.Time, max(depth/burst-1, 0)) // with the reader's own burst: depth
	failed := make(chan struct{})
	type outcome struct {
		t   tally
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		t, err := readAnswers(c, l, burst, inFlight)
		if err != nil {
			close(failed)
			for range inFlight { // the writer may be waiting for room
			}
		}
		t.took = time.Since(begin)
		done <- outcome{t, err}
	}()
	werr := writeRequests(c, l, burst, limit, begin, inFlight, failed)
	close(inFlight)
	o := <-done
	return o.t, errors.Join(o.err, werr)
}

func readAnswers(c *net.TCPConn, l load, burst int, inFlight <-chan time.Time) (tally, error) {
	r := bufio.NewReaderSize(c, 1<<18)
	var t tally
	var body []byte
	var err error
	for sent := range inFlight {
		for i := 0; i < burst; i++ {
			if body, err = readFrame(r, body); err != nil {
				return t, err
			}
			t.requests++
			if err := readAnswer(l, body, &t); err != nil {
				return t, err
			}
		}
		t.latencies = append(t.latencies, time.Since(sent))
	}
	return t, nil
}

func writeRequests(c *net.TCPConn, l load, burst int, limit limits, begin time.Time,
	inFlight chan<- time.Time, failed <-chan struct{}) error {
	var out []byte
	for i := 0; i+burst <= limit.requests; i += burst {
		now := time.Now()
		if now.Sub(begin) > limit.duration {
			return nil
		}
		select {
		case inFlight <- now:
		case <-failed:
			return nil
		}
		chunk := l.next(i)
		if burst > 1 {
			out = append(out[:0], chunk...)
			for j := 1; j < burst; j++ {
				out = append(out, l.next(i+j)...)
			}
			chunk = out
		}
		if _, err := c.Write(chunk); err != nil {
			return err
		}
	}
	return nil
}

// blockingSocket is a socket used by plain system calls.
type blockingSocket int

func newBlockingSocket(fd uintptr, timeout time.Duration) (blockingSocket, error) {
	limit := syscall.NsecToTimeval(timeout.Nanoseconds())
	err := errors.Join(syscall.SetNonblock(int(fd), false),
		syscall.SetsockoptTimeval(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit))
	return blockingSocket(fd), err
}

func (s blockingSocket) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(s), p)
		if err == syscall.EINTR {
			continue
		}
		if err == nil && n == 0 {
			return 0, errors.New("the broker closed the connection")
		}
		return max(n, 0), err
	}
}

func (s blockingSocket) writeAll(p []byte) error {
	for len(p) > 0 {
		n, err := syscall.Write(int(s), p)
		if err != nil && err != syscall.EINTR {
			return err
		}
		p = p[max(n, 0):]
	}
	return nil
}
