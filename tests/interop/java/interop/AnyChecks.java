package interop;

import static interop.Checks.check;
import static interop.Checks.checkSame;

import AllTypes.Parcel;
import AllTypes.ParcelHelper;
import AllTypes.ParcelHolder;
import AllTypes.Peer;
import AllTypes.RefusedHelper;
import AllTypes.Refused;
import AllTypes.SamplesHelper;
import AllTypes.TreeHelper;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.TypeCodeHolder;

/** Anys of the basic types, anys in anys, and TypeCodes. */
final class AnyChecks {
  private final ORB orb;
  private final Peer peer;

  AnyChecks(ORB orb, Peer peer) {
    this.orb = orb;
    this.peer = peer;
  }

  void run(Client.Options options) {
    List<Any> anys = basicAnys(options.wide);
    anys.add(recursiveAny());
    anys.add(nested(anys.get(0)));
    for (int index = 0; index < anys.size(); ++index) {
      Any a = anys.get(index);
      Any b = anys.get((index + 1) % anys.size());
      AnyHolder inout = new AnyHolder(b);
      AnyHolder out = new AnyHolder();
      checkSame("echo_any of " + a.type(), peer.echo_any(a, inout, out), a);
      checkSame("echo_any: inout", inout.value, a);
      checkSame("echo_any: out", out.value, b);
    }
    checkParcel(anys.get(0), anys.get(1));
    checkTypes();
  }

  private List<Any> basicAnys(boolean wide) {
    List<Any> anys = new ArrayList<>();
    add(anys, any -> any.insert_long(-7));
    add(anys, any -> any.insert_boolean(true));
    add(anys, any -> any.insert_char('x'));
    add(anys, any -> any.insert_octet((byte) 200));
    add(anys, any -> any.insert_short((short) -3));
    add(anys, any -> any.insert_ushort((short) -1));
    add(anys, any -> any.insert_ulong(-1));
    add(anys, any -> any.insert_longlong(Long.MIN_VALUE));
    add(anys, any -> any.insert_ulonglong(-1L));
    add(anys, any -> any.insert_float(1.5f));
    add(anys, any -> any.insert_double(-1e300));
    add(anys, any -> any.insert_string("text"));
    add(anys, any -> any.insert_TypeCode(TreeHelper.type()));
    add(anys, any -> any.insert_Object(peer));
    anys.add(Groups.anyOf(
        orb, RefusedHelper.class, new Refused("no", 3, SampleMaker.point(1))));
    if (wide) {
      add(anys, any -> any.insert_wchar('\u20ac'));
      add(anys, any -> any.insert_wstring("\u65e5\u672c"));
    }
    return anys;
  }

  private interface Insert {
    void into(Any any);
  }

  private void add(List<Any> anys, Insert insert) {
    Any any = orb.create_any();
    insert.into(any);
    anys.add(any);
  }

  private Any recursiveAny() {
    return Groups.anyOf(orb, TreeHelper.class, SampleMaker.samples(3).a_tree);
  }

  private Any nested(Any inner) {
    Any middle = orb.create_any();
    middle.insert_any(inner);
    return Groups.anyOf(orb, ParcelHelper.class, new Parcel((byte) 1, middle, inner.type()));
  }

  private void checkParcel(Any one, Any other) {
    Parcel a = new Parcel((byte) 7, one, one.type());
    ParcelHolder inout = new ParcelHolder(new Parcel((byte) 8, nested(other), other.type()));
    checkSame("echo_parcel", peer.echo_parcel(a, inout, new ParcelHolder()), a);
    checkSame("echo_parcel: inout", inout.value, a);
  }

  private void checkTypes() {
    TypeCode[] types = {
      SamplesHelper.type(), TreeHelper.type(), RefusedHelper.type(),
      orb.get_primitive_tc(TCKind.tk_null), orb.get_primitive_tc(TCKind.tk_any),
      orb.create_string_tc(5), orb.create_array_tc(3, orb.get_primitive_tc(TCKind.tk_octet)),
    };
    for (TypeCode type : types) {
      TypeCodeHolder inout = new TypeCodeHolder(orb.get_primitive_tc(TCKind.tk_long));
      TypeCodeHolder out = new TypeCodeHolder();
      check("echo_type of " + type, peer.echo_type(type, inout, out).equal(type));
      check("echo_type: inout " + type, inout.value.equal(type));
      check("echo_type: out", out.value.kind() == TCKind.tk_long);
    }
  }
}
