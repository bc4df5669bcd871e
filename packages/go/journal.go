package mockbroker

import (
	"context"
	"fmt"
	"net/http"

	"mockbroker.test/mockbroker/api"
)

// A Journal records the events of a cluster: requests, responses, appends, faults. It is off at the start.
type Journal struct{ cluster *Cluster }

// Journal returns the cluster's journal.
func (c *Cluster) Journal() Journal { return Journal{c} }

// Start starts to record.
func (j Journal) Start(ctx context.Context) error {
	return do(ctx, j.cluster, http.MethodPut, "journal", api.JournalDocument{On: true})
}

// Stop stops to record; the entries stay readable.
func (j Journal) Stop(ctx context.Context) error {
	return do(ctx, j.cluster, http.MethodPut, "journal", api.JournalDocument{})
}

// Clear deletes the entries.
func (j Journal) Clear(ctx context.Context) error {
	return do(ctx, j.cluster, http.MethodDelete, "journal", nil)
}

// Entries returns the entries that match a selection, in order.
func (j Journal) Entries(ctx context.Context, selection api.JournalSelection) ([]api.EntryView, error) {
	view, err := send[api.JournalView](ctx, j.cluster, http.MethodPost, "journal/find", selection)
	return view.Entries, err
}

// Count returns the number of requests that match a selection, or of entries of another kind.
func (j Journal) Count(ctx context.Context, selection api.JournalSelection) (int, error) {
	view, err := send[api.CountView](ctx, j.cluster, http.MethodPost, "journal/count", selection)
	return view.Count, err
}

// WaitForRequests waits until the journal has a number of requests that match a selection.
func (j Journal) WaitForRequests(ctx context.Context, selection api.JournalSelection, count int) error {
	return poll(ctx, func(ctx context.Context) (bool, string, error) {
		found, err := j.Count(ctx, selection)
		return found >= count, fmt.Sprintf("%d of %d requests", found, count), err
	})
}
