package interop;

import AllTypes.Peer;
import AllTypes.PeerHelper;
import AllTypes.PeerOperations;
import AllTypes.PeerPOATie;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.omg.CORBA.Any;
import org.omg.PortableServer.POA;

/** A servant of Peer. One method serves all echo operations, because all of them do the same. */
final class PeerServant implements InvocationHandler {
  private final Behaviour behaviour;

  private PeerServant(Behaviour behaviour) {
    this.behaviour = behaviour;
  }

  static Peer activate(org.omg.CORBA.ORB orb, String name) throws Exception {
    POA root = org.omg.PortableServer.POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    return activate(orb, root, name);
  }

  static Peer activate(org.omg.CORBA.ORB orb, POA poa, String name) throws Exception {
    Behaviour behaviour = new Behaviour(orb, poa, name);
    PeerOperations operations = (PeerOperations) Proxy.newProxyInstance(
        PeerServant.class.getClassLoader(), new Class<?>[] {PeerOperations.class},
        new PeerServant(behaviour));
    byte[] id = poa.activate_object(new PeerPOATie(operations, poa));
    Peer peer = PeerHelper.narrow(poa.id_to_reference(id));
    behaviour.setSelf(peer);
    poa.the_POAManager().activate();
    return peer;
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    String operation = method.getName();
    if (operation.startsWith("echo_")) {
      return echo(arguments);
    }
    if (operation.endsWith("samples")) {
      return Groups.make(operation, (Integer) arguments[0]);
    }
    if (operation.startsWith("pack")) {
      return Groups.pack(behaviour.orb(), arguments[0]);
    }
    if (operation.startsWith("unpack")) {
      return Groups.unpack((Any[]) arguments[0], method.getReturnType());
    }
    try {
      return Behaviour.class.getMethod(operation, method.getParameterTypes())
          .invoke(behaviour, arguments);
    } catch (InvocationTargetException exception) {
      throw exception.getCause();
    }
  }

  /** c = old b, b = a if it is inout, returns a. */
  private static Object echo(Object[] arguments) throws ReflectiveOperationException {
    if (Holders.isHolder(arguments[1].getClass())) {
      Holders.set(arguments[2], Holders.get(arguments[1]));
      Holders.set(arguments[1], arguments[0]);
    } else {
      Holders.set(arguments[2], arguments[1]);
    }
    return arguments[0];
  }
}
