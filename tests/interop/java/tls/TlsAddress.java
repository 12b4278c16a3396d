package tls;

import com.sun.corba.ee.impl.ior.GenericTaggedComponent;
import com.sun.corba.ee.spi.ior.TaggedComponent;
import com.sun.corba.ee.spi.orb.ORB;
import com.sun.corba.ee.spi.transport.SocketInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A host and a port of TLS. In a reference, the component TAG_SSL_SEC_TRANS has the port. */
record TlsAddress(String host, int port) implements SocketInfo {
  static final int TAG_SSL_SEC_TRANS = 20;
  private static final int SIZE = 8;

  // CORBA Security 1.8, SSLIOP: integrity, confidentiality, detection of replay and of misordering,
  // and authentication of both sides.
  private static final short SUPPORTED = 0x7e;
  private static final short REQUIRED = 0x5e;

  @Override
  public String getType() {
    return SSL_PREFIX;
  }

  @Override
  public String getHost() {
    return host;
  }

  @Override
  public int getPort() {
    return port;
  }

  /** An encapsulation: its byte order (big endian), an octet of padding, and three unsigned shorts. */
  TaggedComponent component() {
    ByteBuffer octets = ByteBuffer.allocate(SIZE).putShort((short) 0);
    octets.putShort(SUPPORTED).putShort(REQUIRED).putShort((short) port);
    return new GenericTaggedComponent(TAG_SSL_SEC_TRANS, octets.array());
  }

  static TlsAddress of(ORB orb, String host, TaggedComponent component) {
    ByteBuffer octets = ByteBuffer.wrap(component.getIOPComponent(orb).component_data);
    octets.order(octets.get(0) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    return new TlsAddress(host, Short.toUnsignedInt(octets.getShort(SIZE - Short.BYTES)));
  }
}
