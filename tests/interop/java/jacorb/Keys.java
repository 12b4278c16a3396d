package interop;

import org.omg.CORBA.ORB;

/** Object keys that a corbaloc names, in JacORB. */
final class Keys {
  private Keys() {}

  /** The object key {@code key} of this ORB leads to {@code object}, which the ORB serves. */
  static void publish(ORB orb, String key, org.omg.CORBA.Object object) {
    ((org.jacorb.orb.ORB) orb).addObjectKey(key, object);
  }
}
