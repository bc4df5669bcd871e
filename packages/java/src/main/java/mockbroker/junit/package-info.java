/** Clusters for tests of JUnit 5. */
package mockbroker.junit;
