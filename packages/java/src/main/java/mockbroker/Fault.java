package mockbroker;

import static mockbroker.AdminClient.path;

import java.time.Duration;
import mockbroker.api.FaultView;
import mockbroker.api.ReleasedView;

/** A fault of a cluster. */
public final class Fault {
  private final AdminClient admin;
  private final String id;

  Fault(AdminClient admin, FaultView view) {
    this.admin = admin;
    this.id = view.id();
  }

  /** Return the id. */
  public String id() {
    return id;
  }

  /** Return the fault with all its counters. */
  public FaultView view() {
    return admin.get(path("faults", id), FaultView.class);
  }

  /** Return the number of calls that matched. */
  public int calls() {
    return view().calls();
  }

  /** Return the number of calls at which it fired. */
  public int hits() {
    return view().hits();
  }

  /** Return the number of calls that it holds now. */
  public int held() {
    return view().held();
  }

  /** Return the number of calls that it has held and released. */
  public int released() {
    return view().released();
  }

  /**
   * Wait until it has fired at a number of calls, from its start.
   *
   * @throws WaitTimeoutException if it has not; the message names the call that came closest
   */
  public FaultView waitForHits(int hits, Duration timeout) {
    return waitFor("hits", hits, timeout);
  }

  /**
   * Wait until it has held a number of calls, from its start.
   *
   * @throws WaitTimeoutException if it has not
   */
  public FaultView waitForHeld(int held, Duration timeout) {
    return waitFor("held", held, timeout);
  }

  /**
   * Wait until it has released a number of calls, from its start.
   *
   * @throws WaitTimeoutException if it has not
   */
  public FaultView waitForReleased(int released, Duration timeout) {
    return waitFor("released", released, timeout);
  }

  /** Release the calls that it holds, and return their number. */
  public long release() {
    return admin.post(path("faults", id, "release"), null, ReleasedView.class).released();
  }

  /** Remove it; the calls that it holds are released. */
  public void remove() {
    admin.delete(path("faults", id));
  }

  @Override
  public String toString() {
    return view().story();
  }

  private FaultView waitFor(String count, int number, Duration timeout) {
    String path = path("faults", id, "wait") + "?" + count + "=" + number;
    return admin.waiting(path, FaultView.class, timeout);
  }
}
