package mockbroker;

import java.time.Duration;
import java.time.Instant;
import mockbroker.api.AdvanceDocument;
import mockbroker.api.ClockDocument;
import mockbroker.api.ClockView;
import mockbroker.api.PassedView;

/** The clock of a cluster's state; the network always uses real time. */
public final class Clock {
  private static final String PATH = "/api/v1/clock";
  private final AdminClient admin;

  Clock(AdminClient admin) {
    this.admin = admin;
  }

  /** Return the clock's mode and time. */
  public ClockView view() {
    return admin.get(PATH, ClockView.class);
  }

  /** Return the time. */
  public Instant now() {
    return Instant.ofEpochMilli(view().nowMs());
  }

  /**
   * Advance the clock, and run every timer up to the new time, in order.
   *
   * <p>Sessions of group members do not expire, because members live in real time.
   */
  public PassedView advance(Duration by) {
    return advance(by, true);
  }

  /** Advance the clock; without {@code keepSessions} the sessions of group members may expire. */
  public PassedView advance(Duration by, boolean keepSessions) {
    AdvanceDocument document = new AdvanceDocument(AdminClient.text(by), keepSessions);
    return admin.post(PATH + "/advance", document, PassedView.class);
  }

  /** Advance the clock to a time. */
  public ClockView set(Instant now) {
    return put(new ClockDocument(now.toString(), null, null));
  }

  /** Stop the clock between jumps. */
  public ClockView freeze() {
    return put(new ClockDocument(null, true, null));
  }

  /** Let the clock run again. */
  public ClockView resume() {
    return put(new ClockDocument(null, false, null));
  }

  private ClockView put(ClockDocument document) {
    return admin.put(PATH, document, ClockView.class);
  }
}
