package mockbroker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Options of a cluster: {@code ClusterOptions.defaults().kafka("3.9").topic("orders", 3)}. */
public final class ClusterOptions {
  private String kafka;
  private int brokers = 1;
  private final Map<String, Integer> topics = new LinkedHashMap<>();
  private Path scenario;
  private final List<String> others = new ArrayList<>();

  private ClusterOptions() {}

  /** Return the options of one broker of the newest release, without topics. */
  public static ClusterOptions defaults() {
    return new ClusterOptions();
  }

  /** Behave like a release of Kafka, such as {@code 3.9}. */
  public ClusterOptions kafka(String release) {
    kafka = release;
    return this;
  }

  /** Set the number of brokers. */
  public ClusterOptions brokers(int count) {
    brokers = count;
    return this;
  }

  /** Create a topic with one partition at the start. */
  public ClusterOptions topic(String name) {
    return topic(name, 1);
  }

  /** Create a topic at the start. */
  public ClusterOptions topic(String name, int partitions) {
    topics.put(name, partitions);
    return this;
  }

  /** Set a broker config, by Kafka's name. */
  public ClusterOptions config(String name, Object value) {
    return arguments("--config", name + "=" + value);
  }

  /** Set the level of a feature, such as {@code transaction.version}. */
  public ClusterOptions feature(String name, int level) {
    return arguments("--feature", name + "=" + level);
  }

  /** Turn on a proposal that Kafka never shipped. */
  public ClusterOptions proposal(String name) {
    return arguments("--proposal", name);
  }

  /** Choose how the clock runs. */
  public ClusterOptions clock(ClockMode mode) {
    return arguments("--clock", mode.name().toLowerCase(Locale.ROOT));
  }

  /** Set the seed of ids and random choices. */
  public ClusterOptions seed(long seed) {
    return arguments("--seed", Long.toString(seed));
  }

  /**
   * Run a scenario file.
   *
   * <p>{@link Mockbroker#close} fails if what the scenario expects has not happened.
   */
  public ClusterOptions scenario(Path file) {
    scenario = file;
    return this;
  }

  /** Add arguments of {@code mockbroker serve}. */
  public ClusterOptions arguments(String... arguments) {
    others.addAll(List.of(arguments));
    return this;
  }

  String kafka() {
    return kafka;
  }

  int brokers() {
    return brokers;
  }

  Map<String, Integer> topics() {
    return topics;
  }

  boolean hasScenario() {
    return scenario != null;
  }

  /** Return the arguments of {@code mockbroker serve}. */
  List<String> arguments() {
    List<String> all = new ArrayList<>();
    if (kafka != null) {
      all.addAll(List.of("--kafka", kafka));
    }
    if (brokers != 1) {
      all.addAll(List.of("--brokers", Integer.toString(brokers)));
    }
    topics.forEach((name, partitions) -> all.addAll(List.of("--topic", name + ":" + partitions)));
    if (scenario != null) {
      all.addAll(List.of("--scenario", scenario.toString()));
    }
    all.addAll(others);
    return all;
  }
}
