package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

func varied(records, size int) produceSpec {
	return produceSpec{topic: "t", partitions: 4, records: records, size: size, acks: -1, seed: 7, producer: producer{7, 0}}
}

// decompressed returns a batch's records as a broker reads them.
func decompressed(t *testing.T, batch []byte) []byte {
	p := batch[batchHeaderSize:]
	var r io.Reader
	var err error
	switch codec(binary.BigEndian.Uint16(batch[batchChecksumAt:]) & 7) {
	case codecNone:
		return p
	case codecGzip:
		r, err = gzip.NewReader(bytes.NewReader(p))
	case codecSnappy:
		var out []byte
		for p = p[16:]; len(p) > 0; {
			n := binary.BigEndian.Uint32(p)
			block, err := snappy.Decode(nil, p[4:4+n])
			if err != nil {
				t.Fatal(err)
			}
			out, p = append(out, block...), p[4+n:]
		}
		return out
	case codecLz4:
		r = lz4.NewReader(bytes.NewReader(p))
	case codecZstd:
		r, err = zstd.NewReader(bytes.NewReader(p))
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// read is a record as it stands in a batch.
type read struct {
	delta, offset, keySize, valueSize, headers int
}

func readRecords(t *testing.T, batch []byte) []read {
	var all []read
	p := decompressed(t, batch)
	varint := func() int {
		n, size := binary.Varint(p)
		p = p[size:]
		return int(n)
	}
	for len(p) > 0 {
		end := varint()
		end = len(p) - end
		p = p[1:]
		r := read{delta: varint(), offset: varint()}
		r.keySize = varint()
		p = p[max(r.keySize, 0):]
		r.valueSize = varint()
		p = p[r.valueSize:]
		r.headers = varint()
		for range 2 * r.headers {
			n := varint()
			p = p[n:]
		}
		if len(p) != end {
			t.Fatalf("a record ends %d bytes before the next one begins", len(p)-end)
		}
		all = append(all, r)
	}
	return all
}

func TestRequestsDifferAsThoseOfApplicationsDo(t *testing.T) {
	l := newProduceLoad(varied(15, 100))
	counts, several, codecs := map[int]bool{}, 0, map[codec]int{}
	keys, values, headers, deltas, batches := map[int]bool{}, map[int]bool{}, 0, map[int]bool{}, 0
	records := 0
	for i := range l.pool {
		l.next(i)
		if len(l.pool[i].batches) > 1 {
			several++
		}
		for n, batch := range l.pool[i].batches {
			batches++
			codecs[codec(binary.BigEndian.Uint16(batch[batchChecksumAt:])&7)]++
			all := readRecords(t, batch)
			if len(all) != l.pool[i].counts[n] || int(binary.BigEndian.Uint32(batch[57:])) != len(all) {
				t.Fatalf("%d records, %d counted", len(all), l.pool[i].counts[n])
			}
			counts[len(all)] = true
			for offset, r := range all {
				if r.offset != offset || r.keySize < 4 || r.keySize > 20 || r.valueSize < 50 || r.valueSize > 150 {
					t.Fatalf("%+v", r)
				}
				keys[r.keySize], values[r.valueSize], deltas[r.delta] = true, true, true
				headers += min(r.headers, 1)
				records++
			}
		}
	}
	if len(counts) != 16 || len(keys) != 17 || len(values) != 101 || len(deltas) < 100 {
		t.Error(len(counts), len(keys), len(values), len(deltas))
	}
	if share := float64(headers) / float64(records); share < .2 || share > .3 {
		t.Errorf("%.2f of the records have headers", share)
	}
	if share := float64(several) / float64(len(l.pool)); share < .15 || share > .35 {
		t.Errorf("%.2f of the requests are for several partitions", share)
	}
	if share := 1 - float64(codecs[codecNone])/float64(batches); len(codecs) != 5 || share < .15 || share > .35 {
		t.Errorf("%.2f of the batches are compressed: %v", share, codecs)
	}
}

func TestNoTwoRequestsOfAPoolAreAlike(t *testing.T) {
	for _, spec := range []produceSpec{varied(1, 100), varied(1, 65_536)} {
		seen := map[uint32]bool{}
		l := newProduceLoad(spec)
		for _, p := range l.pool {
			seen[crc32.ChecksumIEEE(p.sealed)] = true
		}
		if len(seen) != len(l.pool) || len(seen) < 100 {
			t.Errorf("%d of %d differ", len(seen), len(l.pool))
		}
	}
}

func TestASeedMakesTheSameRecords(t *testing.T) {
	records := func(seed int) []byte {
		var all []byte
		for _, p := range newProduceLoad(func() produceSpec { s := varied(3, 50); s.seed = seed; return s }()).pool {
			for _, batch := range p.batches {
				all = append(all, batch[batchHeaderSize:]...)
			}
		}
		return all
	}
	if !bytes.Equal(records(3), records(3)) {
		t.Error("one seed made two loads")
	}
	if bytes.Equal(records(3), records(4)) {
		t.Error("two seeds made one load")
	}
}

func TestSequencesOfEachPartitionFollowItsRecords(t *testing.T) {
	l := newProduceLoad(varied(3, 10))
	next := map[int]int{}
	for i := range 2 * len(l.pool) {
		l.next(i)
		p := l.pool[i%len(l.pool)]
		for n, batch := range p.batches {
			if got := int(binary.BigEndian.Uint32(batch[batchSequenceAt:])); got != next[p.partitions[n]] {
				t.Fatalf("sequence %d after %d records", got, next[p.partitions[n]])
			}
			if crc32.Checksum(batch[batchChecksumAt:], castagnoli) != binary.BigEndian.Uint32(batch[batchCrcAt:]) {
				t.Fatal("checksum")
			}
			next[p.partitions[n]] += p.counts[n]
		}
	}
	if len(next) != 4 {
		t.Error(next)
	}
}

func TestALargeRequestStaysBelowTheProducersLimit(t *testing.T) {
	for _, p := range newProduceLoad(varied(1, 655_360)).pool {
		if p.bytes > requestSizeMax {
			t.Fatalf("%d bytes", p.bytes)
		}
	}
}

func TestTextCompresses(t *testing.T) {
	spec := varied(150, 100)
	random := newProduceLoad(spec).meanBytes()
	spec.text = true
	if text := newProduceLoad(spec).meanBytes(); text > random*95/100 {
		t.Errorf("%d bytes of text, %d of random", text, random)
	}
}

func TestARefusalOfOnePartitionIsARefusal(t *testing.T) {
	if code := produceErrorCode(&answer{data: produced(0, 0, 45), at: 4}, 3); code != 45 {
		t.Error(code)
	}
}

func TestAMissingPartitionIsNoAnswer(t *testing.T) {
	l := newProduceLoad(varied(1, 10))
	l.pool[0].batches = make([][]byte, 3)
	if err := readAnswer(l, produced(0, 0), &tally{}); err == nil {
		t.Error("two partitions answered for three")
	}
}
