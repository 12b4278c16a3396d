package ValuesInterop;

/** The values that JacORB makes when it receives a {@link Note}: it looks for a class of this name. */
public class NoteImpl extends Note {
  public NoteImpl() {}

  public NoteImpl(String text, Described about) {
    this.text = text;
    this.about = about;
  }

  @Override
  public String describe(String prefix) {
    return prefix + " note " + text;
  }
}
