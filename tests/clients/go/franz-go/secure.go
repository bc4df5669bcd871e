package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

// runSecure takes BOOTSTRAP AUTHORITY-FILE USER PASSWORD TOPIC VALUE, stores a record over TLS with SASL, and returns all values of the topic.
func runSecure(words []string) ([]string, error) {
	authority, err := os.ReadFile(words[1])
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s has no certificate", words[1])
	}
	topic, value := words[4], words[5]
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(words[0], ",")...),
		kgo.DialTLSConfig(&tls.Config{RootCAs: roots}),
		kgo.SASL(plain.Auth{User: words[2], Pass: words[3]}.AsMechanism()),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.RequestRetries(0),
		kgo.UnknownTopicRetries(0),
		kgo.RecordDeliveryTimeout(6*time.Second),
	)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	record := &kgo.Record{Topic: topic, Value: []byte(value)}
	if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
		return nil, err
	}
	var values []string
	for !slices.Contains(values, value) {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, err
		}
		fetches.EachRecord(func(each *kgo.Record) { values = append(values, string(each.Value)) })
	}
	return values, nil
}
