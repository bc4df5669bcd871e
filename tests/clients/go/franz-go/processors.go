package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

const processedMax = 10

// A processor is the exactly-once loop: what is read, what is made of it, and how far it was read, in
// one transaction.
type processor struct {
	session *kgo.GroupTransactSession
	output  string
}

type processors map[string]processor

func (p processors) commands() commands {
	return commands{
		"processor": done(p.start),
		"process": func(words []string) ([]string, error) {
			return p[words[0]].process(words[1] == "commit")
		},
		"stop": done(func(words []string) error {
			p[words[0]].session.Close()
			delete(p, words[0])
			return nil
		}),
	}
}

func (p processors) start(words []string) error {
	options := append(producerOptions(words[1], words[2]), memberOptions(words[1], words[3], words[4])...)
	options = append(options, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	session, err := kgo.NewGroupTransactSession(options...)
	if err != nil {
		return err
	}
	p[words[0]] = processor{session, words[5]}
	return nil
}

func (p processor) process(isCommit bool) ([]string, error) {
	records, err := poll(p.session.Client(), processedMax)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	if err := p.session.Begin(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var made []*kgo.Record
	for _, record := range records {
		value := bytes.ToUpper(record.Value)
		made = append(made, &kgo.Record{Topic: p.output, Partition: record.Partition, Value: value})
	}
	if err := p.session.ProduceSync(ctx, made...).FirstErr(); err != nil {
		return nil, err
	}
	isCommitted, err := p.session.End(ctx, kgo.TransactionEndTry(isCommit))
	if err == nil && isCommitted != isCommit {
		err = fmt.Errorf("committed: %v, to commit: %v", isCommitted, isCommit)
	}
	return texts(records), err
}
