package interop;

import org.omg.CORBA.ORB;
import org.omg.CORBA.ORBPackage.InvalidName;

/** Object keys that a corbaloc names, in the JDK's ORB. */
final class Keys {
  private Keys() {}

  /** The object key {@code key} of this ORB leads to {@code object}: the ORB replies with a forward. */
  static void publish(ORB orb, String key, org.omg.CORBA.Object object) throws InvalidName {
    ((com.sun.corba.ee.spi.orb.ORB) orb).register_initial_reference(key, object);
  }
}
