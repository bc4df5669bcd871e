package mockbroker;

import static mockbroker.AdminClient.path;

import mockbroker.api.BrokerView;
import mockbroker.api.BrokersView;
import mockbroker.api.StartDocument;

/** A broker of a cluster. */
public final class Broker {
  private static final String BROKERS = "brokers";
  private final AdminClient admin;
  private final int id;

  Broker(AdminClient admin, int id) {
    this.admin = admin;
    this.id = id;
  }

  /** Return its address and state. */
  public BrokerView view() {
    return admin.get(path(BROKERS), BrokersView.class).brokers().stream()
        .filter(each -> each.id() == id)
        .findFirst()
        .orElseThrow(() -> new MockbrokerException("there is no broker " + id));
  }

  /** Kill it: connections break, and other brokers take over. */
  public void kill() {
    command("kill");
  }

  /** Stop it as for a restart: it hands over first. */
  public void stop() {
    command("stop");
  }

  /** Start it again. */
  public void start() {
    admin.post(path(BROKERS, id, "start"), new StartDocument(null), BrokersView.class);
  }

  /** Cut it off from the other brokers; clients still reach it. */
  public void isolate() {
    command("isolate");
  }

  /** End its isolation. */
  public void rejoin() {
    command("rejoin");
  }

  /** Let its replicas lag behind. */
  public void lag() {
    command("lag");
  }

  /** Let its replicas catch up. */
  public void catchUp() {
    command("catch-up");
  }

  private void command(String name) {
    admin.post(path(BROKERS, id, name), null, BrokersView.class);
  }
}
