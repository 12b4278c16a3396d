package tls;

import com.sun.corba.ee.spi.orb.ORB;
import com.sun.corba.ee.spi.transport.Acceptor;
import com.sun.corba.ee.spi.transport.ORBSocketFactory;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Sockets of TLS for the JDK's ORB. Both sides have a certificate. A client compares the name in the
 * server's certificate with the host. The name of this class is the value of the property
 * com.sun.corba.ee.transport.ORBSocketFactoryClass. Its own properties are tls.keystore (a file of
 * PKCS12), tls.password and tls.protocol.
 */
public final class TlsSockets implements ORBSocketFactory {
  private final SSLContext context;
  private final String[] protocols = {System.getProperty("tls.protocol", "TLSv1.3")};

  public TlsSockets() throws IOException, GeneralSecurityException {
    char[] password = System.getProperty("tls.password").toCharArray();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream file = new FileInputStream(System.getProperty("tls.keystore"))) {
      store.load(file, password);
    }
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    var authorities = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    authorities.init(store);
    context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), authorities.getTrustManagers(), null);
  }

  @Override
  public void setORB(ORB orb) {}

  @Override
  public ServerSocket createServerSocket(String type, InetSocketAddress address)
      throws IOException {
    var socket = (SSLServerSocket) context.getServerSocketFactory().createServerSocket();
    socket.setEnabledProtocols(protocols);
    socket.setNeedClientAuth(true);
    socket.bind(address);
    return socket;
  }

  @Override
  public Socket createSocket(String type, InetSocketAddress address) throws IOException {
    var socket = (SSLSocket) context.getSocketFactory()
        .createSocket(address.getHostString(), address.getPort());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(protocols);
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.setTcpNoDelay(true);
    socket.startHandshake();
    return socket;
  }

  @Override
  public void setAcceptedSocketOptions(Acceptor acceptor, ServerSocket listener, Socket socket)
      throws SocketException {
    socket.setTcpNoDelay(true);
  }
}
