package mockbroker

import (
	"context"
	"net/http"

	"mockbroker.test/mockbroker/api"
)

// Ledger shows how full the ledger is: the record of all batches, which assertions read.
func (c *Cluster) Ledger(ctx context.Context) (api.LedgerView, error) {
	return get[api.LedgerView](ctx, c, "ledger", nil)
}

// StartLedger starts a new ledger with room for a number of batches, instead of the one with 20,000.
func (c *Cluster) StartLedger(ctx context.Context, rowsMax int64) error {
	document := api.LedgerDocument{On: true, RowsMax: &rowsMax}
	return do(ctx, c, http.MethodPut, "ledger", document)
}

// RecordedScenario returns what was done to the cluster, as a scenario that WithScenario and pytest can run.
func (c *Cluster) RecordedScenario(ctx context.Context) (api.RecordingView, error) {
	return get[api.RecordingView](ctx, c, "scenario", nil)
}

// CertificateAuthority returns the certificate, in PEM, that clients of a cluster with TLS trust.
func (c *Cluster) CertificateAuthority(ctx context.Context) (string, error) {
	view, err := get[api.TLSView](ctx, c, "tls", nil)
	return view.CaPem, err
}
