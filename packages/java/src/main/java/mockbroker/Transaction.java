package mockbroker;

import static mockbroker.AdminClient.path;

import java.time.Duration;
import java.util.Map;
import mockbroker.api.CoordinatorView;
import mockbroker.api.HoldDocument;
import mockbroker.api.MoveDocument;
import mockbroker.api.StepView;
import mockbroker.api.TransactionView;

/** A transactional id of a cluster. */
public final class Transaction {
  private static final String UNKNOWN = "unknown";
  private final AdminClient admin;
  private final String transactionalId;

  Transaction(AdminClient admin, String transactionalId) {
    this.admin = admin;
    this.transactionalId = transactionalId;
  }

  /**
   * Return its coordinator's state.
   *
   * @throws ProblemException if no producer has used it
   */
  public TransactionView view() {
    return admin.get(path("transactions", transactionalId), TransactionView.class);
  }

  /** Return its state, named as in Kafka: {@code Ongoing}. */
  public String state() {
    return view().state();
  }

  /**
   * Wait for a state, named as in Kafka: {@code CompleteAbort}.
   *
   * @throws WaitTimeoutException if it is in another state until the timeout
   */
  public void waitForState(String state, Duration timeout) {
    String what = transactionalId + " in state " + state;
    AdminClient.until(what, timeout, this::stateOrUnknown, state::equals);
  }

  /** Hold all steps of its next ending; {@link #step} does them one by one. */
  public void holdEnding() {
    hold(new HoldDocument(null, null));
  }

  /** Hold the marker of one partition at its next ending. */
  public void holdEnding(String topic, int partition) {
    hold(new HoldDocument(topic, partition));
  }

  /** Do the next held step of the ending, and return it; null if none is left. */
  public String step() {
    return admin.post(path("transactions", transactionalId, "step"), null, StepView.class).done();
  }

  /** Do all held steps, and hold no more. */
  public void release() {
    admin.post(path("transactions", transactionalId, "release"), null, Void.class);
  }

  /** Abort the open transaction, as the coordinator does after its timeout. */
  public TransactionView abort() {
    return admin.post(
        path("transactions", transactionalId, "abort"), null, TransactionView.class);
  }

  /** Forget the transactional id, as after {@code transactional.id.expiration.ms}. */
  public void expire() {
    admin.post(path("transactions", transactionalId, "expire"), null, Void.class);
  }

  /** Return the broker that coordinates it. */
  public int coordinator() {
    Map<String, Object> here = Map.of("transactional_id", transactionalId);
    return admin.get(AdminClient.query(path("coordinators"), here), CoordinatorView.class).broker();
  }

  /** Move its coordinator to another broker, and return that. */
  public int moveCoordinator() {
    return move(null);
  }

  /** Move its coordinator to a broker. */
  public int moveCoordinator(int broker) {
    return move(broker);
  }

  private int move(Integer broker) {
    MoveDocument document = new MoveDocument(transactionalId, null, broker);
    return admin.post(path("coordinators", "move"), document, CoordinatorView.class).broker();
  }

  private void hold(HoldDocument document) {
    admin.post(path("transactions", transactionalId, "hold-ending"), document, Void.class);
  }

  private String stateOrUnknown() {
    try {
      return state();
    } catch (ProblemException problem) {
      if (problem.problem().code().equals("not-found")) {
        return UNKNOWN;
      }
      throw problem;
    }
  }
}
