package interop;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.TypeCodePackage.BadKind;

/** The structs Samples, WideSamples and FixedSamples, and the anys that hold their members. */
final class Groups {
  private Groups() {}

  /** What the operation returns: samples, wide_samples or fixed_samples. */
  static Object make(String operation, int seed) {
    switch (operation) {
      case "samples":
        return SampleMaker.samples(seed);
      case "wide_samples":
        return SampleMaker.wideSamples(seed);
      default:
        return makeFixed(seed);
    }
  }

  private static Object makeFixed(int seed) {
    try {
      Method make = Class.forName("interop.FixedSampleMaker")
          .getDeclaredMethod("fixedSamples", int.class);
      return make.invoke(null, seed);
    } catch (ReflectiveOperationException exception) {
      throw new IllegalStateException(exception);
    }
  }

  static Any[] pack(ORB orb, Object samples) {
    List<Any> anys = new ArrayList<>();
    try {
      for (Field field : samples.getClass().getFields()) {
        anys.add(anyOf(orb, helper(field), field.get(samples)));
      }
    } catch (ReflectiveOperationException exception) {
      throw new IllegalStateException(cause(exception));
    }
    return anys.toArray(new Any[0]);
  }

  /** An any with a value of the type that the helper is for. */
  static Any anyOf(ORB orb, Class<?> helper, Object value) {
    Any any = orb.create_any();
    try {
      method(helper, "insert").invoke(null, any, value);
    } catch (ReflectiveOperationException exception) {
      throw new IllegalStateException(helper.getName(), cause(exception));
    }
    return any;
  }

  static Object unpack(Any[] anys, Class<?> type) {
    try {
      Object samples = type.getDeclaredConstructor().newInstance();
      int index = 0;
      for (Field field : type.getFields()) {
        field.set(samples, extract(anys[index++], helper(field)));
      }
      return samples;
    } catch (ReflectiveOperationException exception) {
      throw new IllegalStateException(cause(exception));
    }
  }

  private static Object extract(Any any, Class<?> helper) throws ReflectiveOperationException {
    if (!isOfType(any.type(), type(helper))) {
      throw new IllegalStateException("any of another type: " + helper.getName());
    }
    return method(helper, "read").invoke(null, any.create_input_stream());
  }

  /** JacORB forgets the bounds of strings. */
  private static boolean isOfType(TypeCode got, TypeCode wanted) {
    boolean areTexts = kind(got) == TCKind._tk_wstring || kind(got) == TCKind._tk_string;
    return got.equivalent(wanted) || (areTexts && kind(got) == kind(wanted));
  }

  private static int kind(TypeCode type) {
    try {
      TypeCode original = type;
      while (original.kind() == TCKind.tk_alias) {
        original = original.content_type();
      }
      return original.kind().value();
    } catch (BadKind exception) {
      throw new IllegalStateException(exception);
    }
  }

  private static TypeCode type(Class<?> helper) throws ReflectiveOperationException {
    return (TypeCode) method(helper, "type").invoke(null);
  }

  /** The class SomeTypeHelper of the IDL compiler for the member a_some_type. */
  private static Class<?> helper(Field field) throws ClassNotFoundException {
    StringBuilder name = new StringBuilder("AllTypes.");
    for (String word : field.getName().substring("a_".length()).split("_")) {
      name.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
    }
    return Class.forName(name.append("Helper").toString());
  }

  private static Method method(Class<?> helper, String name) {
    for (Method method : helper.getMethods()) {
      if (method.getName().equals(name)) {
        return method;
      }
    }
    throw new IllegalStateException(helper.getName() + " has no method " + name);
  }

  private static Throwable cause(ReflectiveOperationException exception) {
    return exception instanceof InvocationTargetException ? exception.getCause() : exception;
  }
}
