package mockbroker;

/** A wait that ended without the event; the message names the call that came closest. */
public final class WaitTimeoutException extends MockbrokerException {
  private static final long serialVersionUID = 1L;

  /** Create the error with what was waited for. */
  public WaitTimeoutException(String message) {
    super(message);
  }
}
