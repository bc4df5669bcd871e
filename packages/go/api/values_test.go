package api

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestADocumentIsReadInEachOfItsForms(t *testing.T) {
	text := `{"match": {"api": "Produce", "partition": [0, 1]}, "effect": {"hold": "request", "until": 250}}`
	var fault FaultDocument
	if err := json.Unmarshal([]byte(text), &fault); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fault.Match.API, Several[string]{"Produce"}) {
		t.Errorf("%v", fault.Match.API)
	}
	if !reflect.DeepEqual(fault.Match.Partition, Several[int]{0, 1}) {
		t.Errorf("%v", fault.Match.Partition)
	}
	if fault.Effect.Until.Time != "250" || fault.Effect.Until.Event != nil {
		t.Errorf("%+v", fault.Effect.Until)
	}
}

func TestAHoldEndsAtAnEventOrAfterATime(t *testing.T) {
	for _, text := range []string{`{"marker":"abort","partition":0,"topic":"orders"}`, `"250ms"`} {
		var until Until
		if err := json.Unmarshal([]byte(text), &until); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(until)
		if err != nil || string(written) != text {
			t.Errorf("%s is written as %s, %v", text, written, err)
		}
	}
}

func TestAnotherTypeIsAnError(t *testing.T) {
	for _, value := range []any{new(Text), new(Several[int]), new(Until)} {
		if err := json.Unmarshal([]byte("true"), value); err == nil {
			t.Errorf("%T reads true", value)
		}
	}
}
