/**
 * Kafka clusters for tests: start {@code mockbroker serve} or use a running one, make faults, move
 * time, and check the result.
 *
 * <p>{@link mockbroker.Mockbroker} is the cluster, {@link mockbroker.junit.MockbrokerTest} gives
 * one to tests of JUnit 5, and {@code mockbroker.api} has the documents of the HTTP API.
 */
package mockbroker;
