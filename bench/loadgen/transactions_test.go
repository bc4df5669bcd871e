package main

import (
	"bufio"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"time"
)

// scriptedBroker answers the requests of its one connection with these error codes, behind a throttle time.
func scriptedBroker(t *testing.T, codes ...int) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		r := bufio.NewReader(c)
		for _, code := range codes {
			if _, err := readFrame(r, nil); err != nil {
				return
			}
			var body frame
			body.i32(0)
			body.i32(0)
			body.i16(code)
			c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
		}
	}()
	return listener.Addr().String()
}

func asked(t *testing.T, codes ...int) (retries, measured int, err error) {
	err = converse(scriptedBroker(t, codes...), time.Second, func(c *conversation) error {
		_, err := c.ask(operation{"end", request(keyEndTxn, 1, false).seal(), throttledCode})
		retries, measured = c.retries, len(c.took["end"])
		return err
	})
	return retries, measured, err
}

func TestATransactionThatIsStillCompletingIsAskedForAgain(t *testing.T) {
	retries, measured, err := asked(t, errConcurrentTransactions, 14, 0)
	if err != nil || retries != 2 || measured != 1 {
		t.Fatal(retries, measured, err)
	}
}

func TestARefusalEndsTheRun(t *testing.T) {
	_, measured, err := asked(t, 48)
	if err == nil || !strings.Contains(err.Error(), "end: error 48") || measured != 0 {
		t.Fatal(measured, err)
	}
}

func TestAQuantileIsInMicroseconds(t *testing.T) {
	took := []time.Duration{3 * time.Microsecond, time.Microsecond, 2 * time.Microsecond}
	if got := quantile(took, .5); got != 2 {
		t.Fatal(got)
	}
}
