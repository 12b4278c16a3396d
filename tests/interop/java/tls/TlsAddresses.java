package tls;

import com.sun.corba.ee.spi.ior.IOR;
import com.sun.corba.ee.spi.ior.iiop.IIOPProfileTemplate;
import com.sun.corba.ee.spi.orb.ORB;
import com.sun.corba.ee.spi.transport.IORToSocketInfo;
import com.sun.corba.ee.spi.transport.SocketInfo;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.NO_PERMISSION;

/**
 * The addresses that a client of the JDK's ORB uses: those of TLS only. The name of this class is the
 * value of the property com.sun.corba.ee.transport.ORBIORToSocketInfoClass.
 */
public final class TlsAddresses implements IORToSocketInfo {
  @Override
  public List<? extends SocketInfo> getSocketInfo(
      IOR reference, List<? extends SocketInfo> previous) {
    if (!previous.isEmpty()) {
      return previous;
    }
    var profile = (IIOPProfileTemplate) reference.getProfile().getTaggedProfileTemplate();
    ORB orb = reference.getORB();
    String host = profile.getPrimaryAddress().getHost();
    List<TlsAddress> addresses = new ArrayList<>();
    profile.iteratorById(TlsAddress.TAG_SSL_SEC_TRANS)
        .forEachRemaining(component -> addresses.add(TlsAddress.of(orb, host, component)));
    if (addresses.isEmpty()) {
      throw new NO_PERMISSION(
          "the reference has no address of TLS", 0, CompletionStatus.COMPLETED_NO);
    }
    return addresses;
  }
}
