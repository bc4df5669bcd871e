package mockbroker

import (
	"context"
	"net/http"
	"time"

	"mockbroker.test/mockbroker/api"
)

// A Clock is the clock of the cluster's state; the network always uses real time.
type Clock struct{ cluster *Cluster }

// Clock returns the cluster's clock.
func (c *Cluster) Clock() Clock { return Clock{c} }

// Now returns the time of the cluster.
func (k Clock) Now(ctx context.Context) (time.Time, error) {
	view, err := get[api.ClockView](ctx, k.cluster, "clock", nil)
	return time.UnixMilli(view.NowMs), err
}

// Advance moves the clock, and runs every timer up to the new time, in order. Members of groups live in real time:
// their sessions do not end.
func (k Clock) Advance(ctx context.Context, by time.Duration) (api.PassedView, error) {
	return k.advance(ctx, api.AdvanceDocument{By: api.Text(duration(by))})
}

// AdvanceSessions moves the clock as Advance does, and the sessions of group members may end.
func (k Clock) AdvanceSessions(ctx context.Context, by time.Duration) (api.PassedView, error) {
	return k.advance(ctx, api.AdvanceDocument{By: api.Text(duration(by)), KeepSessions: pointer(false)})
}

func (k Clock) advance(ctx context.Context, document api.AdvanceDocument) (api.PassedView, error) {
	return send[api.PassedView](ctx, k.cluster, http.MethodPost, "clock/advance", document)
}

// Set moves the clock to a time; it cannot go back.
func (k Clock) Set(ctx context.Context, now time.Time) error {
	const iso = "2006-01-02T15:04:05.000Z"
	return k.put(ctx, api.ClockDocument{Now: api.Text(now.UTC().Format(iso))})
}

// Freeze stops the clock between jumps.
func (k Clock) Freeze(ctx context.Context) error {
	return k.put(ctx, api.ClockDocument{Frozen: pointer(true)})
}

// Resume lets a frozen clock run again.
func (k Clock) Resume(ctx context.Context) error {
	return k.put(ctx, api.ClockDocument{Frozen: pointer(false)})
}

func (k Clock) put(ctx context.Context, document api.ClockDocument) error {
	return do(ctx, k.cluster, http.MethodPut, "clock", document)
}
