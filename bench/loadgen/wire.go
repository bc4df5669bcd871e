package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// frame is a request being written: Kafka's primitive types, appended.
type frame []byte

func (f *frame) i8(x int)              { *f = append(*f, byte(x)) }
func (f *frame) i16(x int)             { *f = binary.BigEndian.AppendUint16(*f, uint16(x)) }
func (f *frame) i32(x int)             { *f = binary.BigEndian.AppendUint32(*f, uint32(x)) }
func (f *frame) i64(x int)             { *f = binary.BigEndian.AppendUint64(*f, uint64(x)) }
func (f *frame) uvarint(x int)         { *f = binary.AppendUvarint(*f, uint64(x)) }
func (f *frame) varint(x int)          { *f = binary.AppendVarint(*f, int64(x)) }
func (f *frame) str(s string)          { f.i16(len(s)); *f = append(*f, s...) }
func (f *frame) compactStr(s string)   { f.uvarint(len(s) + 1); *f = append(*f, s...) }
func (f *frame) compactArray(size int) { f.uvarint(size + 1) }
func (f *frame) noTags()               { f.i8(0) }

const (
	keyProduce              = 0
	keyFetch                = 1
	keyListOffsets          = 2
	keyMetadata             = 3
	keyFindCoordinator      = 10
	keyApiVersions          = 18
	keyCreateTopics         = 19
	keyDeleteTopics         = 20
	keyInitProducerID       = 22
	keyAddPartitionsToTxn   = 24
	keyEndTxn               = 26
	keyDescribeTransactions = 65

	correlationAt = 8 // where a request's correlation id is: after size, key and version
)

// request starts a frame with the header of the given API and version.
func request(key, version int, flexible bool) frame {
	var f frame
	f.i32(0)
	f.i16(key)
	f.i16(version)
	f.i32(0)
	f.str("loadgen")
	if flexible {
		f.noTags()
	}
	return f
}

// seal fills in the frame's size.
func (f frame) seal() []byte {
	binary.BigEndian.PutUint32(f, uint32(len(f)-4))
	return f
}

func setCorrelation(sealed []byte, id int) {
	binary.BigEndian.PutUint32(sealed[correlationAt:], uint32(id))
}

// answer reads a response body front to back; a short body panics.
type answer struct {
	data []byte
	at   int
}

func (a *answer) skip(n int) { a.at += n }
func (a *answer) i16() int {
	a.at += 2
	return int(int16(binary.BigEndian.Uint16(a.data[a.at-2:])))
}
func (a *answer) i32() int {
	a.at += 4
	return int(int32(binary.BigEndian.Uint32(a.data[a.at-4:])))
}
func (a *answer) i64() int {
	a.at += 8
	return int(int64(binary.BigEndian.Uint64(a.data[a.at-8:])))
}
func (a *answer) uvarint() int {
	x, n := binary.Uvarint(a.data[a.at:])
	a.at += n
	return int(x)
}
func (a *answer) compactArray() int { return a.uvarint() - 1 }
func (a *answer) skipStr()          { a.skip(max(a.i16(), 0)) }
func (a *answer) skipCompactStr()   { a.skip(max(a.uvarint()-1, 0)) }
func (a *answer) skipTags() {
	for n := a.uvarint(); n > 0; n-- {
		a.uvarint()
		a.skip(a.uvarint())
	}
}

// readFrame reads one answer, into p when it is large enough.
func readFrame(r io.Reader, p []byte) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(size[:]))
	if n < 4 || n > 1<<30 {
		return nil, fmt.Errorf("an answer of %d bytes", n)
	}
	if cap(p) < n {
		p = make([]byte, n)
	}
	p = p[:n]
	_, err := io.ReadFull(r, p)
	return p, err
}

// dial connects to the broker, which must be on this machine.
func dial(address string) (*net.TCPConn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return nil, fmt.Errorf("%s is not a loopback address", address)
	}
	c, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

// exchange sends one request on a connection of its own and returns the answer after its correlation id.
func exchange(address string, f frame) (*answer, error) {
	c, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(60 * time.Second))
	if _, err := c.Write(f.seal()); err != nil {
		return nil, err
	}
	body, err := readFrame(c, nil)
	if err != nil {
		return nil, err
	}
	return &answer{data: body, at: 4}, nil
}
