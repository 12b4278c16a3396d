package interop;

import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/** Registers one ContextInterceptor for both sides. */
public final class ContextInitializer extends LocalObject implements ORBInitializer {
  @Override
  public void pre_init(ORBInitInfo info) {}

  @Override
  public void post_init(ORBInitInfo info) {
    ContextInterceptor interceptor = new ContextInterceptor();
    try {
      info.add_client_request_interceptor(interceptor);
      info.add_server_request_interceptor(interceptor);
    } catch (DuplicateName exception) {
      throw new org.omg.CORBA.INITIALIZE(exception.toString());
    }
  }
}
