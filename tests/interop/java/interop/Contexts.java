package interop;

import static interop.Checks.checkAll;
import static interop.Checks.checkThrows;

import AllTypes.Peer;
import AllTypes.PeerHelper;
import AllTypes.Refused;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.ORB;

/**
 * Service contexts of portable interceptors: Contexts [options of the ORB] serves an object until it
 * is told to quit. Contexts FILE-WITH-IOR [--quit] [options of the ORB] is a client. Both fail if a
 * request or a reply comes without the service context of the peer's interceptor.
 */
public final class Contexts {
  private static final int ROUNDS = 20;

  private Contexts() {}

  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    properties.put(
        "org.omg.PortableInterceptor.ORBInitializerClass." + ContextInitializer.class.getName(),
        "");
    ORB orb = ORB.init(arguments, properties);
    boolean serves = arguments.length == 0 || arguments[0].startsWith("-");
    if (serves) {
      Peer own = PeerServant.activate(orb, "the Java server");
      System.out.println(orb.object_to_string(own));
      orb.run();
      System.exit(ContextInterceptor.sawEachContext("server") ? 0 : 1);
    }
    String reference = Files.readString(Path.of(arguments[0])).strip();
    Peer peer = PeerHelper.narrow(orb.string_to_object(reference));
    checkAll("calls", () -> call(peer));
    Checks.check("contexts of replies", ContextInterceptor.sawEachContext("client"));
    if (Arrays.asList(arguments).contains("--quit")) {
      Checks.quit(peer);
    }
    System.exit(Checks.finish());
  }

  private static void call(Peer peer) throws Exception {
    for (int round = 0; round < ROUNDS; ++round) {
      Checks.check("notes", peer.notes() <= round); // a server may execute oneways later
      peer.note(1);
      checkThrows("refuse(7)", Refused.class, () -> peer.refuse(7));
      checkThrows("forbid", NO_PERMISSION.class, peer::forbid);
    }
  }
}
