package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// Text is a string that the API may also write as a number: a duration in milliseconds, or an error by its code.
type Text string

// UnmarshalJSON reads a string, or a number as its digits.
func (t *Text) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte(`"`)) && !bytes.Equal(data, []byte("null")) {
		var number json.Number
		if err := json.Unmarshal(data, &number); err != nil {
			return fmt.Errorf("neither a string nor a number: %s", data)
		}
		*t = Text(number)
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// Several is a list that the API writes as its only element if it has one.
type Several[T any] []T

// UnmarshalJSON reads a list, or one element.
func (s *Several[T]) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) || bytes.Equal(data, []byte("null")) {
		return json.Unmarshal(data, (*[]T)(s))
	}
	var element T
	if err := json.Unmarshal(data, &element); err != nil {
		return err
	}
	*s = Several[T]{element}
	return nil
}

// Until ends a hold: at an event, or after a time if there is none.
type Until struct {
	Event *Event
	Time  Text
}

// MarshalJSON writes the event, or else the time.
func (u Until) MarshalJSON() ([]byte, error) {
	if u.Event != nil {
		return json.Marshal(u.Event)
	}
	return json.Marshal(u.Time)
}

// UnmarshalJSON reads an event or a time.
func (u *Until) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("{")) {
		u.Event = &Event{}
		return json.Unmarshal(data, u.Event)
	}
	return json.Unmarshal(data, &u.Time)
}

// Stream is a direction of a connection.
type Stream string

const (
	// Downstream is the data that goes to clients.
	Downstream Stream = "downstream"
	// Upstream is the data that comes from clients.
	Upstream Stream = "upstream"
)

// Snapshot is the producer snapshot that a broker or a replica loads.
type Snapshot string

const (
	// FullSnapshot is that of a controlled stop.
	FullSnapshot Snapshot = "full"
	// NoSnapshot is a snapshot that is lost.
	NoSnapshot Snapshot = "none"
	// StaleSnapshot is that of the active segment's beginning.
	StaleSnapshot Snapshot = "stale"
)

// Bytes returns the bytes of a key, a value or a header; nil if there is none.
func (v *BytesView) Bytes() []byte {
	if v == nil {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(v.Base64)
	if err != nil {
		return nil
	}
	return data
}
