package mockbroker

import (
	"encoding/json"
	"testing"
	"time"

	"mockbroker.test/mockbroker/api"
)

func TestAFaultIsWrittenWithTheNamesOfTheHTTPAPI(t *testing.T) {
	for expected, fault := range map[string]FaultSpec{
		`{"effect":{"lose_response":"after_apply","how":"silence"},"trigger":{"on_call":2}}`: On().LoseResponse().Silently().OnCall(2),
		`{"match":{"api":["Fetch"]},"effect":{"answer":"NONE","top_level":true}}`:            On("Fetch").Answer("NONE").TopLevel(),
		`{"effect":{"hold":"request","until":"250ms","block_connection":false}}`:             On().Hold().Until(After(250 * time.Millisecond)).WithoutBlocking(),
		`{"effect":{"latency":{"latency":"1000ms","jitter":"1ms","stream":"upstream"}}}`:     On().Latency(time.Second, time.Microsecond).Upstream(),
	} {
		var wanted api.FaultDocument
		if err := json.Unmarshal([]byte(expected), &wanted); err != nil {
			t.Fatal(err)
		}
		if wanted.Match == nil {
			wanted.Match = &api.Match{}
		}
		wantedText, _ := json.Marshal(wanted)
		written, err := json.Marshal(fault.document())
		if err != nil || string(written) != string(wantedText) {
			t.Errorf("%s\ninstead of\n%s, %v", written, wantedText, err)
		}
	}
}

func TestAFaultIsChangedInACopy(t *testing.T) {
	slow := On("Produce").Latency(time.Second, 0)
	reverse := slow.Upstream().Toxicity(0.5).Times(3).Named("reverse")
	if slow.effect.Latency.Stream != "" || slow.trigger != nil || slow.id != "" {
		t.Errorf("%+v", slow)
	}
	if reverse.effect.Latency.Stream != api.Upstream || *reverse.effect.Latency.Toxicity != 0.5 {
		t.Errorf("%+v", reverse.effect.Latency)
	}
}

func TestEveryEffectOnTheNetworkHasADirectionAndAProbability(t *testing.T) {
	for _, fault := range []FaultSpec{
		On().Latency(1, 1), On().Bandwidth(1), On().SlowClose(1), On().Timeout(1),
		On().ResetPeer(1), On().Slicer(1, 1, 1), On().LimitData(1),
	} {
		changed := fault.Upstream().Toxicity(0.25)
		written, err := json.Marshal(changed.effect)
		if err != nil || changed.err != nil {
			t.Fatal(err, changed.err)
		}
		var effect map[string]struct {
			Stream   string
			Toxicity float64
		}
		if err := json.Unmarshal(written, &effect); err != nil || len(effect) != 1 {
			t.Fatalf("%s, %v", written, err)
		}
		for name, fields := range effect {
			if fields.Stream != "upstream" || fields.Toxicity != 0.25 {
				t.Errorf("%s: %+v", name, fields)
			}
		}
	}
	if On().Hold().Upstream().err == nil {
		t.Error("a hold has no direction")
	}
}
