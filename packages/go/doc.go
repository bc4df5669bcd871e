// Package mockbroker starts a mock Kafka cluster and controls it: faults, time, brokers, transactions, checks.
//
// The cluster is a process of its own, `mockbroker serve`, that speaks Kafka's protocol. Clients connect to it
// as to Kafka:
//
//	cluster := mockbroker.Start(t, mockbroker.WithTopic("orders", 1))
//	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.BootstrapServers()...))
//
// Methods return a *ProblemError when the cluster refuses a request. Its text says what was wrong and what to do.
package mockbroker
