package interop;

import AllTypes.Peer;
import java.util.Properties;
import org.omg.CORBA.ORB;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;

/**
 * Serves an object of AllTypes::Peer until it is told to quit: Server [--bind NAME] [options of the
 * ORB]. Prints the IOR of the object, which also has the key Peer for a corbaloc.
 */
public final class Server {
  private Server() {}

  public static void main(String[] arguments) throws Exception {
    ORB orb = ORB.init(arguments, new Properties());
    Peer peer = PeerServant.activate(orb, "the Java server");
    Keys.publish(orb, "Peer", peer);
    if (arguments.length > 1 && arguments[0].equals("--bind")) {
      NamingContextExt names =
          NamingContextExtHelper.narrow(orb.resolve_initial_references("NameService"));
      names.rebind(names.to_name(arguments[1]), peer);
    }
    System.out.println(orb.object_to_string(peer));
    orb.run();
    System.exit(0);
  }
}
