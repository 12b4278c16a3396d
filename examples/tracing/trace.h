// A trace id that travels in a service context: the client's interceptor adds it to each request,
// and the server's interceptor keeps it in a slot for the servant.
#pragma once

#include <perigee/corba.h>
#include <perigee/dynamic/interceptors.h>

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace tracing {

constexpr IOP::ServiceId context_id = 0x54524143;

class ClientTracer final : public PortableInterceptor::ClientRequestInterceptor {
 public:
  std::string name() override { return "tracer"; }
  void send_request(Info info) override {
    const std::string id = "trace-" + std::to_string(++last_);
    info->add_request_service_context({context_id, {id.begin(), id.end()}}, true);
    std::cout << info->operation() << " begins: " << id << '\n';
  }
  void send_poll(Info) override {}
  void receive_reply(Info info) override { std::cout << info->operation() << " ends\n"; }
  void receive_exception(Info info) override {
    std::cout << info->operation() << " fails: " << info->received_exception_id() << '\n';
  }
  void receive_other(Info) override {}

 private:
  std::atomic<int> last_ = 0;
};

class ServerTracer final : public PortableInterceptor::ServerRequestInterceptor {
 public:
  explicit ServerTracer(PortableInterceptor::SlotId slot) : slot_(slot) {}
  std::string name() override { return "tracer"; }
  void receive_request_service_contexts(Info info) override try {
    const auto context = info->get_request_service_context(context_id);
    CORBA::Any id;
    id <<= std::string(context.context_data().begin(), context.context_data().end());
    info->set_slot(slot_, id);
  } catch (const CORBA::BAD_PARAM&) {
    std::cerr << info->operation() << ": the client sends no trace id\n";
  }
  void receive_request(Info) override {}
  void send_reply(Info) override {}
  void send_exception(Info) override {}
  void send_other(Info) override {}

 private:
  const PortableInterceptor::SlotId slot_;
};

}  // namespace tracing
