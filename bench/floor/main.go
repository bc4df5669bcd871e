// floor is the least that any broker costs on a machine: it reads frames, and answers each Produce v9 without looking
// at its batches. There is no decoding, no check and no log. Everything else it forwards to a real broker. It prints
// its address, and is on loopback only.
//
//	floor -upstream 127.0.0.1:9092
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
)

const (
	bufferSize     = 1 << 20
	produceVersion = 9
)

// readFrame reads a frame with its size, into p when it is large enough.
func readFrame(r *bufio.Reader, p []byte) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(size[:])) + 4
	if cap(p) < n {
		p = make([]byte, n)
	}
	p = p[:n]
	copy(p, size[:])
	_, err := io.ReadFull(r, p[4:])
	return p, err
}

// question is what an answer to a Produce depends on: it reads the request no further.
type question struct {
	topic      []byte
	partitions int
}

// produce returns the question of a Produce v9 request without a transactional id, which begins with one topic.
func produce(request []byte) (question, bool) {
	if binary.BigEndian.Uint32(request[4:]) != produceVersion { // the API key is 0
		return question{}, false
	}
	p := request[14+binary.BigEndian.Uint16(request[12:]):] // behind the client id
	if p[0] != 0 || p[1] != 0 || p[8] != 2 {                // tags, transactional id, topics
		return question{}, false
	}
	size, n := binary.Uvarint(p[9:])
	p = p[9+n:]
	partitions, _ := binary.Uvarint(p[size-1:])
	return question{p[:size-1], int(partitions) - 1}, true
}

// answer returns the same success for each partition, with correlation id 0.
func (q question) answer() []byte {
	p := make([]byte, 8, 64)
	p = append(p, 0, 2) // tags, topics
	p = binary.AppendUvarint(p, uint64(len(q.topic)+1))
	p = append(p, q.topic...)
	p = binary.AppendUvarint(p, uint64(q.partitions+1))
	for i := range q.partitions {
		p = binary.BigEndian.AppendUint32(p, uint32(i))
		p = append(p, make([]byte, 2+8)...) // error code, base offset
		p = binary.BigEndian.AppendUint64(p, ^uint64(0))
		p = append(p, make([]byte, 8)...) // log start offset
		p = append(p, 1, 0, 0)            // record errors, message, tags
	}
	p = append(p, 0)          // tags of the topic
	p = append(p, 0, 0, 0, 0) // throttle time
	p = append(p, 0)
	binary.BigEndian.PutUint32(p, uint32(len(p)-4))
	return p
}

// connection answers one client.
type connection struct {
	upstream net.Conn
	answers  *bufio.Reader // of upstream
	topic    []byte
	repeated map[int][]byte // answers for the topic, by number of partitions
}

func (c *connection) answer(request []byte) ([]byte, error) {
	q, known := produce(request)
	if !known {
		if _, err := c.upstream.Write(request); err != nil {
			return nil, err
		}
		return readFrame(c.answers, nil)
	}
	if !bytes.Equal(q.topic, c.topic) {
		c.topic, c.repeated = bytes.Clone(q.topic), map[int][]byte{}
	}
	repeated := c.repeated[q.partitions]
	if repeated == nil {
		repeated = q.answer()
		c.repeated[q.partitions] = repeated
	}
	copy(repeated[4:8], request[8:12]) // correlation id
	return repeated, nil
}

// serve writes when it has answered all that came.
func serve(client net.Conn, upstream string) error {
	defer client.Close()
	up, err := net.Dial("tcp", upstream)
	if err != nil {
		return err
	}
	defer up.Close()
	c := connection{upstream: up, answers: bufio.NewReaderSize(up, bufferSize)}
	in, out := bufio.NewReaderSize(client, bufferSize), bufio.NewWriterSize(client, bufferSize)
	var request []byte
	for {
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if request, err = readFrame(in, request); err != nil {
			return err
		}
		answer, err := c.answer(request)
		if err != nil {
			return err
		}
		out.Write(answer)
	}
}

func listen(listener net.Listener, upstream string) error {
	for {
		client, err := listener.Accept()
		if err != nil {
			return err
		}
		go serve(client, upstream)
	}
}

func main() {
	upstream := flag.String("upstream", "127.0.0.1:9092", "the broker that answers everything but Produce")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		fmt.Println(listener.Addr())
		err = listen(listener, *upstream)
	}
	fmt.Fprintln(os.Stderr, "floor:", err)
	os.Exit(1)
}
