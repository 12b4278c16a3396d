package interop;

/** Counts checks. Each failure is a line on the standard error stream. */
final class Checks {
  private static int made;
  private static int failed;

  private Checks() {}

  interface Code {
    void run() throws Exception;
  }

  static void check(String what, boolean condition) {
    ++made;
    if (!condition) {
      fail(what, "is false");
    }
  }

  static void checkSame(String what, Object got, Object wanted) {
    ++made;
    if (!Same.same(got, wanted)) {
      fail(what, "is " + Show.show(got) + " instead of " + Show.show(wanted));
    }
  }

  /** The exception, or null if the code throws no such exception. */
  static <E extends Exception> E checkThrows(String what, Class<E> type, Code code) {
    ++made;
    try {
      code.run();
      fail(what, "throws nothing instead of " + type.getName());
    } catch (Exception exception) {
      if (type.isInstance(exception)) {
        return type.cast(exception);
      }
      fail(what, "throws " + exception + " instead of " + type.getName());
    }
    return null;
  }

  /** Runs checks of one subject. An exception fails the subject, and the next subject is checked. */
  static void checkAll(String subject, Code code) {
    ++made;
    try {
      code.run();
    } catch (Exception exception) {
      fail(subject, "throws " + exception);
      exception.printStackTrace();
    }
  }

  /**
   * Tells the server to end. The test waits for its end. The server closes the connection when it
   * has read this oneway. If the JDK's ORB is still sending the oneway at that time, it repeats the
   * request for a minute, and then throws an exception, which may be an error of its own code.
   */
  static void quit(AllTypes.Peer peer) {
    try {
      peer.quit();
    } catch (org.omg.CORBA.SystemException | java.util.NoSuchElementException exception) {
      System.err.println("after the request to quit: " + exception);
    }
  }

  private static void fail(String what, String how) {
    ++failed;
    System.err.println("failed: " + what + " " + how);
  }

  /** Prints the result in a line, and returns the exit code. */
  static int finish() {
    System.out.println("Java client: " + (made - failed) + " passed, " + failed + " failed");
    return failed == 0 && made > 0 ? 0 : 1;
  }
}
