package mockbroker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mockbroker.test/mockbroker/api"
)

const (
	apiPath = "/api/v1/"
	// defaultWait limits a wait whose context has no deadline.
	defaultWait = 10 * time.Second
	// answerMargin is the part of a wait that is left for the answer to arrive.
	answerMargin = 250 * time.Millisecond
)

// A ProblemError is a request that the cluster refused, or a wait that timed out.
type ProblemError struct {
	// Request is the method and the path.
	Request string
	// Document is what the cluster answered; its Code is for programs, its Detail for people.
	Document api.ProblemDocument
}

// Error shows what was wrong, where, and what to do.
func (e *ProblemError) Error() string {
	text := e.Document.Detail
	if e.Document.Path != nil && *e.Document.Path != "" {
		text = *e.Document.Path + ": " + text
	}
	if e.Document.KafkaError != nil {
		text = *e.Document.KafkaError + ": " + text
	}
	return fmt.Sprintf("mockbroker: %s: %s", e.Request, text)
}

// IsTimeout returns true if an error is a wait that timed out.
func IsTimeout(err error) bool {
	var problem *ProblemError
	if errors.As(err, &problem) {
		return problem.Document.Code == "timeout"
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// path joins the parts of a path; each is escaped.
func path(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return strings.Join(escaped, "/")
}

// get returns a document of the HTTP API.
func get[View any](ctx context.Context, c *Cluster, path string, query url.Values) (View, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return send[View](ctx, c, http.MethodGet, path, nil)
}

// send sends a document, or nothing, and returns the one in the answer.
func send[View any](ctx context.Context, c *Cluster, method, path string, document any) (View, error) {
	var view View
	answer, err := c.exchange(ctx, method, apiPath+path, document)
	if err != nil || len(answer) == 0 {
		return view, err
	}
	if err := json.Unmarshal(answer, &view); err != nil {
		return view, fmt.Errorf("mockbroker: %s %s: %w", method, path, err)
	}
	return view, nil
}

// Request sends any request to the cluster, such as GET /api/v1/openapi.json. A document that is not nil is its body; the
// answer is decoded into what the last argument points to, unless that is nil.
func (c *Cluster) Request(ctx context.Context, method, path string, document, answer any) error {
	data, err := c.exchange(ctx, method, path, document)
	if err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("mockbroker: %s %s: %w", method, path, err)
	}
	return nil
}

// do sends a document, or nothing; the answer has none.
func do(ctx context.Context, c *Cluster, method, path string, document any) error {
	_, err := c.exchange(ctx, method, apiPath+path, document)
	return err
}

func (c *Cluster) exchange(ctx context.Context, method, path string, document any) ([]byte, error) {
	var body io.Reader
	if document != nil {
		data, err := json.Marshal(document)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.adminURL+path, body)
	if err != nil {
		return nil, err
	}
	if document != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("mockbroker: %w%s", err, c.process.lastWords())
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("mockbroker: %s %s: %w", method, path, err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, problem(method+" "+path, response, answer)
	}
	return answer, nil
}

func problem(request string, response *http.Response, answer []byte) error {
	found := &ProblemError{Request: request}
	if json.Unmarshal(answer, &found.Document) != nil || found.Document.Detail == "" {
		found.Document = api.ProblemDocument{
			Status: response.StatusCode,
			Detail: fmt.Sprintf("%s: this is not the HTTP API of mockbroker: %.200s", response.Status, answer),
		}
	}
	return found
}

// patience returns how long the cluster shall wait: a little less than the context allows.
func patience(ctx context.Context) time.Duration {
	deadline, limited := ctx.Deadline()
	if !limited {
		return defaultWait
	}
	left := time.Until(deadline)
	if left > 2*answerMargin {
		return left - answerMargin
	}
	return max(left/2, 0)
}

// duration writes a time as the HTTP API reads it; what is finer than a millisecond is rounded up.
func duration(d time.Duration) string {
	return fmt.Sprintf("%dms", (d+time.Millisecond-1)/time.Millisecond)
}

// pointer returns a pointer to a value, for an optional field.
func pointer[T any](value T) *T { return &value }
