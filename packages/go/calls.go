package mockbroker

import (
	"time"

	"mockbroker.test/mockbroker/api"
)

// A CallSelector selects calls of clients, and creates a fault by its effect on them.
//
// A call must match all selectors that are set. Strings may contain * and ?; of several values one has to match.
//
// Effects on the network, from Latency to LimitData, act on the bytes of connections, which ClientID, Principal,
// Listener, Broker and Connection select: On().ClientID("orders-svc").Latency(time.Second, 0). They act on data to the
// client, at every connection, until the fault is removed.
type CallSelector struct {
	match api.Match
}

// On selects the calls of some APIs, such as Produce and EndTxn. Without an API it selects those of every API that
// has the fields of the other selectors.
func On(apis ...string) CallSelector { return CallSelector{api.Match{API: apis}} }

// Version selects calls by their version.
func (s CallSelector) Version(versions ...int) CallSelector { s.match.Version = versions; return s }

// Topic selects calls that name a topic.
func (s CallSelector) Topic(names ...string) CallSelector { s.match.Topic = names; return s }

// Partition selects calls that name a partition.
func (s CallSelector) Partition(partitions ...int) CallSelector {
	s.match.Partition = partitions
	return s
}

// TransactionalID selects calls of a transactional id.
func (s CallSelector) TransactionalID(ids ...string) CallSelector {
	s.match.TransactionalID = ids
	return s
}

// ProducerID selects calls of a producer.
func (s CallSelector) ProducerID(ids ...int64) CallSelector { s.match.ProducerID = ids; return s }

// ProducerEpoch selects calls with a producer epoch.
func (s CallSelector) ProducerEpoch(epochs ...int) CallSelector {
	s.match.ProducerEpoch = epochs
	return s
}

// BaseSequence selects batches by their first sequence number.
func (s CallSelector) BaseSequence(sequences ...int) CallSelector {
	s.match.BaseSequence = sequences
	return s
}

// Group selects calls of a group.
func (s CallSelector) Group(ids ...string) CallSelector { s.match.Group = ids; return s }

// MemberID selects calls of a member of a group.
func (s CallSelector) MemberID(ids ...string) CallSelector { s.match.MemberID = ids; return s }

// ClientID selects calls and connections by the client's own name.
func (s CallSelector) ClientID(ids ...string) CallSelector { s.match.ClientID = ids; return s }

// Principal selects calls and connections by the authenticated principal.
func (s CallSelector) Principal(names ...string) CallSelector { s.match.Principal = names; return s }

// Listener selects calls and connections by the listener.
func (s CallSelector) Listener(names ...string) CallSelector { s.match.Listener = names; return s }

// Broker selects calls and connections to a broker.
func (s CallSelector) Broker(ids ...int) CallSelector { s.match.Broker = ids; return s }

// Connection selects a connection by its number in the journal.
func (s CallSelector) Connection(numbers ...int) CallSelector {
	s.match.Connection = numbers
	return s
}

// BetweenBrokers selects calls from broker to broker instead of those of clients.
func (s CallSelector) BetweenBrokers() CallSelector {
	s.match.BetweenBrokers = pointer(true)
	return s
}

func (s CallSelector) fault(effect api.Effect) FaultSpec {
	return FaultSpec{match: s.match, effect: effect}
}

// Answer answers with an error, by Kafka's name; nothing is applied.
func (s CallSelector) Answer(kafkaError string) FaultSpec {
	return s.fault(api.Effect{Answer: api.Text(kafkaError)})
}

// ApplyThenAnswer applies the request, and answers with an error.
func (s CallSelector) ApplyThenAnswer(kafkaError string) FaultSpec {
	return s.fault(api.Effect{ApplyThenAnswer: api.Text(kafkaError)})
}

// LoseResponse applies the request, and closes the connection instead of answering.
func (s CallSelector) LoseResponse() FaultSpec {
	return s.fault(api.Effect{LoseResponse: pointer("after_apply")})
}

// DropRequest closes the connection; nothing is applied.
func (s CallSelector) DropRequest() FaultSpec {
	return s.fault(api.Effect{DropRequest: pointer("before_apply")})
}

// Hold holds the request until an event (see FaultSpec.Until) or Fault.Release; then it is applied.
func (s CallSelector) Hold() FaultSpec { return s.fault(api.Effect{Hold: pointer("request")}) }

// HoldResponse applies the request, and holds the response until an event or Fault.Release.
func (s CallSelector) HoldResponse() FaultSpec {
	return s.fault(api.Effect{HoldResponse: pointer("after_apply")})
}

// Delay applies the request, and delays the response.
func (s CallSelector) Delay(by time.Duration) FaultSpec {
	return s.fault(api.Effect{Delay: api.Text(duration(by))})
}

// Throttle applies the request, and sets the throttle time of the response.
func (s CallSelector) Throttle(by time.Duration) FaultSpec {
	return s.fault(api.Effect{Throttle: api.Text(duration(by))})
}

// Duplicate applies the request twice; the client gets the first response.
func (s CallSelector) Duplicate() FaultSpec {
	return s.fault(api.Effect{Duplicate: pointer(true)})
}

// Corrupt changes a byte of the records: those of a Produce before they arrive, of a Fetch after.
func (s CallSelector) Corrupt() FaultSpec { return s.fault(api.Effect{Corrupt: pointer(true)}) }

// Observe changes nothing and counts calls, at every call.
func (s CallSelector) Observe() FaultSpec { return s.fault(api.Effect{Observe: pointer(true)}) }
