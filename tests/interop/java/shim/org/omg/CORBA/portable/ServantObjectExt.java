package org.omg.CORBA.portable;

/** Part of the Java mapping that the API of the JDK's ORB lacks, and that JacORB's compiler uses. */
public abstract class ServantObjectExt extends ServantObject {
  public abstract void normalCompletion();

  public abstract void exceptionalCompletion(Throwable exception);
}
