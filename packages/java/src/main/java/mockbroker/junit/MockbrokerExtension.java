package mockbroker.junit;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import mockbroker.ClusterOptions;
import mockbroker.Mockbroker;
import mockbroker.MockbrokerException;
import mockbroker.api.EntryView;
import mockbroker.api.FaultView;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Extension that gives tests a cluster, as {@link MockbrokerTest} describes.
 *
 * <p>{@code @RegisterExtension} on a static field starts one cluster for the class, which is reset
 * before each test; on another field it starts one for each test.
 */
public final class MockbrokerExtension
    implements BeforeAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        AfterAllCallback,
        ParameterResolver {
  private static final String CLUSTER = "cluster";
  private static final String TURN = "turn";

  /** A turn at each cluster: tests that run in parallel must not reset that of another. */
  private static final Map<URI, ReentrantLock> TURNS = new ConcurrentHashMap<>();

  private static final int ERRORS_MAX = 40;

  private final Namespace namespace = Namespace.create(MockbrokerExtension.class, this);
  private final ClusterOptions given;
  private volatile Mockbroker current;

  /** Create the extension of {@link MockbrokerTest}, whose fields are the options. */
  public MockbrokerExtension() {
    this(null);
  }

  private MockbrokerExtension(ClusterOptions options) {
    given = options;
  }

  /** Return an extension for {@code @RegisterExtension}. */
  public static MockbrokerExtension with(ClusterOptions options) {
    return new MockbrokerExtension(options);
  }

  /** Return the cluster of the present test. */
  public Mockbroker cluster() {
    if (current == null) {
      throw new MockbrokerException("the cluster runs in tests, @BeforeEach and @BeforeAll only");
    }
    return current;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    boolean isPerTest = annotation(context).map(MockbrokerExtension::isPerTest).orElse(false);
    boolean isInherited = clusterOf(context) != null && !hasOwnOptions(context);
    if (!isPerTest && !isInherited) {
      open(context);
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Mockbroker cluster = clusterOf(context);
    boolean isNew = cluster == null;
    if (isNew) {
      cluster = open(context);
    }
    takeTurn(context, cluster);
    if (!isNew || cluster.process() == null) {
      cluster.reset();
    }
    cluster.journal().on();
    current = cluster;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Mockbroker cluster = clusterOf(context);
    if (cluster == null) {
      return;
    }
    try {
      if (context.getExecutionException().isPresent()) {
        System.err.println(report(context.getDisplayName(), cluster));
      } else if (!allowsUnfired(context)) {
        refuseUnfired(cluster);
      }
    } finally {
      endTurn(context);
      closeOwn(context);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    closeOwn(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Mockbroker.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Mockbroker cluster = clusterOf(context);
    if (cluster == null) {
      throw new ParameterResolutionException(
          "each test has a new cluster, a parameter of tests and @BeforeEach methods only");
    }
    return cluster;
  }

  // Clusters

  private Mockbroker open(ExtensionContext context) {
    Mockbroker cluster = Mockbroker.open(options(context));
    context.getStore(namespace).put(CLUSTER, cluster);
    current = cluster;
    return cluster;
  }

  /** Return the cluster of this context, or of one around it. */
  private Mockbroker clusterOf(ExtensionContext context) {
    return context.getStore(namespace).get(CLUSTER, Mockbroker.class);
  }

  /** Close the cluster that was opened for just this context. */
  private void closeOwn(ExtensionContext context) {
    Mockbroker own = context.getStore(namespace).remove(CLUSTER, Mockbroker.class);
    if (own != null) {
      own.close();
    }
  }

  private void takeTurn(ExtensionContext context, Mockbroker cluster) {
    ReentrantLock turn = TURNS.computeIfAbsent(cluster.adminUrl(), url -> new ReentrantLock());
    turn.lock();
    context.getStore(namespace).put(TURN, turn);
  }

  private void endTurn(ExtensionContext context) {
    ReentrantLock turn = context.getStore(namespace).remove(TURN, ReentrantLock.class);
    if (turn != null) {
      turn.unlock();
    }
  }

  private ClusterOptions options(ExtensionContext context) {
    return given != null
        ? given
        : annotation(context).map(MockbrokerExtension::options).orElse(ClusterOptions.defaults());
  }

  private Optional<MockbrokerTest> annotation(ExtensionContext context) {
    if (given != null) {
      return Optional.empty();
    }
    Optional<ExtensionContext> each = Optional.of(context);
    while (each.isPresent()) {
      Optional<MockbrokerTest> found =
          each.get()
              .getTestClass()
              .flatMap(type -> AnnotationSupport.findAnnotation(type, MockbrokerTest.class));
      if (found.isPresent()) {
        return found;
      }
      each = each.get().getParent();
    }
    return Optional.empty();
  }

  private boolean hasOwnOptions(ExtensionContext context) {
    return given == null
        && context
            .getTestClass()
            .map(type -> AnnotationSupport.isAnnotated(type, MockbrokerTest.class))
            .orElse(false);
  }

  private static boolean isPerTest(MockbrokerTest test) {
    return test.clusterPerTest() || !test.scenario().isEmpty();
  }

  private static ClusterOptions options(MockbrokerTest test) {
    ClusterOptions options = ClusterOptions.defaults().brokers(test.brokers());
    if (!test.kafka().isEmpty()) {
      options.kafka(test.kafka());
    }
    for (String topic : test.topics()) {
      int colon = topic.indexOf(':');
      if (colon < 0) {
        options.topic(topic);
      } else {
        options.topic(topic.substring(0, colon), Integer.parseInt(topic.substring(colon + 1)));
      }
    }
    for (String config : test.configs()) {
      options.arguments("--config", config);
    }
    for (String feature : test.features()) {
      options.arguments("--feature", feature);
    }
    if (!test.scenario().isEmpty()) {
      options.scenario(Path.of(test.scenario()));
    }
    return options.arguments(test.arguments());
  }

  // Reports

  private static boolean allowsUnfired(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getElement(), AllowUnfired.class)
        || AnnotationSupport.isAnnotated(context.getTestClass(), AllowUnfired.class);
  }

  private static void refuseUnfired(Mockbroker cluster) {
    List<FaultView> unfired = cluster.unfiredFaults();
    if (!unfired.isEmpty()) {
      throw new AssertionError(
          unfired.stream()
              .map(each -> "\n  " + each.story())
              .collect(
                  Collectors.joining(
                      "", "faults that never fired:", "\n(@AllowUnfired permits them)")));
    }
  }

  private static String report(String test, Mockbroker cluster) {
    List<String> sections = new ArrayList<>();
    try {
      sections.add("mockbroker timeline of " + test + ":\n" + cluster.timeline());
      List<String> errors = errors(cluster);
      if (!errors.isEmpty()) {
        sections.add("mockbroker errors:\n" + String.join("\n", errors));
      }
      List<String> faults = cluster.faults().stream().map(FaultView::story).toList();
      if (!faults.isEmpty()) {
        sections.add("mockbroker faults:\n" + String.join("\n", faults));
      }
    } catch (MockbrokerException error) {
      sections.add("mockbroker: no report: " + error.getMessage());
    }
    return String.join("\n\n", sections);
  }

  private static List<String> errors(Mockbroker cluster) {
    List<String> lines =
        cluster.journal().entries().stream()
            .filter(each -> each.error() != null && !each.error().equals("NONE"))
            .map(MockbrokerExtension::line)
            .toList();
    return lines.subList(Math.max(0, lines.size() - ERRORS_MAX), lines.size());
  }

  private static String line(EntryView entry) {
    StringBuilder line = new StringBuilder("  ").append(entry.error()).append(": ");
    line.append(entry.api() == null ? entry.kind() : entry.api());
    if (entry.topic() != null) {
      line.append(' ').append(entry.topic()).append('-').append(entry.partition());
    }
    if (entry.transactionalId() != null) {
      line.append(" of ").append(entry.transactionalId());
    }
    return line.append(" (broker ").append(entry.broker()).append(')').toString();
  }
}
