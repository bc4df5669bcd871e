package mockbroker

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"mockbroker.test/mockbroker/api"
)

// A FaultSpec describes a fault: the calls that it matches, when it fires, and its effect. Methods return a changed
// copy. Without another trigger it fires once, and an effect on the network acts at every connection.
type FaultSpec struct {
	id      string
	match   api.Match
	trigger *api.Trigger
	effect  api.Effect
	err     error
}

// Named gives the fault an id, for events and for the command line; by default it gets one.
func (f FaultSpec) Named(id string) FaultSpec { f.id = id; return f }

// Once lets the fault fire at the first call.
func (f FaultSpec) Once() FaultSpec { f.trigger = &api.Trigger{Once: pointer(true)}; return f }

// Times lets the fault fire at the first calls.
func (f FaultSpec) Times(count int) FaultSpec { f.trigger = &api.Trigger{Times: &count}; return f }

// OnCall lets the fault fire at one call, counted from 1.
func (f FaultSpec) OnCall(number int) FaultSpec {
	f.trigger = &api.Trigger{OnCall: pointer(int64(number))}
	return f
}

// EveryTime lets the fault fire at every call.
func (f FaultSpec) EveryTime() FaultSpec {
	f.trigger = &api.Trigger{EveryTime: pointer(true)}
	return f
}

// WithProbability lets the fault fire at each call with a probability; the choices use the cluster's seed.
func (f FaultSpec) WithProbability(probability float64) FaultSpec {
	f.trigger = &api.Trigger{WithProbability: &probability}
	return f
}

// TopLevel makes the error that of the whole response, not only of what the fault matches (Answer, ApplyThenAnswer).
func (f FaultSpec) TopLevel() FaultSpec { f.effect.TopLevel = pointer(true); return f }

// Silently keeps the connection open, without a response (LoseResponse, DropRequest).
func (f FaultSpec) Silently() FaultSpec {
	f.effect.How = pointer(api.EffectHowSilence)
	return f
}

// Until ends a hold at an event, such as AbortMarker("orders", 0) or After(time.Second).
func (f FaultSpec) Until(event Event) FaultSpec { f.effect.Until = &event.until; return f }

// WithoutBlocking lets the connection go on during a hold; the held request gets no response then.
func (f FaultSpec) WithoutBlocking() FaultSpec {
	f.effect.BlockConnection = pointer(false)
	return f
}

func (f FaultSpec) document() api.FaultDocument {
	document := api.FaultDocument{Match: &f.match, Trigger: f.trigger, Effect: f.effect}
	if f.id != "" {
		document.ID = &f.id
	}
	return document
}

// An Event ends a hold; it has to occur after the start of the hold.
type Event struct {
	until api.Until
}

func event(e api.Event) Event { return Event{api.Until{Event: &e}} }

// After is the end of a time.
func After(d time.Duration) Event { return Event{api.Until{Time: api.Text(duration(d))}} }

// AbortMarker is an ABORT marker in a partition.
func AbortMarker(topic string, partition int) Event {
	return marker(api.EventMarkerAbort, topic, partition)
}

// CommitMarker is a COMMIT marker in a partition.
func CommitMarker(topic string, partition int) Event {
	return marker(api.EventMarkerCommit, topic, partition)
}

// AnyMarker is a marker of either kind in a partition.
func AnyMarker(topic string, partition int) Event {
	return marker(api.EventMarkerAny, topic, partition)
}

func marker(kind api.EventMarker, topic string, partition int) Event {
	return event(api.Event{Marker: &kind, Topic: &topic, Partition: &partition})
}

// EpochBump is a new producer epoch, or another producer id, of a transactional id.
func EpochBump(transactionalID string) Event {
	return event(api.Event{EpochBump: &transactionalID})
}

// TransactionIs is a state of a transactional id, named as in Kafka, such as CompleteAbort.
func TransactionIs(transactionalID, state string) Event {
	return event(api.Event{TransactionState: &api.TransactionIsIn{
		TransactionalID: transactionalID, State: state,
	}})
}

