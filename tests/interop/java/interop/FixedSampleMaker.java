package interop;

import AllTypes.FixedSamples;
import AllTypes.Item;
import java.math.BigDecimal;

/** The values of type fixed. This class is not compiled for the JDK's ORB. */
final class FixedSampleMaker {
  private FixedSampleMaker() {}

  static FixedSamples fixedSamples(int seed) {
    return new FixedSamples(amount(seed), new BigDecimal("0.12345"), item(seed),
        new Item[] {item(seed + 1), item(0)});
  }

  /** JacORB cannot read zero, so no value is zero. */
  private static BigDecimal amount(int seed) {
    return BigDecimal.valueOf(seed - 1234567891L, 2);
  }

  private static Item item(int seed) {
    return new Item((byte) seed, BigDecimal.valueOf(seed + 1, 2), new BigDecimal("0.00010"),
        "item " + seed);
  }
}
