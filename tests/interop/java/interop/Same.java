package interop;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import org.omg.CORBA.Any;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;

/** Compares values of any IDL type: generated classes have no equals. */
final class Same {
  private Same() {}

  static boolean same(Object a, Object b) {
    if (a == null || b == null) {
      return a == b;
    }
    if (a instanceof TypeCode) {
      return ((TypeCode) a).equal((TypeCode) b);
    }
    if (a instanceof Any) {
      return sameAnys((Any) a, (Any) b);
    }
    if (a instanceof org.omg.CORBA.Object) {
      return ((org.omg.CORBA.Object) a)._is_equivalent((org.omg.CORBA.Object) b);
    }
    if (a instanceof BigDecimal) {
      return ((BigDecimal) a).compareTo((BigDecimal) b) == 0;
    }
    if (a.getClass().isArray()) {
      return sameElements(a, b);
    }
    if (a.getClass().getPackageName().equals("AllTypes")) {
      return sameMembers(a, b);
    }
    return a.equals(b);
  }

  /** JacORB compares references in anys by their addresses in memory. */
  private static boolean sameAnys(Any a, Any b) {
    if (a.type().kind() == TCKind.tk_objref) {
      return same(a.extract_Object(), b.extract_Object());
    }
    return a.equal(b);
  }

  private static boolean sameElements(Object a, Object b) {
    if (Array.getLength(a) != Array.getLength(b)) {
      return false;
    }
    for (int index = 0; index < Array.getLength(a); ++index) {
      if (!same(Array.get(a, index), Array.get(b, index))) {
        return false;
      }
    }
    return true;
  }

  private static boolean sameMembers(Object a, Object b) {
    try {
      for (Field field : a.getClass().getFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !same(field.get(a), field.get(b))) {
          return false;
        }
      }
      for (Method method : a.getClass().getDeclaredMethods()) {
        if (isGetter(method) && !same(get(method, a), get(method, b))) {
          return false;
        }
      }
      return true;
    } catch (ReflectiveOperationException exception) {
      throw new IllegalStateException(exception);
    }
  }

  /** Whether the method returns a member or discriminator of a union, or an enumerator's number. */
  private static boolean isGetter(Method method) {
    return method.getParameterCount() == 0 && method.getReturnType() != void.class
        && Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
        && !method.getName().equals("toString") && !method.getName().equals("hashCode");
  }

  /** null for a member that the discriminator does not select. */
  private static Object get(Method method, Object from) throws ReflectiveOperationException {
    try {
      return method.invoke(from);
    } catch (InvocationTargetException exception) {
      if (exception.getCause() instanceof org.omg.CORBA.BAD_OPERATION) {
        return null;
      }
      throw exception;
    }
  }
}
