package interop;

import static interop.Checks.checkAll;

import AllTypes.Peer;
import AllTypes.PeerHelper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import org.omg.CORBA.ORB;

/**
 * Calls all operations of AllTypes::Peer and checks the results:
 * Client FILE-WITH-IOR|URL [--quit] [--no-wide] [--latin-1] [--no-gone] [--large OCTETS] [options of
 * the ORB]. --no-gone leaves out the calls of an object that is not active.
 */
public final class Client {
  private Client() {}

  public static void main(String[] arguments) throws Exception {
    ORB orb = ORB.init(arguments, new Properties());
    Options options = new Options(arguments);
    org.omg.CORBA.Object object = orb.string_to_object(reference(arguments[0]));
    checkAll("calls", () -> run(orb, PeerHelper.narrow(object), options));
    System.exit(Checks.finish());
  }

  private static String reference(String argument) throws Exception {
    Path file = Path.of(argument);
    return argument.startsWith("corba") ? argument : Files.readString(file).strip();
  }

  private static void run(ORB orb, Peer peer, Options options) throws Exception {
    checkAll("types", () -> new TypeChecks(orb, peer).run(options));
    checkAll("anys", () -> new AnyChecks(orb, peer).run(options));
    checkAll("text", () -> TextChecks.run(peer, options));
    checkAll("references", () -> new ReferenceChecks(orb, peer).run(options.gone));
    checkAll("exceptions", () -> ExceptionChecks.run(peer));
    checkAll("large values", () -> TypeChecks.checkLarge(peer, options.large));
    if (options.quit) {
      Checks.quit(peer);
    }
  }

  /** The options of the client. */
  static final class Options {
    final boolean quit;
    final boolean wide;
    final boolean unicode;
    final boolean gone;
    final int large;

    Options(String[] arguments) {
      var options = Arrays.asList(arguments);
      quit = options.contains("--quit");
      wide = !options.contains("--no-wide");
      unicode = !options.contains("--latin-1");
      gone = !options.contains("--no-gone");
      int position = options.indexOf("--large");
      large = position < 0 ? 10_000_000 : Integer.parseInt(options.get(position + 1));
    }
  }
}