// FaultHits is a number of hits of another fault.
func FaultHits(fault *Fault, hits int) Event {
	return event(api.Event{Fault: &fault.id, Hits: &hits})
}

// FaultHolds is a number of calls that another fault has held.
func FaultHolds(fault *Fault, calls int) Event {
	return event(api.Event{Fault: &fault.id, Held: &calls})
}

// FaultReleases is a number of held calls of another fault that are released.
func FaultReleases(fault *Fault, calls int) Event {
	return event(api.Event{Fault: &fault.id, Released: &calls})
}

// RecordsIn is a number of records in a topic.
func RecordsIn(topic string, records int64) Event {
	return event(api.Event{Records: &records, Topic: &topic})
}

// LogEndOffset is a log end offset of a partition.
func LogEndOffset(topic string, partition int, offset int64) Event {
	return event(api.Event{LogEndOffset: &offset, Topic: &topic, Partition: &partition})
}

// A Fault is a fault of a cluster.
type Fault struct {
	cluster *Cluster
	id      string
}

// AddFault creates a fault, which is applied inside the existing ones.
func (c *Cluster) AddFault(ctx context.Context, spec FaultSpec) (*Fault, error) {
	if spec.err != nil {
		return nil, spec.err
	}
	view, err := send[api.FaultView](ctx, c, http.MethodPost, "faults", spec.document())
	if err != nil {
		return nil, err
	}
	return &Fault{c, view.ID}, nil
}

// Fault returns a fault by its id, such as one of a scenario.
func (c *Cluster) Fault(id string) *Fault { return &Fault{c, id} }

// Faults describes all faults in the order of their creation: the first is the outermost.
func (c *Cluster) Faults(ctx context.Context) ([]api.FaultView, error) {
	view, err := get[api.FaultsView](ctx, c, "faults", nil)
	return view.Faults, err
}

// RemoveFaults removes all faults; the calls that they hold are released.
func (c *Cluster) RemoveFaults(ctx context.Context) error {
	return do(ctx, c, http.MethodDelete, "faults", nil)
}

// ID returns the fault's id.
func (f *Fault) ID() string { return f.id }

// Describe returns the fault with its counters.
func (f *Fault) Describe(ctx context.Context) (api.FaultView, error) {
	return get[api.FaultView](ctx, f.cluster, path("faults", f.id), nil)
}

// Hits returns how often the fault has fired.
func (f *Fault) Hits(ctx context.Context) (int, error) {
	view, err := f.Describe(ctx)
	return view.Hits, err
}

// Wait waits until the fault has fired a number of times since its creation. Without a deadline in the context,
// waits last ten seconds at most. The error of a wait that timed out names the call that came closest.
func (f *Fault) Wait(ctx context.Context, hits int) error { return f.wait(ctx, "hits", hits) }

// WaitHeld waits until the fault has held a number of calls.
func (f *Fault) WaitHeld(ctx context.Context, calls int) error { return f.wait(ctx, "held", calls) }

// WaitReleased waits until a number of held calls are released.
func (f *Fault) WaitReleased(ctx context.Context, calls int) error {
	return f.wait(ctx, "released", calls)
}

func (f *Fault) wait(ctx context.Context, what string, count int) error {
	query := url.Values{what: {strconv.Itoa(count)}, "timeout": {duration(patience(ctx))}}
	_, err := get[api.FaultView](ctx, f.cluster, path("faults", f.id, "wait"), query)
	return err
}

// Release releases the calls that the fault holds, and returns their number.
func (f *Fault) Release(ctx context.Context) (int, error) {
	view, err := send[api.ReleasedView](ctx, f.cluster, http.MethodPost, path("faults", f.id, "release"), nil)
	return view.Released, err
}

// Remove removes the fault; the calls that it holds are released.
func (f *Fault) Remove(ctx context.Context) error {
	return do(ctx, f.cluster, http.MethodDelete, path("faults", f.id), nil)
}

// String returns the fault's id.
func (f *Fault) String() string { return fmt.Sprintf("fault %s", f.id) }
