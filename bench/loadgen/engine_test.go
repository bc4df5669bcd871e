package main

import (
	"bufio"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"time"
)

// fakeBroker answers every request on its connections with the same body.
func fakeBroker(t testing.TB, body []byte) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	answer := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	answer = append(answer, body...)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(c, answer)
		}
	}()
	return listener.Addr().String()
}

// serve answers, and writes when it has read all that came.
func serve(c net.Conn, answer []byte) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 1<<18)
	w := bufio.NewWriterSize(c, 1<<18)
	var request []byte
	var err error
	for {
		if r.Buffered() == 0 && w.Flush() != nil {
			return
		}
		if request, err = readFrame(r, request); err != nil {
			return
		}
		w.Write(answer)
	}
}

// produced is a Produce v9 answer for partitions of the topic "t", the last of them with an error code.
func produced(codes ...int) []byte {
	var f frame
	f.i32(0)
	f.noTags()
	f.compactArray(1)
	f.compactStr("t")
	f.compactArray(len(codes))
	for partition, code := range codes {
		f.i32(partition)
		f.i16(code)
		f = append(f, make([]byte, 8+8+8+3)...)
	}
	return append(f, make([]byte, 1+4+1)...)
}

func load4(t testing.TB, address string, o options, requests int) (tally, error) {
	o.address, o.mode, o.topic, o.acks = address, "produce", "t", -1
	o.connections, o.topics, o.partitions, o.records, o.size = 1, 1, 1, 1, 100
	o.requests, o.seconds = requests, 10
	if err := o.validate(); err != nil {
		t.Fatal(err)
	}
	l, err := o.load(0)
	if err != nil {
		t.Fatal(err)
	}
	return o.connection(l)
}

func TestEveryAnswerIsCounted(t *testing.T) {
	address := fakeBroker(t, produced(0))
	for _, o := range []options{{depth: 1, burst: 1}, {depth: 4, burst: 1}, {depth: 256, burst: 64}} {
		got, err := load4(t, address, o, 1280)
		if err != nil || got.requests != 1280 || got.records != 1280 || got.errors != 0 {
			t.Errorf("depth %d, burst %d: %+v, %v", o.depth, o.burst, got.requests, err)
		}
		if want := 1280 / o.burst; len(got.latencies) != want {
			t.Errorf("depth %d, burst %d: %d latencies", o.depth, o.burst, len(got.latencies))
		}
	}
}

func TestARefusalIsCountedWithItsCode(t *testing.T) {
	got, err := load4(t, fakeBroker(t, produced(45)), options{depth: 4, burst: 2}, 8)
	if err != nil || got.errors != 8 || got.firstError != 45 || got.bytes != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAShortAnswerIsAnError(t *testing.T) {
	for _, o := range []options{{depth: 1, burst: 1}, {depth: 4, burst: 1}} {
		_, err := load4(t, fakeBroker(t, []byte{0, 0, 0, 0, 0}), o, 8)
		if err == nil || !strings.Contains(err.Error(), "not what was asked for") {
			t.Errorf("depth %d: %v", o.depth, err)
		}
	}
}

func TestABrokerElsewhereIsRefused(t *testing.T) {
	if _, err := dial("192.0.2.1:9092"); err == nil {
		t.Error("connected")
	}
}

// What the generator itself can do: no broker may come near it.
func BenchmarkPipelined(b *testing.B) {
	address := fakeBroker(b, produced(0))
	requests := max(b.N/64, 1) * 64
	b.ResetTimer()
	got, err := load4(b, address, options{depth: 256, burst: 64}, requests)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(got.requests)/got.took.Seconds(), "requests/s")
}

func BenchmarkRoundTrip(b *testing.B) {
	address := fakeBroker(b, produced(0))
	b.ResetTimer()
	began := time.Now()
	if _, err := load4(b, address, options{depth: 1, burst: 1}, b.N); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/float64(b.N), "µs/round")
}
