package mockbroker

import (
	"context"
	"net/http"
	"strconv"

	"mockbroker.test/mockbroker/api"
)

// A Broker controls one broker.
type Broker struct {
	cluster *Cluster
	id      int
}

// Broker returns the handle of a broker; ids begin at 1.
func (c *Cluster) Broker(id int) Broker { return Broker{c, id} }

// Brokers describes all brokers, those that are killed or stopped included.
func (c *Cluster) Brokers(ctx context.Context) ([]api.BrokerView, error) {
	view, err := get[api.BrokersView](ctx, c, "brokers", nil)
	return view.Brokers, err
}

// Crash simulates a power failure of all brokers: unflushed records are lost.
func (c *Cluster) Crash(ctx context.Context) error {
	return do(ctx, c, http.MethodPost, "crash", api.CrashDocument{})
}

// Flush flushes all logs to disk, so that a crash loses nothing that was written before.
func (c *Cluster) Flush(ctx context.Context) error {
	return do(ctx, c, http.MethodPost, "flush", nil)
}

// Advertise sets the address that a listener advertises, such as that of a mapped port; each next broker has the next
// port.
func (c *Cluster) Advertise(ctx context.Context, listener, address string) error {
	document := api.ListenerDocument{Advertised: address}
	if err := do(ctx, c, http.MethodPut, path("listeners", listener), document); err != nil {
		return err
	}
	return c.readBootstrapServers(ctx)
}

// Kill kills the broker as kill -9 does: connections break, and its port refuses new ones.
func (b Broker) Kill(ctx context.Context) error { return b.command(ctx, "kill", nil) }

// Stop stops the broker in a controlled way, after it wrote its checkpoints and snapshots.
func (b Broker) Stop(ctx context.Context) error { return b.command(ctx, "stop", nil) }

// Start starts a killed or stopped broker at the same port, with the logs that it had.
func (b Broker) Start(ctx context.Context) error {
	return b.command(ctx, "start", api.StartDocument{})
}

// StartWith starts a killed or stopped broker, which loads a producer snapshot.
func (b Broker) StartWith(ctx context.Context, snapshot api.Snapshot) error {
	return b.command(ctx, "start", api.StartDocument{ProducerSnapshot: snapshot})
}

// Isolate isolates the broker from all others; clients still reach it, and it uses its last metadata.
func (b Broker) Isolate(ctx context.Context) error { return b.command(ctx, "isolate", nil) }

// Rejoin reconnects an isolated broker to the cluster.
func (b Broker) Rejoin(ctx context.Context) error { return b.command(ctx, "rejoin", nil) }

// Lag stops the broker's fetches from all leaders, while its replicas stay in sync for a time.
func (b Broker) Lag(ctx context.Context) error { return b.command(ctx, "lag", nil) }

// CatchUp lets the broker fetch from all leaders again, and its replicas be in sync.
func (b Broker) CatchUp(ctx context.Context) error { return b.command(ctx, "catch-up", nil) }

// Crash simulates a power failure of the broker: its unflushed records are lost.
func (b Broker) Crash(ctx context.Context) error {
	return do(ctx, b.cluster, http.MethodPost, "crash", api.CrashDocument{Broker: &b.id})
}

func (b Broker) command(ctx context.Context, action string, document any) error {
	return do(ctx, b.cluster, http.MethodPost, path("brokers", strconv.Itoa(b.id), action), document)
}
