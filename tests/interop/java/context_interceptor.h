// Perigee interceptors that exchange service contexts with the interceptors of a Java peer.
#pragma once

#include <perigee/dynamic/interceptors.h>

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace interop {

/// Counts the service contexts of the peer. Any thread.
struct SeenContexts {
  std::atomic<int> seen{0};
  std::atomic<int> missed{0};
  std::atomic<bool> in_exceptions{true};  ///< the peer adds its context to exceptions, too

  /// Whether there were contexts, and none was missed. Prints both numbers.
  [[nodiscard]] bool has_each(const char* side) const {
    std::cerr << "Perigee " << side << ": " << seen << " contexts seen, " << missed << " missed\n";
    return seen >= (in_exceptions ? 60 : 20) && missed == 0;
  }
};
inline SeenContexts seen_contexts;

/// Adds a service context to each request and each reply, and counts the contexts of the peer. The
/// operations of each object, and `quit`, are left out: the peer's ORB may send them itself.
class ContextInterceptor final : public PortableInterceptor::ClientRequestInterceptor,
                                 public PortableInterceptor::ServerRequestInterceptor {
  using ClientInfo = PortableInterceptor::ClientRequestInterceptor::Info;
  using ServerInfo = PortableInterceptor::ServerRequestInterceptor::Info;
  using Data = std::vector<std::uint8_t>;

 public:
  std::string name() override { return "contexts"; }
  void send_request(ClientInfo info) override {
    info->add_request_service_context({own_id, Data{1, 2, 3}}, false);
  }
  void send_poll(ClientInfo) override {}
  void receive_reply(ClientInfo info) override { count_reply(info); }
  void receive_exception(ClientInfo info) override {
    if (seen_contexts.in_exceptions) count_reply(info);
  }
  void receive_other(ClientInfo) override {}
  void receive_request_service_contexts(ServerInfo info) override {
    count(info->operation(), Data{1, 2, 3},
          [&info] { return info->get_request_service_context(peer_id); });
    info->add_reply_service_context({own_id, Data{4, 5, 6, 7}}, false);
  }
  void receive_request(ServerInfo) override {}
  void send_reply(ServerInfo) override {}
  void send_exception(ServerInfo) override {}
  void send_other(ServerInfo) override {}

 private:
  static constexpr IOP::ServiceId own_id = 0x50455249;   // "PERI"
  static constexpr IOP::ServiceId peer_id = 0x4a415641;  // "JAVA"

  static void count_reply(const ClientInfo& info) {
    count(info->operation(), Data{4, 5, 6, 7},
          [&info] { return info->get_reply_service_context(peer_id); });
  }
  template <typename Get>
  static void count(const std::string& operation, const Data& wanted, const Get& get) {
    if (operation.starts_with('_') || operation == "quit") return;
    try {
      ++(get().context_data() == wanted ? seen_contexts.seen : seen_contexts.missed);
    } catch (const CORBA::BAD_PARAM& exception) {
      std::cerr << operation << ": " << exception.what() << '\n';
      ++seen_contexts.missed;
    }
  }
};

class ContextInitializer final : public PortableInterceptor::ORBInitializer {
 public:
  void pre_init(Info) override {}
  void post_init(Info info) override {
    const auto interceptor = CORBA::make_reference<ContextInterceptor>();
    info->add_client_request_interceptor(interceptor);
    info->add_server_request_interceptor(interceptor);
  }
};

}  // namespace interop
