package mockbroker;

import java.time.Duration;
import mockbroker.api.Answer;
import mockbroker.api.ApplyThenAnswer;
import mockbroker.api.Bandwidth;
import mockbroker.api.BandwidthSettings;
import mockbroker.api.Corrupt;
import mockbroker.api.Delay;
import mockbroker.api.DropRequest;
import mockbroker.api.Duplicate;
import mockbroker.api.Effect;
import mockbroker.api.Event;
import mockbroker.api.EveryTime;
import mockbroker.api.FaultDocument;
import mockbroker.api.FaultView;
import mockbroker.api.Hold;
import mockbroker.api.HoldResponse;
import mockbroker.api.Latency;
import mockbroker.api.LatencySettings;
import mockbroker.api.LoseResponse;
import mockbroker.api.Match;
import mockbroker.api.Observe;
import mockbroker.api.OnCall;
import mockbroker.api.Once;
import mockbroker.api.ResetPeer;
import mockbroker.api.ResetPeerSettings;
import mockbroker.api.Throttle;
import mockbroker.api.Times;
import mockbroker.api.Trigger;
import mockbroker.api.WithProbability;

/**
 * A fault that is being described: what it matches, at which calls it fires, and last its effect.
 *
 * <p>{@code cluster.fault("EndTxn").transactionalId("orders-svc").onCall(2).loseResponse()}.
 * Without a trigger it fires once, and an effect on the network at every connection. The method of
 * the effect creates the fault.
 */
public final class FaultBuilder {
  private final AdminClient admin;
  private final Match.Builder match = Match.builder();
  private String id;
  private Trigger trigger;

  FaultBuilder(AdminClient admin, String... apis) {
    this.admin = admin;
    if (apis.length > 0) {
      match.api(apis);
    }
  }

  /** Give the fault an id, for what is printed about it. */
  public FaultBuilder id(String id) {
    this.id = id;
    return this;
  }

  // What it matches

  /** Match these topics; {@code *} and {@code ?} are wildcards. */
  public FaultBuilder topic(String... topics) {
    match.topic(topics);
    return this;
  }

  /** Match these partitions. */
  public FaultBuilder partition(Integer... partitions) {
    match.partition(partitions);
    return this;
  }

  /** Match these transactional ids. */
  public FaultBuilder transactionalId(String... ids) {
    match.transactionalId(ids);
    return this;
  }

  /** Match these producer ids. */
  public FaultBuilder producerId(Long... ids) {
    match.producerId(ids);
    return this;
  }

  /** Match these producer epochs. */
  public FaultBuilder producerEpoch(Integer... epochs) {
    match.producerEpoch(epochs);
    return this;
  }

  /** Match these groups. */
  public FaultBuilder group(String... groups) {
    match.group(groups);
    return this;
  }

  /** Match clients with these ids. */
  public FaultBuilder clientId(String... ids) {
    match.clientId(ids);
    return this;
  }

  /** Match requests to these brokers. */
  public FaultBuilder broker(Integer... brokers) {
    match.broker(brokers);
    return this;
  }

  /** Match these versions of the API. */
  public FaultBuilder version(Integer... versions) {
    match.version(versions);
    return this;
  }

  /** Match by base sequence. */
  public FaultBuilder baseSequence(Integer... sequences) {
    match.baseSequence(sequences);
    return this;
  }

  // At which calls it fires

  /** Fire at the first call. */
  public FaultBuilder once() {
    return trigger(new Once(true));
  }

  /** Fire at the first {@code count} calls. */
  public FaultBuilder times(int count) {
    return trigger(new Times(count));
  }

  /** Fire at one call: {@code onCall(2)} at the second. */
  public FaultBuilder onCall(int number) {
    return trigger(new OnCall(number));
  }

  /** Fire at every call. */
  public FaultBuilder everyTime() {
    return trigger(new EveryTime(true));
  }

  /** Fire at each call with a probability; random choices use the cluster's seed. */
  public FaultBuilder withProbability(double probability) {
    return trigger(new WithProbability(probability));
  }

  /** Fire at the calls that a trigger chooses. */
  public FaultBuilder trigger(Trigger trigger) {
    this.trigger = trigger;
    return this;
  }

  // Effects

  /** Answer with an error, by Kafka's name; nothing is applied. */
  public Fault answer(String error) {
    return effect(new Answer(error, null));
  }

  /** Apply the request, and answer with an error. */
  public Fault applyThenAnswer(String error) {
    return effect(new ApplyThenAnswer(error, null));
  }

  /** Apply the request, and close the connection instead of a response. */
  public Fault loseResponse() {
    return effect(new LoseResponse("after_apply", null));
  }

  /** Apply the request, and never respond. */
  public Fault loseResponseSilently() {
    return effect(new LoseResponse("after_apply", LoseResponse.HowEnum.SILENCE));
  }

  /** Apply nothing, and close the connection instead of a response. */
  public Fault dropRequest() {
    return effect(new DropRequest("before_apply", null));
  }

  /** Hold the request until {@link Fault#release}; it is applied then. */
  public Fault hold() {
    return effect(new Hold("request", null, null));
  }

  /** Hold the request until an event; {@link At} has them. */
  public Fault hold(Event until) {
    return effect(new Hold("request", until, null));
  }

  /** Hold the request for a time. */
  public Fault hold(Duration time) {
    return effect(new Hold("request", AdminClient.text(time), null));
  }

  /** Apply the request, and hold the response until {@link Fault#release}. */
  public Fault holdResponse() {
    return effect(new HoldResponse("after_apply", null));
  }

  /** Apply the request, and hold the response until an event; {@link At} has them. */
  public Fault holdResponse(Event until) {
    return effect(new HoldResponse("after_apply", until));
  }

  /** Apply the request, and delay the response. */
  public Fault delay(Duration time) {
    return effect(new Delay(AdminClient.text(time)));
  }

  /** Apply the request, and set the throttle time of the response. */
  public Fault throttle(Duration time) {
    return effect(new Throttle(AdminClient.text(time)));
  }

  /** Apply the request twice; the client gets the first response. */
  public Fault duplicate() {
    return effect(new Duplicate(true));
  }

  /** Change a byte of the records. */
  public Fault corrupt() {
    return effect(new Corrupt(true));
  }

  /** Change nothing, at every call: to count calls, and to wait for them. */
  public Fault observe() {
    return effect(new Observe(true));
  }

  /** Delay all bytes of a connection, plus or minus a random part of {@code jitter}. */
  public Fault latency(Duration latency, Duration jitter) {
    return effect(
        new Latency(
            new LatencySettings(AdminClient.text(latency), AdminClient.text(jitter), null, null)));
  }

  /** Limit a connection to this many kilobytes, of 1000 bytes, a second. */
  public Fault bandwidth(long kilobytesPerSecond) {
    return effect(new Bandwidth(new BandwidthSettings(kilobytesPerSecond, null, null)));
  }

  /** Lose the next bytes, and reset the connection. */
  public Fault resetPeer() {
    return effect(new ResetPeer(new ResetPeerSettings(null, null, null)));
  }

  /** Create the fault with any effect of {@code mockbroker.api}. */
  public Fault effect(Effect effect) {
    FaultDocument document = new FaultDocument(id, match.build(), trigger, effect);
    return new Fault(admin, admin.post("/api/v1/faults", document, FaultView.class));
  }
}
