package interop;

import AllTypes.Peer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.PortableInterceptor.ForwardRequest;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;

/**
 * Forwards each request to another object until it is killed: Forwarder FILE-WITH-IOR [options of the
 * ORB]. Prints the IOR of an object. An interceptor makes the forwards, because a ForwardRequest of a
 * servant manager ends the thread of a JacORB server.
 */
public final class Forwarder extends LocalObject
    implements ORBInitializer, ServerRequestInterceptor {
  private static volatile org.omg.CORBA.Object target;

  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    properties.setProperty(
        "org.omg.PortableInterceptor.ORBInitializerClass." + Forwarder.class.getName(), "");
    ORB orb = ORB.init(arguments, properties);
    target = orb.string_to_object(Files.readString(Path.of(arguments[0])).strip());
    Peer forwarded = PeerServant.activate(orb, "the Java forwarder");
    System.out.println(orb.object_to_string(forwarded));
    orb.run();
  }

  @Override
  public void pre_init(ORBInitInfo info) {}

  @Override
  public void post_init(ORBInitInfo info) {
    try {
      info.add_server_request_interceptor(this);
    } catch (org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName exception) {
      throw new IllegalStateException(exception);
    }
  }

  @Override
  public String name() {
    return "forwarder";
  }

  @Override
  public void destroy() {}

  @Override
  public void receive_request_service_contexts(ServerRequestInfo info) throws ForwardRequest {
    throw new ForwardRequest(target);
  }

  @Override
  public void receive_request(ServerRequestInfo info) {}

  @Override
  public void send_reply(ServerRequestInfo info) {}

  @Override
  public void send_exception(ServerRequestInfo info) {}

  @Override
  public void send_other(ServerRequestInfo info) {}
}
