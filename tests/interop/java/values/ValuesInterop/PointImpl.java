package ValuesInterop;

/** The values that JacORB makes when it receives a {@link Point}: it looks for a class of this name. */
public class PointImpl extends Point {}
