package ValuesInterop;

/** The values that JacORB makes when it receives a {@link Empty}: it looks for a class of this name. */
public class EmptyImpl extends Empty {}
