package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net"
	"testing"
)

// produceOf is Produce v9 as far as the floor reads it, and some bytes that are no batches.
func produceOf(topic string, partitions int, transactionalID byte) []byte {
	p := []byte{0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 5, 0, 2, 'm', 'e', 0, transactionalID}
	p = append(p, 0xff, 0xff, 0, 0, 0x75, 0x30, 2, byte(len(topic)+1))
	p = append(append(p, topic...), byte(partitions+1))
	p = append(p, "not a batch"...)
	binary.BigEndian.PutUint32(p, uint32(len(p)-4))
	return p
}

// floorBefore serves before a broker that answers everything with its own request.
func floorBefore(t *testing.T) net.Conn {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	floor, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for p, err := readFrame(r, nil); err == nil; p, err = readFrame(r, p) {
					c.Write(p)
				}
			}()
		}
	}()
	go listen(floor, echo.Addr().String())
	client, err := net.Dial("tcp", floor.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); floor.Close(); echo.Close() })
	return client
}

func TestAProduceIsAnsweredForEachOfItsPartitions(t *testing.T) {
	c := floorBefore(t)
	r := bufio.NewReader(c)
	for _, partitions := range []int{1, 3, 1} {
		c.Write(produceOf("orders", partitions, 0))
		got, err := readFrame(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if id := binary.BigEndian.Uint32(got[4:]); id != 5 {
			t.Errorf("correlation id %d", id)
		}
		head := append([]byte{0, 2, 7}, "orders"...)
		if !bytes.Equal(got[8:18], append(head, byte(partitions+1))) || len(got) != 18+33*partitions+6 {
			t.Errorf("%d partitions: %x", partitions, got)
		}
	}
}

func TestWhatElseComesIsForwarded(t *testing.T) {
	c := floorBefore(t)
	r := bufio.NewReader(c)
	metadata := produceOf("orders", 1, 0)
	metadata[5] = 3
	for _, request := range [][]byte{metadata, produceOf("orders", 1, 4)} {
		c.Write(request)
		if got, err := readFrame(r, nil); err != nil || !bytes.Equal(got, request) {
			t.Errorf("%x, %v", got, err)
		}
	}
}
