package mockbroker

import (
	"errors"
	"time"

	"mockbroker.test/mockbroker/api"
)

// Latency delays bytes by a time, plus or minus a random part of the jitter.
func (s CallSelector) Latency(latency, jitter time.Duration) FaultSpec {
	return s.fault(api.Effect{Latency: &api.Latency{
		Latency: api.Text(duration(latency)), Jitter: api.Text(duration(jitter)),
	}})
}

// Bandwidth limits connections to this many kilobytes, of 1000 bytes, a second.
func (s CallSelector) Bandwidth(rateKBs int) FaultSpec {
	return s.fault(api.Effect{Bandwidth: &api.Bandwidth{RateKbS: rateKBs}})
}

// SlowClose delays the close of connections.
func (s CallSelector) SlowClose(by time.Duration) FaultSpec {
	return s.fault(api.Effect{SlowClose: &api.SlowClose{Delay: api.Text(duration(by))}})
}

// Timeout stops all data, and closes the connection after a time; with 0 never.
func (s CallSelector) Timeout(after time.Duration) FaultSpec {
	return s.fault(api.Effect{Timeout: &api.Timeout{Timeout: api.Text(duration(after))}})
}

// ResetPeer loses the next bytes, and resets the connection (RST) a time after they arrived.
func (s CallSelector) ResetPeer(after time.Duration) FaultSpec {
	return s.fault(api.Effect{ResetPeer: &api.ResetPeer{After: api.Text(duration(after))}})
}

// Slicer splits the data into pieces of about a size, with a delay after each.
func (s CallSelector) Slicer(averageSize, sizeVariation int, delay time.Duration) FaultSpec {
	return s.fault(api.Effect{Slicer: &api.Slicer{
		AverageSize: averageSize, SizeVariation: &sizeVariation, Delay: api.Text(duration(delay)),
	}})
}

// LimitData closes the connection after this many more bytes.
func (s CallSelector) LimitData(limitBytes int64) FaultSpec {
	return s.fault(api.Effect{LimitData: &api.LimitData{LimitBytes: limitBytes}})
}

// Upstream lets an effect on the network act on the data that comes from clients.
func (f FaultSpec) Upstream() FaultSpec {
	return f.onNetwork(func(stream *api.Stream, _ **float64) { *stream = api.Upstream })
}

// Toxicity sets the probability that an effect on the network affects a connection; the default is 1.
func (f FaultSpec) Toxicity(probability float64) FaultSpec {
	return f.onNetwork(func(_ *api.Stream, toxicity **float64) { *toxicity = &probability })
}

// onNetwork changes the fields that all effects on the network have, in a copy.
func (f FaultSpec) onNetwork(change func(stream *api.Stream, toxicity **float64)) FaultSpec {
	switch e := &f.effect; {
	case e.Latency != nil:
		e.Latency = pointer(*e.Latency)
		change(&e.Latency.Stream, &e.Latency.Toxicity)
	case e.Bandwidth != nil:
		e.Bandwidth = pointer(*e.Bandwidth)
		change(&e.Bandwidth.Stream, &e.Bandwidth.Toxicity)
	case e.SlowClose != nil:
		e.SlowClose = pointer(*e.SlowClose)
		change(&e.SlowClose.Stream, &e.SlowClose.Toxicity)
	case e.Timeout != nil:
		e.Timeout = pointer(*e.Timeout)
		change(&e.Timeout.Stream, &e.Timeout.Toxicity)
	case e.ResetPeer != nil:
		e.ResetPeer = pointer(*e.ResetPeer)
		change(&e.ResetPeer.Stream, &e.ResetPeer.Toxicity)
	case e.Slicer != nil:
		e.Slicer = pointer(*e.Slicer)
		change(&e.Slicer.Stream, &e.Slicer.Toxicity)
	case e.LimitData != nil:
		e.LimitData = pointer(*e.LimitData)
		change(&e.LimitData.Stream, &e.LimitData.Toxicity)
	default:
		f.err = errors.New("mockbroker: Upstream and Toxicity go with effects on the network, such as Latency")
	}
	return f
}
