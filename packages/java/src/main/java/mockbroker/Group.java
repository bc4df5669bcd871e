package mockbroker;

import static mockbroker.AdminClient.path;

import java.time.Duration;
import java.util.Map;
import mockbroker.api.CoordinatorView;
import mockbroker.api.GroupView;
import mockbroker.api.MemberDocument;
import mockbroker.api.MoveDocument;

/** A group of consumers of a cluster. */
public final class Group {
  private static final String GROUPS = "groups";
  private final AdminClient admin;
  private final String groupId;

  Group(AdminClient admin, String groupId) {
    this.admin = admin;
    this.groupId = groupId;
  }

  /**
   * Return its coordinator's state: members, assignment, committed offsets.
   *
   * @throws ProblemException if there is no such group
   */
  public GroupView view() {
    return admin.get(path(GROUPS, groupId), GroupView.class);
  }

  /** Return the committed offset of a partition; -1 if there is none. */
  public long committedOffset(String topic, int partition) {
    return view().offsets().stream()
        .filter(each -> each.topic().equals(topic) && each.partition() == partition)
        .mapToLong(each -> each.offset())
        .findFirst()
        .orElse(-1);
  }

  /**
   * Wait until it has a number of members.
   *
   * @throws WaitTimeoutException if it has another number until the timeout
   */
  public void waitForMembers(int members, Duration timeout) {
    String what = members + " members of " + groupId;
    AdminClient.until(what, timeout, this::members, count -> count == members);
  }

  /** Fence a member, as after its session timeout. */
  public GroupView fence(String memberId) {
    return admin.post(
        path(GROUPS, groupId, "fence"), new MemberDocument(memberId), GroupView.class);
  }

  /** Begin a rebalance, as after a member has joined and left again. */
  public GroupView rebalance() {
    return admin.post(path(GROUPS, groupId, "rebalance"), null, GroupView.class);
  }

  /** Hold the reconciliation of members with their new assignment. */
  public void holdReconciliation() {
    admin.post(path(GROUPS, groupId, "hold-reconciliation"), null, Void.class);
  }

  /** Let one member take its next step of the reconciliation. */
  public void step(String memberId) {
    admin.post(path(GROUPS, groupId, "step"), new MemberDocument(memberId), Void.class);
  }

  /** Let all members reconcile. */
  public void release() {
    admin.post(path(GROUPS, groupId, "release"), null, Void.class);
  }

  /** Return the broker that coordinates it. */
  public int coordinator() {
    Map<String, Object> here = Map.of("group", groupId);
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
    MoveDocument document = new MoveDocument(null, groupId, broker);
    return admin.post(path("coordinators", "move"), document, CoordinatorView.class).broker();
  }

  private int members() {
    try {
      return view().members().size();
    } catch (ProblemException problem) {
      if (problem.problem().code().equals("not-found")) {
        return 0;
      }
      throw problem;
    }
  }
}
