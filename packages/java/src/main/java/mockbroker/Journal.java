package mockbroker;

import java.time.Duration;
import java.util.List;
import mockbroker.api.CountView;
import mockbroker.api.EntryView;
import mockbroker.api.JournalDocument;
import mockbroker.api.JournalSelection;
import mockbroker.api.JournalView;

/** The journal of a cluster: requests, responses, appends, faults and other events. */
public final class Journal {
  private static final String PATH = "/api/v1/journal";
  private final AdminClient admin;

  Journal(AdminClient admin) {
    this.admin = admin;
  }

  /** Start recording; clusters of {@code MockbrokerTest} record from the start. */
  public void on() {
    admin.put(PATH, new JournalDocument(true, null, null), JournalView.class);
  }

  /** Stop recording; recorded entries stay readable. */
  public void off() {
    admin.put(PATH, new JournalDocument(false, null, null), JournalView.class);
  }

  /** Delete the entries. */
  public void clear() {
    admin.delete(PATH);
  }

  /** Return all entries, in order. */
  public List<EntryView> entries() {
    return entries(JournalSelection.builder());
  }

  /** Return the entries that match all fields that are set. */
  public List<EntryView> entries(JournalSelection.Builder selection) {
    return admin.post(PATH + "/find", selection.build(), JournalView.class).entries();
  }

  /** Count the requests of an API. */
  public long count(String api) {
    return count(JournalSelection.builder().api(api));
  }

  /** Count the requests, or entries of another kind, that match all fields that are set. */
  public long count(JournalSelection.Builder selection) {
    return admin.post(PATH + "/count", selection.build(), CountView.class).count();
  }

  /**
   * Wait until there are at least so many requests of an API.
   *
   * @throws WaitTimeoutException if there are fewer until the timeout
   */
  public void waitForRequests(String api, long count, Duration timeout) {
    waitForRequests(JournalSelection.builder().api(api), count, timeout);
  }

  /**
   * Wait until at least so many requests match all fields that are set.
   *
   * @throws WaitTimeoutException if there are fewer until the timeout
   */
  public void waitForRequests(JournalSelection.Builder selection, long count, Duration timeout) {
    String what = count + " requests that match " + AdminClient.json(selection.build());
    AdminClient.until(what, timeout, () -> count(selection), found -> found >= count);
  }
}
