package ValuesInterop;

/** The values that JacORB makes when it receives a {@link Named}: it looks for a class of this name. */
public class NamedImpl extends Named {
  public NamedImpl() {}

  public NamedImpl(int x, String name) {
    this.x = x;
    this.y = x + 0.5;
    this.name = name;
    this.age = 7;
  }
}
