package interop;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;

/**
 * Adds a service context to each request and each reply, and counts the contexts of the peer. The
 * names of the operations of an object, and quit, are left out: both ORBs may send them themselves.
 */
final class ContextInterceptor extends LocalObject
    implements ClientRequestInterceptor, ServerRequestInterceptor {
  private static final int OWN_ID = 0x4a415641; // "JAVA"
  private static final int PEER_ID = 0x50455249; // "PERI"
  private static final byte[] REQUEST = {1, 2, 3};
  private static final byte[] REPLY = {4, 5, 6, 7};
  private static final AtomicInteger seen = new AtomicInteger();
  private static final AtomicInteger missed = new AtomicInteger();

  /** Whether there were contexts, and none was missed. Prints both numbers. */
  static boolean sawEachContext(String side) {
    System.err.println("Java " + side + ": " + seen + " contexts seen, " + missed + " missed");
    return seen.get() >= 60 && missed.get() == 0;
  }

  private static boolean counts(String operation) {
    return !operation.startsWith("_") && !operation.equals("quit");
  }

  private interface Get {
    ServiceContext get(int id);
  }

  private static void count(String operation, byte[] wanted, Get context) {
    if (!counts(operation)) {
      return;
    }
    try {
      byte[] data = context.get(PEER_ID).context_data;
      (Arrays.equals(data, wanted) ? seen : missed).incrementAndGet();
    } catch (BAD_PARAM exception) {
      System.err.println(operation + ": " + exception);
      missed.incrementAndGet();
    }
  }

  @Override
  public String name() {
    return "contexts";
  }

  @Override
  public void destroy() {}

  @Override
  public void send_request(ClientRequestInfo info) {
    info.add_request_service_context(new ServiceContext(OWN_ID, REQUEST), false);
  }

  @Override
  public void send_poll(ClientRequestInfo info) {}

  @Override
  public void receive_reply(ClientRequestInfo info) {
    count(info.operation(), REPLY, info::get_reply_service_context);
  }

  @Override
  public void receive_exception(ClientRequestInfo info) {
    count(info.operation(), REPLY, info::get_reply_service_context);
  }

  @Override
  public void receive_other(ClientRequestInfo info) {}

  @Override
  public void receive_request_service_contexts(ServerRequestInfo info) {
    count(info.operation(), REQUEST, info::get_request_service_context);
    info.add_reply_service_context(new ServiceContext(OWN_ID, REPLY), false);
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
