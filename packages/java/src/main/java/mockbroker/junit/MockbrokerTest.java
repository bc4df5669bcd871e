package mockbroker.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a cluster, as a parameter of type {@link mockbroker.Mockbroker}.
 *
 * <p>One cluster runs for all tests of the class, and is reset before each. Where tests run in
 * parallel, those of one cluster still run one after the other. With {@code MOCKBROKER_ADMIN} it is
 * the running cluster of that address, for all classes.
 *
 * <p>A fault that never fired fails a test that has passed otherwise; {@link AllowUnfired} permits
 * such faults. After a failed test, the timeline, the errors and the faults of the cluster are on
 * stderr.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(MockbrokerExtension.class)
public @interface MockbrokerTest {
  /** Release of Kafka to behave like, such as {@code 3.9}; by default the newest. */
  String kafka() default "";

  /** Number of brokers. */
  int brokers() default 1;

  /** Topics to create, such as {@code orders} or {@code orders:3} with three partitions. */
  String[] topics() default {};

  /** Broker configs by Kafka's names, such as {@code min.insync.replicas=2}. */
  String[] configs() default {};

  /** Levels of features, such as {@code transaction.version=1}. */
  String[] features() default {};

  /** A scenario file; it is run by a new cluster for each test. */
  String scenario() default "";

  /** Further arguments of {@code mockbroker serve}. */
  String[] arguments() default {};

  /** Whether each test has a new cluster. */
  boolean clusterPerTest() default false;
}
