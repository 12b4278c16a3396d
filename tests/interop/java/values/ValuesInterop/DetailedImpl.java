package ValuesInterop;

/** The values that JacORB makes when it receives a {@link Detailed}: it looks for a class of this name. */
public class DetailedImpl extends Detailed {}
