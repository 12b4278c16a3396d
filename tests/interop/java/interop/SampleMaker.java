package interop;

import AllTypes.*;

/** Makes one value of each type, equal to what all_types_samples.h makes of the same seed. */
final class SampleMaker {
  private SampleMaker() {}

  static Samples samples(int seed) {
    Samples samples = new Samples();
    setBasic(samples, seed);
    setSequences(samples, seed);
    setArrays(samples, seed);
    setUnions(samples, seed);
    samples.a_tree = tree(3, seed);
    samples.a_branch = branch(3, seed);
    return samples;
  }

  private static void setBasic(Samples samples, int seed) {
    samples.a_flag = odd(seed);
    samples.a_letter = letter(seed);
    samples.a_piece = (byte) (250 + seed);
    samples.a_small = (short) (Short.MIN_VALUE + seed);
    samples.a_u_small = (short) (65535 - seed);
    samples.a_count = Integer.MIN_VALUE + seed;
    samples.a_u_count = -1 - seed;
    samples.a_big = Long.MIN_VALUE + seed;
    samples.a_u_big = -1L - seed;
    samples.a_real = seed + 0.5f;
    samples.a_precise = -1e300 * (seed + 1);
    samples.a_text = text(seed);
    samples.a_code = odd(seed) ? "abcde" : "";
    samples.a_shape = shape(seed);
    samples.a_point = point(seed);
    samples.a_person = person(seed);
  }

  private static void setSequences(Samples samples, int seed) {
    samples.a_octets = new byte[] {(byte) seed, -1, 0};
    samples.a_smalls = new short[] {(short) -seed, 7};
    samples.a_counts = counts(5, seed);
    samples.a_bigs = new long[] {seed, Long.MAX_VALUE};
    samples.a_reals = new float[] {seed / 4.0f};
    samples.a_precises = new double[] {seed / 8.0, -2.5};
    samples.a_flags = new boolean[] {true, odd(seed), false};
    samples.a_letters = new char[] {'x', letter(seed)};
    samples.a_texts = new String[] {"", text(seed)};
    samples.a_shapes = new Shape[] {Shape.line, shape(seed)};
    samples.a_people = new Person[] {person(seed), person(seed + 1)};
    samples.a_table = new int[][] {{}, counts(3, seed)};
    samples.a_few = counts(4, seed);
    samples.a_codes = new String[] {"12345", ""};
  }

  private static void setArrays(Samples samples, int seed) {
    samples.a_row = counts(3, seed);
    samples.a_matrix = new double[][] {{1, 2, 3}, {4.5, 5.5, seed}};
    samples.a_labels = new String[] {"label", text(seed)};
    samples.a_board =
        new Point[][] {{point(1), point(seed)}, {point(seed + 1), point(2)}};
    samples.a_ragged = new int[][] {counts(seed, 1), {}};
    samples.a_frame =
        new Frame(counts(3, 9), samples.a_matrix, counts(2, seed), samples.a_ragged);
  }

  private static void setUnions(Samples samples, int seed) {
    samples.a_by_shape = new ByShape();
    samples.a_by_flag = new ByFlag();
    samples.a_by_letter = new ByLetter();
    samples.a_by_small = new BySmall();
    samples.a_by_u_small = new ByUSmall();
    samples.a_by_u_count = new ByUCount();
    samples.a_by_big = new ByBig();
    samples.a_by_u_big = new ByUBig();
    samples.a_by_count = byCount(seed);
    samples.a_by_flag.number(seed);
    if (odd(seed)) {
      samples.a_by_shape.label(Shape.line, "label");
      samples.a_by_letter.number(seed);
      samples.a_by_small.seven("seven");
      samples.a_by_u_small.greatest((byte) seed);
      samples.a_by_u_count.greatest((byte) 3);
      samples.a_by_big.greatest("greatest");
      samples.a_by_u_big.number(seed);
    } else {
      samples.a_by_shape.radius(seed / 4.0);
      samples.a_by_letter.names(new String[] {"name", text(seed)});
      samples.a_by_small.least((byte) 5);
      samples.a_by_u_small.one(point(seed));
      samples.a_by_u_count.place(point(seed));
      samples.a_by_big.least((byte) 7);
      samples.a_by_u_big.track(counts(3, seed));
    }
  }

  static WideSamples wideSamples(int seed) {
    char letter = odd(seed) ? '\u20ac' : '\u65e5';
    String text = "wide \u00e9\u20ac\u65e5\u672c \ud834\udd1e " + seed;
    return new WideSamples(letter, text, odd(seed) ? "\u65e5\u672c" : "",
        new char[] {'a', letter, '\u00e9'}, new String[] {"", text},
        new char[] {letter, 'z'}, new WideEntry("plain", text, letter, 'c'));
  }

  static ByCount byCount(int seed) {
    ByCount value = new ByCount();
    switch (seed % 4) {
      case 0 -> value.words(2, text(seed));
      case 1 -> value.number(seed);
      case 2 -> value.number(-seed);
      default -> value.words(-1, "minus one");
    }
    return value;
  }

  static Person person(int seed) {
    return new Person("person " + seed, shape(seed), odd(seed), point(seed));
  }

  static Point point(int seed) {
    return new Point((byte) seed, seed * 1000, (short) -seed, seed / 2.0);
  }

  private static Tree tree(int depth, int seed) {
    Tree[] children = new Tree[depth];
    for (int child = 0; child < depth; ++child) {
      children[child] = tree(child, seed + child);
    }
    return new Tree("tree " + seed, children);
  }

  private static Branch branch(int depth, int seed) {
    Branch branch = new Branch();
    if (depth == 0) {
      branch.leaf(seed);
    } else {
      branch.children(new Branch[] {branch(depth - 1, seed), branch(0, seed + 1)});
    }
    return branch;
  }

  private static int[] counts(int size, int seed) {
    int[] counts = new int[size];
    for (int index = 0; index < size; ++index) {
      counts[index] = seed - 2 * index;
    }
    return counts;
  }

  private static boolean odd(int seed) {
    return seed % 2 != 0;
  }

  private static char letter(int seed) {
    return (char) ('a' + seed);
  }

  private static String text(int seed) {
    return "text " + seed;
  }

  private static Shape shape(int seed) {
    return Shape.from_int(seed % 3);
  }
}
