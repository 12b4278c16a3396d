package interop;

import static interop.Checks.checkAll;
import static interop.Checks.checkSame;

import AllTypes.ByCount;
import AllTypes.ByFlag;
import AllTypes.BySmall;
import AllTypes.ByUCount;
import AllTypes.Peer;
import AllTypes.PeerOperations;
import AllTypes.OctetsHolder;
import AllTypes.PeopleHolder;
import AllTypes.PrecisesHolder;
import AllTypes.Person;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;

/** Values of each type as parameters, as members, and in anys. */
final class TypeChecks {
  private static final int SEEDS = 4;

  private final ORB orb;
  private final Peer peer;

  TypeChecks(ORB orb, Peer peer) {
    this.orb = orb;
    this.peer = peer;
  }

  void run(Client.Options options) throws Exception {
    checkDefaults();
    for (Method method : PeerOperations.class.getMethods()) {
      boolean wide = method.getName().startsWith("wide");
      if (method.getName().endsWith("samples") && !method.getName().startsWith("echo")
          && (options.wide || !wide)) {
        for (int seed = 0; seed < SEEDS; ++seed) {
          int first = seed;
          checkAll(method.getName(), () -> checkGroup(method, first));
        }
      }
    }
  }

  /** The whole struct, each member, and an any for each member. */
  private void checkGroup(Method operation, int seed) throws Exception {
    Object samples = Groups.make(operation.getName(), seed);
    Object others = Groups.make(operation.getName(), seed + 1);
    checkSame(operation.getName(), operation.invoke(peer, seed), samples);
    if (operation.getName().equals("samples")) {
      checkEcho("echo_samples", samples, others);
    }
    for (var field : samples.getClass().getFields()) {
      checkEcho("echo_" + field.getName().substring("a_".length()), field.get(samples),
          field.get(others));
    }
    String suffix = operation.getName().replaceFirst("_?samples$", "");
    suffix = suffix.isEmpty() ? "" : "_" + suffix;
    Any[] anys = (Any[]) method("pack" + suffix).invoke(peer, samples);
    checkSame("pack" + suffix, Groups.unpack(anys, samples.getClass()), samples);
    Object unpacked = method("unpack" + suffix).invoke(peer, (Object) Groups.pack(orb, others));
    checkSame("unpack" + suffix, unpacked, others);
  }

  /**
   * Unions whose discriminator is none of the labels. The JDK's ORB cannot copy them into an any. For
   * the default member, JacORB's classes know one discriminator: the least natural number that is no
   * label.
   */
  private void checkDefaults() throws Exception {
    ByFlag flag = new ByFlag();
    flag.__default();
    checkEcho("echo_by_flag", flag, flag);
    BySmall small = new BySmall();
    small.__default();
    checkEcho("echo_by_small", small, small);
    ByCount count = new ByCount();
    count.data(new byte[] {1, 2, 3});
    checkEcho("echo_by_count", count, count);
    ByUCount unsigned = new ByUCount();
    unsigned.rest((short) -7);
    checkEcho("echo_by_u_count", unsigned, unsigned);
  }

  private void checkEcho(String operation, Object a, Object b) throws Exception {
    Method echo = method(operation);
    Class<?>[] types = echo.getParameterTypes();
    Object out = types[2].getDeclaredConstructor().newInstance();
    if (Holders.isHolder(types[1])) {
      Object inout = Holders.make(types[1], b);
      checkSame(operation + ": result", echo.invoke(peer, a, inout, out), a);
      checkSame(operation + ": inout", Holders.get(inout), a);
    } else {
      checkSame(operation + ": result", echo.invoke(peer, a, b, out), a);
    }
    checkSame(operation + ": out", Holders.get(out), b);
  }

  private static Method method(String name) {
    for (Method method : PeerOperations.class.getMethods()) {
      if (method.getName().equals(name)) {
        return method;
      }
    }
    throw new IllegalStateException("no operation " + name);
  }

  static void checkLarge(Peer peer, int octets) {
    byte[] data = new byte[octets];
    for (int index = 0; index < octets; ++index) {
      data[index] = (byte) (index * 31 >> 3);
    }
    OctetsHolder inout = new OctetsHolder(new byte[] {1});
    OctetsHolder out = new OctetsHolder();
    byte[] result = peer.echo_octets(data, inout, out);
    Checks.check("large: result", Arrays.equals(result, data));
    Checks.check("large: inout", Arrays.equals(inout.value, data));
    double[] numbers = new double[octets / 32];
    for (int index = 0; index < numbers.length; ++index) {
      numbers[index] = index / 8.0;
    }
    PrecisesHolder inoutNumbers = new PrecisesHolder(numbers);
    Checks.check("large: numbers", Arrays.equals(
        peer.echo_precises(new double[] {1}, inoutNumbers, new PrecisesHolder()), new double[] {1}));
    Person[] people = new Person[octets / 200];
    for (int index = 0; index < people.length; ++index) {
      people[index] = SampleMaker.person(index % 100);
    }
    checkSame("large: people", peer.echo_people(people, new PeopleHolder(new Person[0]),
        new PeopleHolder()), people);
  }
}
