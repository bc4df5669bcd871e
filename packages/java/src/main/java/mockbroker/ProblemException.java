package mockbroker;

import mockbroker.api.ProblemDocument;

/** A request that the cluster refused; the message is the problem's {@code detail}. */
public final class ProblemException extends MockbrokerException {
  private static final long serialVersionUID = 1L;
  private final transient ProblemDocument problem;

  ProblemException(String request, ProblemDocument problem) {
    super(textOf(request, problem));
    this.problem = problem;
  }

  /** Return the problem document (RFC 9457), with its code, its path and similar names. */
  public ProblemDocument problem() {
    return problem;
  }

  private static String textOf(String request, ProblemDocument problem) {
    String place = problem.path() == null ? "" : " (at " + problem.path() + ")";
    return problem.detail() + place + " [" + problem.code() + ", " + request + "]";
  }
}
