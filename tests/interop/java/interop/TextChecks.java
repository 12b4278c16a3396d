package interop;

import static interop.Checks.checkSame;
import static interop.Checks.checkThrows;

import AllTypes.Peer;
import org.omg.CORBA.StringHolder;
import org.omg.CORBA.SystemException;

/** Characters beyond ASCII, as the server sees them. */
final class TextChecks {
  private static final String LATIN = "\u00e9t\u00e9";
  private static final String UNICODE = "\u20ac \u65e5\u672c \ud834\udd1e";

  private TextChecks() {}

  static void run(Peer peer, Client.Options options) {
    checkText(peer, LATIN);
    if (options.unicode) {
      checkText(peer, UNICODE);
    }
    if (options.wide) {
      checkWide(peer, LATIN);
      checkWide(peer, UNICODE);
    } else {
      checkThrows("a wide string", SystemException.class,
          () -> peer.code_points_of_wide("wide"));
      checkSame("the connection goes on", peer.whoami("hello").isEmpty(), false);
    }
  }

  private static void checkText(Peer peer, String text) {
    int[] seen = text.codePoints().toArray();
    checkSame("code_points_of", peer.code_points_of(text), seen);
    checkSame("text_of", peer.text_of(seen), text);
    StringHolder inout = new StringHolder("old");
    checkSame("echo_text", peer.echo_text(text, inout, new StringHolder()), text);
    checkSame("echo_text: inout", inout.value, text);
  }

  private static void checkWide(Peer peer, String text) {
    int[] seen = text.codePoints().toArray();
    checkSame("code_points_of_wide", peer.code_points_of_wide(text), seen);
    checkSame("wide_text_of", peer.wide_text_of(seen), text);
  }
}
