package interop;

import static interop.Checks.checkAll;
import static interop.Checks.checkSame;

import AllTypes.Peer;
import AllTypes.PeerHelper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE;
import org.omg.BiDirPolicy.BOTH;
import org.omg.BiDirPolicy.BidirectionalPolicyValueHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * Calls in both directions over one connection, by JacORB: Callbacks [options of the ORB] serves an
 * object until it is told to quit. Callbacks FILE-WITH-IOR [--quit] [options of the ORB] is a client
 * whose object the server calls.
 */
public final class Callbacks {
  private static final int ROUNDS = 20;

  private Callbacks() {}

  public static void main(String[] arguments) throws Exception {
    ORB orb = ORB.init(arguments, new Properties());
    boolean serves = arguments.length == 0 || arguments[0].startsWith("-");
    String name = serves ? "the Java server" : "the Java client";
    Peer own = PeerServant.activate(orb, makePoa(orb), name);
    if (serves) {
      System.out.println(orb.object_to_string(own));
      orb.run();
      System.exit(0);
    }
    String reference = Files.readString(Path.of(arguments[0])).strip();
    Peer peer = PeerHelper.narrow(orb.string_to_object(reference));
    checkAll("callbacks", () -> checkCallbacks(peer, own));
    if (Arrays.asList(arguments).contains("--quit")) {
      Checks.quit(peer);
    }
    System.exit(Checks.finish());
  }

  private static void checkCallbacks(Peer peer, Peer own) throws Exception {
    for (int round = 0; round < ROUNDS; ++round) {
      checkSame("relay", peer.relay(own, "hello"), "hello, I am the Java client");
    }
  }

  private static POA makePoa(ORB orb) throws Exception {
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    Any both = orb.create_any();
    BidirectionalPolicyValueHelper.insert(both, BOTH.value);
    Policy[] policies = {orb.create_policy(BIDIRECTIONAL_POLICY_TYPE.value, both)};
    return root.create_POA("both", root.the_POAManager(), policies);
  }
}
