package main

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"time"
)

const (
	batchCrcAt      = 17 // offsets in a record batch of format 2
	batchChecksumAt = 21
	batchSequenceAt = 53
	batchMaxOffset  = 0x7fffffff

	attributeTransactional = 0x10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type producer struct{ id, epoch int }

var noProducer = producer{-1, -1}

// record is what the application gave its producer.
type record struct {
	key, value []byte // a nil key is null
	headers    [][2][]byte
	delta      int // milliseconds after the batch's base timestamp
}

// batchSpec says what stands in a batch's header.
type batchSpec struct {
	producer      producer
	transactional bool
	codec         codec
}

// newBatch returns a record batch of format 2 with sequence 0. Kafka: DefaultRecordBatch.
func newBatch(spec batchSpec, records []record) []byte {
	var encoded frame
	latest := 0
	for i, r := range records {
		one := r.encode(i)
		encoded.varint(len(one))
		encoded = append(encoded, one...)
		latest = max(latest, r.delta)
	}
	sequence := 0
	if spec.producer == noProducer {
		sequence = -1
	}
	attributes := int(spec.codec)
	if spec.transactional {
		attributes |= attributeTransactional
	}
	now := int(time.Now().UnixMilli())
	var body frame // what the checksum covers
	body.i16(attributes)
	body.i32(len(records) - 1)
	body.i64(now)
	body.i64(now + latest)
	body.i64(spec.producer.id)
	body.i16(spec.producer.epoch)
	body.i32(sequence)
	body.i32(len(records))
	body = append(body, spec.codec.compress(encoded)...)
	var batch frame
	batch.i64(0)
	batch.i32(9 + len(body))
	batch.i32(-1)
	batch.i8(2)
	batch.i32(int(crc32.Checksum(body, castagnoli)))
	return append(batch, body...)
}

func (r record) encode(offset int) frame {
	var f frame
	f.i8(0)
	f.varint(r.delta)
	f.varint(offset)
	if r.key == nil {
		f.varint(-1)
	} else {
		f.varint(len(r.key))
		f = append(f, r.key...)
	}
	f.varint(len(r.value))
	f = append(f, r.value...)
	f.varint(len(r.headers))
	for _, header := range r.headers {
		f.varint(len(header[0]))
		f = append(f, header[0]...)
		f.varint(len(header[1]))
		f = append(f, header[1]...)
	}
	return f
}

// setSequence gives a batch its place among its producer's, and makes its checksum right.
func setSequence(batch []byte, sequence int) {
	binary.BigEndian.PutUint32(batch[batchSequenceAt:], uint32(sequence)&batchMaxOffset)
	binary.BigEndian.PutUint32(batch[batchCrcAt:], crc32.Checksum(batch[batchChecksumAt:], castagnoli))
}

// variety makes records and batches that differ as those of applications do, all from one seed.
type variety struct {
	random     *rand.Rand
	size       int // the mean bytes of a value
	text       bool
	vocabulary [][]byte
}

func newVariety(seed, connection, size int, text bool) *variety {
	v := &variety{random: rand.New(rand.NewPCG(uint64(seed), uint64(connection))), size: size, text: text}
	for range vocabularySize {
		word := v.bytes(v.between(2, 9))
		for i := range word {
			word[i] = 'a' + word[i]%26
		}
		v.vocabulary = append(v.vocabulary, word)
	}
	return v
}

// between returns a number from least to most.
func (v *variety) between(least, most int) int { return least + v.random.IntN(most-least+1) }

// around returns half to one and a half times n; 1 stays 1.
func (v *variety) around(n int) int {
	if n <= 1 {
		return n
	}
	return v.between(n/2, n/2+n)
}

// bytes returns random bytes, which do not compress.
func (v *variety) bytes(n int) []byte {
	padded := make([]byte, n+7)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(padded[i:], v.random.Uint64())
	}
	return padded[:n]
}

const (
	vocabularySize  = 512 // words
	headersOneIn    = 4   // records
	lateOneIn       = 16  // records
	compressedOneIn = 4   // batches
)

// words returns text, which compresses to about half.
func (v *variety) words(n int) []byte {
	text := make([]byte, 0, n+16)
	for len(text) < n {
		text = append(append(text, v.vocabulary[v.random.IntN(vocabularySize)]...), ' ')
	}
	return text[:n]
}

func (v *variety) value() []byte {
	n := v.size/2 + v.random.IntN(v.size+1)
	if v.text {
		return v.words(n)
	}
	return v.bytes(n)
}

// records returns as many as asked for: keys of 4 to 20 bytes, on one in four 1 to 3 headers, timestamps that
// advance by up to 9 ms, and one in sixteen that is late.
func (v *variety) records(count int) []record {
	records := make([]record, count)
	clock := 0
	for i := range records {
		r := record{key: v.bytes(v.between(4, 20)), value: v.value(), delta: clock}
		clock += v.random.IntN(10)
		if i > 0 && v.random.IntN(lateOneIn) == 0 {
			r.delta -= v.between(1, 100)
		}
		if v.random.IntN(headersOneIn) == 0 {
			for range v.between(1, 3) {
				r.headers = append(r.headers, [2][]byte{v.words(v.between(3, 12)), v.bytes(v.random.IntN(25))})
			}
		}
		records[i] = r
	}
	return records
}

// codec returns a compression for one batch in four, each kind as often as the others.
func (v *variety) codec() codec {
	if v.random.IntN(compressedOneIn) != 0 {
		return codecNone
	}
	return codec(v.between(int(codecGzip), int(codecZstd)))
}
