package interop;

import com.sun.corba.ee.impl.naming.cosnaming.TransientNameService;
import java.util.Properties;
import org.omg.CORBA.ORB;

/**
 * The naming service of the JDK's ORB, at a free port: its own main program needs a fixed port. Prints
 * the reference of the root context, whose key is also NameService, and serves until it is killed.
 */
public final class Names {
  private Names() {}

  public static void main(String[] arguments) throws Exception {
    ORB orb = ORB.init(arguments, new Properties());
    TransientNameService names = new TransientNameService((com.sun.corba.ee.spi.orb.ORB) orb);
    System.out.println(orb.object_to_string(names.initialNamingContext()));
    orb.run();
  }
}
