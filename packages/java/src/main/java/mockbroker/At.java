package mockbroker;

import mockbroker.api.EpochBump;
import mockbroker.api.Event;
import mockbroker.api.FaultHits;
import mockbroker.api.LogEndOffset;
import mockbroker.api.Marker;
import mockbroker.api.Marker.MarkerEnum;
import mockbroker.api.Records;
import mockbroker.api.TransactionIsIn;
import mockbroker.api.TransactionIsInSettings;

/** Events that a held call may wait for: {@code hold(At.abortMarker("orders", 0))}. */
public final class At {
  private At() {}

  /** Wait for an ABORT marker in a partition. */
  public static Event abortMarker(String topic, int partition) {
    return new Marker(MarkerEnum.ABORT, topic, partition, null);
  }

  /** Wait for a COMMIT marker in a partition. */
  public static Event commitMarker(String topic, int partition) {
    return new Marker(MarkerEnum.COMMIT, topic, partition, null);
  }

  /** Wait for a marker of either kind in a partition. */
  public static Event marker(String topic, int partition) {
    return new Marker(MarkerEnum.ANY, topic, partition, null);
  }

  /** Wait until another fault has fired a number of times. */
  public static Event hits(Fault other, int hits) {
    return new FaultHits(other.id(), hits, null, null);
  }

  /** Wait until another fault has held a number of calls. */
  public static Event held(Fault other, int held) {
    return new FaultHits(other.id(), 0, held, null);
  }

  /** Wait until another fault has released a number of calls. */
  public static Event released(Fault other, int released) {
    return new FaultHits(other.id(), 0, null, released);
  }

  /** Wait until a transactional id has another epoch or producer id than now. */
  public static Event epochBump(String transactionalId) {
    return new EpochBump(transactionalId);
  }

  /** Wait until a transactional id is in a state, named as in Kafka: {@code PrepareAbort}. */
  public static Event transactionState(String transactionalId, String state) {
    return new TransactionIsIn(new TransactionIsInSettings(transactionalId, state));
  }

  /** Wait until a topic has so many records, aborted ones included. */
  public static Event records(String topic, long count) {
    return new Records(count, topic, null);
  }

  /** Wait until a partition has so many records, aborted ones included. */
  public static Event records(String topic, int partition, long count) {
    return new Records(count, topic, partition);
  }

  /** Wait until the log of a partition reaches an offset; markers of transactions count. */
  public static Event logEndOffset(String topic, int partition, long offset) {
    return new LogEndOffset(offset, topic, partition);
  }
}
