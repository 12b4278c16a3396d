package interop;

import java.lang.reflect.Array;

/** The beginning of a value as text, for reports of failures. */
final class Show {
  private static final int LENGTH_MAX = 200;

  private Show() {}

  static String show(Object value) {
    String text = whole(value);
    return text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX) + "...";
  }

  private static String whole(Object value) {
    if (value == null || !value.getClass().isArray()) {
      return String.valueOf(value);
    }
    StringBuilder text = new StringBuilder("[");
    for (int index = 0; index < Array.getLength(value) && text.length() < LENGTH_MAX; ++index) {
      text.append(index == 0 ? "" : ", ").append(whole(Array.get(value, index)));
    }
    return text.append("]").toString();
  }
}
