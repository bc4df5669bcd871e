package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// codec is the compression in a batch's attributes. Kafka: CompressionType.
type codec int

const (
	codecNone codec = iota
	codecGzip
	codecSnappy
	codecLz4
	codecZstd
)

// zstdEncoder is made once: an encoder has large tables.
var zstdEncoder = func() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return encoder
}()

// compress returns the records as Java's producer would compress them.
func (c codec) compress(records []byte) []byte {
	var out bytes.Buffer
	switch c {
	case codecNone:
		return records
	case codecGzip:
		writeAll(gzip.NewWriter(&out), records)
	case codecSnappy:
		writeXerial(&out, records)
	case codecLz4:
		w := lz4.NewWriter(&out)
		if err := w.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false)); err != nil {
			panic(err)
		}
		writeAll(w, records)
	case codecZstd:
		return zstdEncoder.EncodeAll(records, nil)
	default:
		panic(fmt.Sprintf("no codec %d", c))
	}
	return out.Bytes()
}

// writeAll writes to memory, which does not fail.
func writeAll(w io.WriteCloser, p []byte) {
	if _, err := w.Write(p); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
}

const xerialBlock = 32 << 10

// writeXerial writes snappy in the frames of the Java library, of which each has its size before it.
func writeXerial(out *bytes.Buffer, p []byte) {
	out.WriteString("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
	for len(p) > 0 {
		block := snappy.Encode(nil, p[:min(len(p), xerialBlock)])
		p = p[min(len(p), xerialBlock):]
		out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(block))))
		out.Write(block)
	}
}
