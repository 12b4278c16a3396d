package interop;

/** Access to the value of a holder of any type. */
final class Holders {
  private Holders() {}

  static boolean isHolder(Class<?> type) {
    return type.getSimpleName().endsWith("Holder");
  }

  static Object get(Object holder) throws ReflectiveOperationException {
    return holder.getClass().getField("value").get(holder);
  }

  static void set(Object holder, Object value) throws ReflectiveOperationException {
    holder.getClass().getField("value").set(holder, value);
  }

  static Object make(Class<?> type, Object value) throws ReflectiveOperationException {
    Object holder = type.getDeclaredConstructor().newInstance();
    set(holder, value);
    return holder;
  }
}
