package mockbroker;

/** A program that starts a cluster, prints its URL, and is killed by a test. */
final class Holder {
  private Holder() {}

  public static void main(String[] arguments) throws InterruptedException {
    System.out.println(Mockbroker.start().adminUrl());
    Thread.sleep(60_000);
  }
}
