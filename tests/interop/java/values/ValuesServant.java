package interop;

import ValuesInterop.*;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** A servant of ValuesInterop::Peer. */
final class ValuesServant extends PeerPOA {
  private final ORB orb;
  private final Thing thing;

  private ValuesServant(ORB orb, Thing thing) {
    this.orb = orb;
    this.thing = thing;
  }

  private static final class ThingServant extends ThingPOA {
    @Override
    public String describe(String prefix) {
      return prefix + " thing";
    }

    @Override
    public int number() {
      return 5;
    }
  }

  static Peer activate(ORB orb) throws Exception {
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    root.the_POAManager().activate();
    Thing thing = ThingHelper.narrow(root.servant_to_reference(new ThingServant()));
    return PeerHelper.narrow(root.servant_to_reference(new ValuesServant(orb, thing)));
  }

  @Override
  public Point echo_point(Point a, PointHolder b, PointHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Node echo_node(Node a, NodeHolder b, NodeHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Pair echo_pair(Pair a, PairHolder b, PairHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Node[] echo_nodes(Node[] a) {
    return a;
  }

  @Override
  public ValuesInterop.Number echo_number(ValuesInterop.Number a) {
    return a;
  }

  @Override
  public String echo_title(String a) {
    return a;
  }

  @Override
  public int[] echo_longs(int[] a) {
    return a;
  }

  @Override
  public Empty echo_empty(Empty a) {
    return a;
  }

  @Override
  public Any echo_any(Any a) {
    return a;
  }

  /** The server for truncated values has no class Detailed, so the class is not named here. */
  @Override
  public String type_of(Point value) {
    if (value == null) {
      return "null";
    }
    String name = value.getClass().getSimpleName();
    return name.substring(0, name.length() - "Impl".length());
  }

  @Override
  public String type_in_any(Any a) {
    return type_of(PointHelper.extract(a));
  }

  @Override
  public Thing make_thing() {
    return thing;
  }

  @Override
  public Described echo_described(Described a, DescribedHolder b, DescribedHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public Labels echo_labels(Labels a) {
    return a;
  }

  @Override
  public String describe(Described value) {
    return value == null ? "nil" : value.describe("the");
  }

  @Override
  public boolean is_same(Node a, Node b) {
    return a == b;
  }

  @Override
  public void refuse(Point place) throws Refused {
    throw new Refused(place, "refused");
  }

  @Override
  public void quit() {
    orb.shutdown(false);
  }
}
