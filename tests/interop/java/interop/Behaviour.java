package interop;

import AllTypes.Empty;
import AllTypes.Peer;
import AllTypes.PeerHelper;
import AllTypes.Refused;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.ForwardRequest;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.RequestProcessingPolicyValue;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantLocator;
import org.omg.PortableServer.ServantLocatorPackage.CookieHolder;
import org.omg.PortableServer.ServantRetentionPolicyValue;

/** The operations of Peer that are neither an echo nor about samples. */
public final class Behaviour {
  private final ORB orb;
  private final POA poa;
  private final String name;
  private final AtomicInteger notes = new AtomicInteger();
  private int level;
  private Peer self;
  private Peer forwarder;

  Behaviour(ORB orb, POA poa, String name) {
    this.orb = orb;
    this.poa = poa;
    this.name = name;
  }

  void setSelf(Peer peer) {
    self = peer;
  }

  ORB orb() {
    return orb;
  }

  public int level() {
    return level;
  }

  public void level(int value) {
    level = value;
  }

  public String name() {
    return name;
  }

  public String whoami(String greeting) {
    return greeting + ", I am " + name;
  }

  public int[] code_points_of(String text) {
    return text.codePoints().toArray();
  }

  public String text_of(int[] text) {
    return new String(text, 0, text.length);
  }

  public int[] code_points_of_wide(String text) {
    return code_points_of(text);
  }

  public String wide_text_of(int[] text) {
    return text_of(text);
  }

  public void refuse(int code) throws Refused, Empty {
    if (code == 0) {
      throw new Empty();
    }
    throw new Refused("because", code, SampleMaker.point(code));
  }

  public void forbid() {
    throw new NO_PERMISSION("only for brokers", 77, CompletionStatus.COMPLETED_NO);
  }

  public void stumble() {
    throw new IllegalStateException("no CORBA exception");
  }

  public void note(int number) {
    notes.addAndGet(number);
  }

  public int notes() {
    return notes.get();
  }

  public String relay(Peer other, String greeting) {
    return other.whoami(greeting);
  }

  public Peer nothing() {
    return null;
  }

  /** An object of a POA whose servant locator forwards each request. */
  public synchronized Peer forwarder() throws Exception {
    if (forwarder == null) {
      Policy[] policies = {
        poa.create_servant_retention_policy(ServantRetentionPolicyValue.NON_RETAIN),
        poa.create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER),
        poa.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID),
      };
      POA forwarding = poa.create_POA("forwarding", poa.the_POAManager(), policies);
      forwarding.set_servant_manager(new Forwarding(self));
      forwarder = PeerHelper.narrow(
          forwarding.create_reference_with_id("elsewhere".getBytes(), PeerHelper.id()));
    }
    return forwarder;
  }

  public Peer gone() throws Exception {
    return PeerHelper.unchecked_narrow(poa.create_reference(PeerHelper.id()));
  }

  public void quit() {
    orb.shutdown(false);
  }

  private static final class Forwarding extends LocalObject implements ServantLocator {
    private final Peer target;

    Forwarding(Peer target) {
      this.target = target;
    }

    @Override
    public Servant preinvoke(byte[] id, POA poa, String operation, CookieHolder cookie)
        throws ForwardRequest {
      throw new ForwardRequest(target);
    }

    @Override
    public void postinvoke(
        byte[] id, POA poa, String operation, Object cookie, Servant servant) {}
  }
}
