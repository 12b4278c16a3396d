package tls;

import com.sun.corba.ee.impl.transport.AcceptorImpl;
import com.sun.corba.ee.spi.ior.IORTemplate;
import com.sun.corba.ee.spi.ior.iiop.IIOPFactories;
import com.sun.corba.ee.spi.legacy.connection.LegacyServerSocketEndPointInfo;
import com.sun.corba.ee.spi.orb.DataCollector;
import com.sun.corba.ee.spi.orb.ORB;
import com.sun.corba.ee.spi.orb.ORBConfigurator;
import com.sun.corba.ee.spi.transport.SocketInfo;
import com.sun.corba.ee.impl.oa.poa.Policies;

/**
 * The listener of the JDK's ORB for TLS. The ORB then has no port without TLS. References have
 * port 0 in their profile, and the port of TLS in a component. Two properties make the ORB use this
 * class:
 * com.sun.corba.ee.transport.ORBNoDefaultAcceptors=true and
 * com.sun.corba.ee.ORBUserConfigurators.tls.TlsAcceptor$Configurator=yes.
 */
public final class TlsAcceptor extends AcceptorImpl {
  private TlsAcceptor(ORB orb) {
    super(orb, 0, LegacyServerSocketEndPointInfo.DEFAULT_ENDPOINT, SocketInfo.SSL_PREFIX);
  }

  @Override
  public void addToIORTemplate(IORTemplate template, Policies policies, String codebase) {
    var profile = IIOPFactories.makeIIOPProfileTemplate(
        orb, orb.getORBData().getGIOPVersion(), IIOPFactories.makeIIOPAddress(getHost(), 0));
    profile.add(IIOPFactories.makeCodeSetsComponent(orb));
    profile.add(new TlsAddress(getHost(), getPort()).component());
    template.add(profile);
  }

  /** Registers the acceptor while the ORB starts. */
  public static final class Configurator implements ORBConfigurator {
    @Override
    public void configure(DataCollector collector, ORB orb) {
      orb.getCorbaTransportManager().registerAcceptor(new TlsAcceptor(orb));
    }
  }
}
