package interop;

import java.util.Properties;
import org.omg.CORBA.ORB;

/**
 * Serves an object of ValuesInterop::Peer until it is told to quit, and prints its IOR:
 * ValuesServer [options of the ORB].
 */
public final class ValuesServer {
  private ValuesServer() {}

  public static void main(String[] arguments) throws Exception {
    ORB orb = ORB.init(arguments, new Properties());
    System.out.println(orb.object_to_string(ValuesServant.activate(orb)));
    orb.run();
    System.exit(0);
  }
}
