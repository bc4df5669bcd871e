package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	batchHeaderSize = 61
	offsetsMax      = 4096

	fetchIsolationAt = 38 // where fetchRequest says that it reads what is not committed
)

// fetchRequest returns Fetch v12 of partition 0, without a session.
func fetchRequest(topic string, offset, maxBytes int) []byte {
	f := request(keyFetch, 12, true)
	f.i32(-1)
	f.i32(100)
	f.i32(1)
	f.i32(64 << 20)
	f.i8(0)
	f.i32(0)
	f.i32(-1)
	f.compactArray(1)
	f.compactStr(topic)
	f.compactArray(1)
	f.i32(0)
	f.i32(-1)
	f.i64(offset)
	f.i32(-1)
	f.i64(-1)
	f.i32(maxBytes)
	f.noTags()
	f.noTags()
	f.compactArray(0)
	f.compactStr("")
	f.noTags()
	return f.seal()
}

// fetched is what one Fetch answer holds.
type fetched struct {
	code, highWatermark, nextOffset, records, bytes int
}

func readFetched(body []byte, offset int) fetched {
	a := &answer{data: body, at: 4}
	a.skipTags()
	a.skip(4 + 2 + 4)
	a.compactArray()
	a.skipCompactStr()
	a.compactArray()
	a.skip(4)
	result := fetched{nextOffset: offset, code: a.i16()}
	if result.code != 0 {
		return result
	}
	result.highWatermark = a.i64()
	a.skip(8 + 8)
	for n := a.compactArray(); n > 0; n-- {
		a.skip(8 + 8)
		a.skipTags()
	}
	a.skip(4)
	n := max(a.compactArray(), 0)
	batches := body[a.at : a.at+n]
	for len(batches) >= batchHeaderSize {
		size := 12 + int(binary.BigEndian.Uint32(batches[8:]))
		if size > len(batches) {
			break // the last batch may be cut
		}
		last := int(binary.BigEndian.Uint64(batches)) + int(binary.BigEndian.Uint32(batches[23:]))
		result.nextOffset = last + 1
		result.records += int(binary.BigEndian.Uint32(batches[57:]))
		result.bytes += size
		batches = batches[size:]
	}
	return result
}

// fetchLoad reads the partition from its start to its end, again and again.
type fetchLoad struct{ requests [][]byte }

// newFetchLoad learns by one sequential pass at which offsets such requests start; the pass is not measured.
func newFetchLoad(address, topic string, maxBytes int) (*fetchLoad, error) {
	offset, err := logStartOffset(address, topic)
	if err != nil {
		return nil, err
	}
	c, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	load := &fetchLoad{}
	var body []byte
	for len(load.requests) < offsetsMax {
		sealed := fetchRequest(topic, offset, maxBytes)
		if _, err := c.Write(sealed); err != nil {
			return nil, err
		}
		if body, err = readFrame(c, body); err != nil {
			return nil, err
		}
		got := readFetched(body, offset)
		if got.code != 0 {
			return nil, fmt.Errorf("Fetch at %d: error %d", offset, got.code)
		}
		if got.records == 0 {
			break
		}
		// An answer at the log's end is shorter: it would make the others' mean smaller than asked for.
		if offset = got.nextOffset; offset < got.highWatermark || len(load.requests) == 0 {
			load.requests = append(load.requests, sealed)
		}
		if offset >= got.highWatermark {
			break
		}
	}
	if len(load.requests) == 0 {
		return nil, errors.New("the partition is empty")
	}
	return load, nil
}

func (f *fetchLoad) next(i int) []byte {
	sealed := f.requests[i%len(f.requests)]
	setCorrelation(sealed, i)
	return sealed
}

func (f *fetchLoad) check(body []byte, t *tally) {
	got := readFetched(body, 0)
	if got.code != 0 {
		t.refused(got.code)
		return
	}
	t.bytes += got.bytes
	t.records += got.records
}
