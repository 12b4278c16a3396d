package interop;

import static interop.Checks.check;
import static interop.Checks.checkSame;
import static interop.Checks.checkThrows;

import AllTypes.Base;
import AllTypes.BaseHelper;
import AllTypes.Peer;
import AllTypes.PeerHolder;
import AllTypes.PeersHolder;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ObjectHolder;

/** References as values, implicit operations, call-backs and forwards. */
final class ReferenceChecks {
  private final ORB orb;
  private final Peer peer;

  ReferenceChecks(ORB orb, Peer peer) {
    this.orb = orb;
    this.peer = peer;
  }

  void run(boolean withGone) throws Exception {
    checkInherited();
    checkReferences(PeerServant.activate(orb, "the Java client"));
    checkOneways();
    checkForward(peer.forwarder());
    if (withGone) {
      checkGone(peer.gone());
    }
  }

  private void checkInherited() {
    check("whoami", peer.whoami("good day").startsWith("good day, I am "));
    peer.level(12);
    checkSame("level", peer.level(), 12);
    check("name", !peer.name().isEmpty());
    check("_is_a base", peer._is_a(BaseHelper.id()));
    check("_is_a other", !peer._is_a("IDL:AllTypes/Other:1.0"));
    check("_non_existent", !peer._non_existent());
    Base base = BaseHelper.narrow(peer);
    checkSame("level of the base", base.level(), 12);
  }

  private void checkReferences(Peer own) {
    PeerHolder inout = new PeerHolder(peer);
    PeerHolder out = new PeerHolder();
    checkSame("echo_peer", peer.echo_peer(own, inout, out), own);
    checkSame("echo_peer: inout", inout.value, own);
    checkSame("echo_peer: out", out.value, peer);
    ObjectHolder object = new ObjectHolder();
    checkSame("echo_object", peer.echo_object(null, new ObjectHolder(peer), object), null);
    checkSame("echo_object: out", object.value, peer);
    check("nothing", peer.nothing() == null);
    Peer[] peers = {peer, null, own};
    checkSame("echo_peers",
        peer.echo_peers(peers, new PeersHolder(new Peer[0]), new PeersHolder()), peers);
    checkSame("relay", peer.relay(own, "hello"), "hello, I am the Java client");
  }

  /** The server may execute a later request first, so the client asks several times. */
  private void checkOneways() {
    int before = peer.notes();
    for (int number = 1; number <= 10; ++number) {
      peer.note(number);
    }
    int attempts = 100_000;
    while (peer.notes() != before + 55 && attempts > 0) {
      --attempts;
    }
    checkSame("notes", peer.notes(), before + 55);
  }

  private void checkForward(Peer forwarder) {
    peer.level(34);
    checkSame("a forwarded call", forwarder.level(), 34);
    checkSame("a second forwarded call", forwarder.name(), peer.name());
    check("a forwarded struct", Same.same(forwarder.samples(2), SampleMaker.samples(2)));
  }

  private void checkGone(Peer gone) {
    check("_non_existent of no object", gone._non_existent());
    checkThrows("a call of no object", OBJECT_NOT_EXIST.class, gone::level);
  }
}
