package interop;

import static interop.Checks.checkSame;
import static interop.Checks.checkThrows;

import AllTypes.Empty;
import AllTypes.Peer;
import AllTypes.Refused;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.UNKNOWN;

/** User exceptions with their members, and system exceptions. */
final class ExceptionChecks {
  private ExceptionChecks() {}

  static void run(Peer peer) {
    Refused refused = checkThrows("refuse(7)", Refused.class, () -> peer.refuse(7));
    if (refused != null) {
      checkSame("reason", refused.reason, "because");
      checkSame("code", refused.code, 7);
      checkSame("where", refused.where, SampleMaker.point(7));
    }
    checkThrows("refuse(0)", Empty.class, () -> peer.refuse(0));
    NO_PERMISSION forbidden = checkThrows("forbid", NO_PERMISSION.class, peer::forbid);
    if (forbidden != null) {
      checkSame("minor code", forbidden.minor, 77);
      checkSame("completion", forbidden.completed.value(), CompletionStatus._COMPLETED_NO);
    }
    checkThrows("stumble", UNKNOWN.class, peer::stumble);
  }
}
