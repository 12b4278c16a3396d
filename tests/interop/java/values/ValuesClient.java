package interop;

import static interop.Checks.check;
import static interop.Checks.checkAll;
import static interop.Checks.checkSame;
import static interop.Checks.checkThrows;

import ValuesInterop.*;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import org.omg.CORBA.ORB;

/**
 * Calls the operations of ValuesInterop::Peer and checks the results:
 * ValuesClient FILE-WITH-IOR [--quit] [--truncate] [--dynamic] [options of the ORB]. --truncate: the
 * server has no factory for Detailed. --dynamic: a gateway passes the calls on, which refuses structs
 * with cycles of values.
 */
public final class ValuesClient {
  private static final int BLOB_SIZE = 20_001;

  private final Peer peer;

  private ValuesClient(Peer peer) {
    this.peer = peer;
  }

  public static void main(String[] arguments) throws Exception {
    ORB orb = ORB.init(arguments, new Properties());
    var options = Arrays.asList(arguments);
    var object = orb.string_to_object(Files.readString(Path.of(arguments[0])).strip());
    var client = new ValuesClient(PeerHelper.narrow(object));
    checkAll("points", () -> client.checkPoints(options.contains("--truncate")));
    checkAll("graphs", () -> client.checkGraphs(options.contains("--dynamic")));
    checkAll("boxes", client::checkBoxes);
    checkAll("abstract interfaces", client::checkAbstract);
    Point place = makePoint(4);
    Refused refused = checkThrows("refuse", Refused.class, () -> client.peer.refuse(place));
    checkSame("the place of the exception", refused.place.x, 4);
    if (options.contains("--quit")) {
      client.peer.quit();
    }
    System.exit(Checks.finish());
  }

  private static Point makePoint(int x) {
    Point point = new PointImpl();
    point.x = x;
    point.y = x + 0.5;
    return point;
  }

  private static Node makeNode(int id) {
    Node node = new NodeImpl();
    node.id = id;
    node.others = new Node[0];
    return node;
  }

  private static Detailed makeDetailed() {
    Detailed detailed = new DetailedImpl();
    detailed.x = 1;
    detailed.y = 2.5;
    detailed.name = "detailed";
    detailed.inner = new NamedImpl(5, "inner");
    detailed.blob = new byte[BLOB_SIZE];
    for (int index = 0; index < BLOB_SIZE; ++index) {
      detailed.blob[index] = (byte) index;
    }
    detailed.tail = "tail";
    return detailed;
  }

  private void checkPoint(Point value) {
    PointHolder b = new PointHolder(new NamedImpl(8, "old"));
    PointHolder c = new PointHolder();
    Point result = peer.echo_point(value, b, c);
    check("one value in the reply", b.value == result);
    check("null stays null", (result == null) == (value == null));
    if (value != null) {
      checkSame("x", result.x, value.x);
      checkSame("y", result.y, value.y);
    }
    checkSame("the old name", ((Named) c.value).name, "old");
  }

  private void checkPoints(boolean truncates) {
    checkPoint(null);
    checkPoint(makePoint(3));
    checkPoint(new NamedImpl(4, "named"));
    checkPoint(makeDetailed());
    checkSame("a Point", peer.type_of(makePoint(3)), "Point");
    checkSame("a Named", peer.type_of(new NamedImpl(4, "named")), "Named");
    checkSame("a Detailed", peer.type_of(makeDetailed()), truncates ? "Named" : "Detailed");
    checkSame("null", peer.type_of(null), "null");
    if (truncates) {
      return;
    }
    Point echoed = peer.echo_point(makeDetailed(), new PointHolder(), new PointHolder());
    check("a Detailed comes back", echoed instanceof Detailed);
    Detailed detailed = (Detailed) echoed;
    check("the blob", Arrays.equals(detailed.blob, makeDetailed().blob));
    checkSame("the tail", detailed.tail, "tail");
    checkSame("the inner x", detailed.inner.x, 5);
  }

  private void checkGraphs(boolean isDynamic) {
    Node first = makeNode(1);
    Node second = makeNode(2);
    first.next = second;
    second.next = first;
    second.others = new Node[] {first, null};
    check("the same value", peer.is_same(first, first));
    check("other values", !peer.is_same(first, second));
    NodeHolder b = new NodeHolder(second);
    NodeHolder c = new NodeHolder();
    Node result = peer.echo_node(first, b, c);
    checkSame("the first id", result.id, 1);
    check("the cycle", result.next.next == result);
    check("the old value", result.next == c.value);
    check("one value in the reply", b.value == result);
    check("a sequence", c.value.others.length == 2 && c.value.others[0] == result);
    Node[] echoed = peer.echo_nodes(new Node[] {first, null, first});
    check("nodes", echoed.length == 3 && echoed[0] == echoed[2] && echoed[1] == null);
    if (isDynamic) {
      second.next = null;
      second.others = new Node[0];
    }
    Pair old = new Pair(second, (byte) 1, null, null);
    Pair pair = peer.echo_pair(new Pair(first, (byte) 5, first, makePoint(1)),
        new PairHolder(old), new PairHolder());
    check("a pair", pair.first == pair.second && pair.place.x == 1);
  }

  private void checkBoxes() {
    checkSame("a number", peer.echo_number(new ValuesInterop.Number(-7)).value, -7);
    check("a null box", peer.echo_number(null) == null);
    checkSame("a title", peer.echo_title("title"), "title");
    check("longs", Arrays.equals(peer.echo_longs(new int[] {1, -2, 3}), new int[] {1, -2, 3}));
    check("a value without state", peer.echo_empty(new EmptyImpl()) != null);
  }

  /**
   * JacORB cannot send values as abstract interfaces, and in anys: for their repository ids it
   * needs classes that Java 9 removed.
   */
  private void checkAbstract() {
    Thing thing = peer.make_thing();
    checkSame("an object", peer.describe(thing), "the thing");
    checkSame("nil", peer.describe(null), "nil");
    DescribedHolder b = new DescribedHolder(null);
    DescribedHolder c = new DescribedHolder();
    checkSame("the result", peer.echo_described(thing, b, c).describe("a"), "a thing");
    checkSame("the second object", b.value.describe("b"), "b thing");
    check("the old reference", c.value == null);
    Note note = new NoteImpl("shared", thing);
    Labels labels = peer.echo_labels(new Labels(thing, (byte) 7, note));
    checkSame("an object in a struct", labels.first.describe("a"), "a thing");
    checkSame("an object in a value", labels.second.about.describe("its"), "its thing");
  }
}
