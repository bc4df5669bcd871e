package mockbroker;

/** An error of the connection to a cluster, of its start, or of a request to it. */
public class MockbrokerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Create the error with a message for people. */
  public MockbrokerException(String message) {
    super(message);
  }

  /** Create the error with a message for people and a cause. */
  public MockbrokerException(String message, Throwable cause) {
    super(message, cause);
  }
}
