package mockbroker;

/** How the clock of a cluster runs. */
public enum ClockMode {
  /** Real time, with jumps; the default. */
  OFFSET,
  /** Jumps only. */
  MANUAL,
  /** Real time only. */
  REAL
}
