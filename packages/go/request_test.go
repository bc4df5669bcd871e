package mockbroker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answering returns the URL of a server that gives the same answers as a cluster, but for one path.
func answering(t *testing.T, path string, status int, answer string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprint(w, `{"code": "unauthorized", "detail": "the token is missing or wrong", "path": null}`)
		case r.URL.Path == path:
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, answer)
		case r.URL.Path == "/version":
			_, _ = fmt.Fprint(w, `{"version": "1.0", "kafka": "4.4"}`)
		default:
			_, _ = fmt.Fprint(w, `{"cluster": {"bootstrap_servers": "a:1,b:2"}}`)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestCommandsCarryTheTokenOfTheEnvironment(t *testing.T) {
	url := answering(t, "", 0, "")
	_, err := Connect(t.Context(), url)
	var problem *ProblemError
	if !errors.As(err, &problem) || problem.Document.Code != "unauthorized" {
		t.Fatalf("%v", err)
	}
	t.Setenv("MOCKBROKER_ADMIN_TOKEN", "secret")
	if _, err := Connect(t.Context(), url, WithToken("wrong")); !errors.As(err, &problem) {
		t.Errorf("%v", err)
	}
	cluster, err := Connect(t.Context(), url)
	if err != nil || strings.Join(cluster.BootstrapServers(), " ") != "a:1 b:2" || cluster.Version().Kafka != "4.4" {
		t.Errorf("%v, %v", cluster, err)
	}
}

func TestAnotherServerIsRecognised(t *testing.T) {
	t.Setenv("MOCKBROKER_ADMIN_TOKEN", "secret")
	for _, other := range []struct {
		path, answer, expected string
		status                 int
	}{
		{"/version", "<html>", "404 Not Found: this is not the HTTP API of mockbroker: <html>", 404},
		{"/version", "{}", "/version has no version of mockbroker", 200},
		{"/api/v1/state", "[]", "GET state: json: cannot unmarshal", 200},
		{"/api/v1/state", `{"detail": "why", "kafka_error": "FENCED", "path": "$.x"}`, "FENCED: $.x: why", 409},
	} {
		_, err := Connect(t.Context(), answering(t, other.path, other.status, other.answer))
		if err == nil || !strings.Contains(err.Error(), other.expected) {
			t.Errorf("%v\ninstead of\n%s", err, other.expected)
		}
	}
}

func TestAClusterThatHasEndedTellsWhatItPrinted(t *testing.T) {
	t.Setenv("MOCKBROKER_ADMIN_TOKEN", "secret")
	url := answering(t, "/api/v1/reset", http.StatusServiceUnavailable, "")
	print := fmt.Sprintf(`echo '{"admin_url": "%s"}'; echo out of memory >&2`, url)
	cluster, err := Launch(t.Context(), WithCommand("sh", "-c", print))
	if err != nil {
		t.Fatal(err)
	}
	<-cluster.process.exited
	cluster.adminURL = "http://127.0.0.1:0"
	if err := cluster.Reset(t.Context()); err == nil || !strings.Contains(err.Error(), "it printed:\nout of memory") {
		t.Errorf("%v", err)
	}
	if err := cluster.Stop(); err != nil {
		t.Error(err)
	}
}

func TestAClusterWaitsALittleLessThanTheContextAllows(t *testing.T) {
	if patience(context.Background()) != defaultWait {
		t.Error("the default is not used")
	}
	for limit, shortest := range map[time.Duration]time.Duration{
		time.Hour:              time.Hour - time.Minute,
		100 * time.Millisecond: 0,
		-time.Second:           0,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		if wait := patience(ctx); wait < shortest || wait > max(limit, 0) {
			t.Errorf("%v of %v", wait, limit)
		}
		cancel()
	}
}

func TestATimeIsWrittenInMilliseconds(t *testing.T) {
	for given, expected := range map[time.Duration]string{
		0: "0ms", time.Microsecond: "1ms", time.Second: "1000ms", 1500 * time.Microsecond: "2ms",
	} {
		if written := duration(given); written != expected {
			t.Errorf("%v is written %s", given, written)
		}
	}
}

func TestNamesInPathsAreEscaped(t *testing.T) {
	if escaped := path("transactions", "a/b?c d"); escaped != "transactions/a%2Fb%3Fc%20d" {
		t.Error(escaped)
	}
}

func TestOnlyTheEndOfALongOutputIsKept(t *testing.T) {
	var output tail
	_, _ = output.Write([]byte(strings.Repeat("a", outputMax)))
	_, _ = output.Write([]byte("the end"))
	if kept := output.String(); len(kept) != outputMax || !strings.HasSuffix(kept, "athe end") {
		t.Errorf("%d bytes are kept", len(kept))
	}
}
