package ValuesInterop;

/** The values that JacORB makes when it receives a {@link Node}: it looks for a class of this name. */
public class NodeImpl extends Node {}
