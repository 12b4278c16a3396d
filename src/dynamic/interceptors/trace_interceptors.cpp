// A trace never makes a call fail: a trace that cannot be encoded, decoded or stored is left out.
#include "dynamic/interceptors/trace_interceptors.h"

#include "base/log_annotation.h"
#include "base/octet_vector.h"
#include "dynamic/interceptors/client_flow.h"
#include "dynamic/interceptors/server_flow.h"
#include "dynamic/interceptors/slots.h"
#include "orb/context/thread_slots.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/make_reference.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace perigee::interceptors {

namespace {

namespace pi = PortableInterceptor;

void note_lost(const std::exception& exception) {
  log::write(log::Level::warning, "trace",
             std::string("a trace was left out: ") + exception.what());
}

class TraceSender final : public pi::ClientRequestInterceptor {
 public:
  explicit TraceSender(orb::TraceUse use) noexcept : use_(use) {}

  std::string name() override { return {}; }
  void send_request(Info info) override try {
    auto& call = static_cast<ClientInfo&>(*info);
    const TraceRef cause = call.trace();
    if (!cause && use_ != orb::TraceUse::start) return;
    const Trace sent = cause ? child_of(*cause) : call.start_trace();
    info->add_request_service_context({context_trace, encode_trace_context(sent)}, true);
    if (log::enabled(log::Level::debug))
      log::write(log::Level::debug, "trace",
                 "call of " + printable(info->operation()) + ": " + to_traceparent(sent));
  } catch (const std::exception& exception) {
    note_lost(exception);
  }
  void send_poll(Info /*info*/) override {}
  void receive_reply(Info /*info*/) override {}
  void receive_exception(Info /*info*/) override {}
  void receive_other(Info /*info*/) override {}

 private:
  const orb::TraceUse use_;
};

class TraceReceiver final : public pi::ServerRequestInterceptor {
 public:
  std::string name() override { return {}; }
  void receive_request_service_contexts(Info info) override try {
    auto& request = static_cast<ServerInfo&>(*info);
    const IOP::ServiceContext* const context = request.find_request_context(context_trace);
    if (context == nullptr) return;
    if (const auto cause = decode_trace_context(octets_of(context->context_data())))
      request.set_trace(std::make_shared<const Trace>(child_of(*cause)));
  } catch (const std::exception& exception) {
    note_lost(exception);
  }
  void receive_request(Info /*info*/) override {}
  void send_reply(Info /*info*/) override {}
  void send_exception(Info /*info*/) override {}
  void send_other(Info /*info*/) override {}
};

// "00-<trace id>-<span id>-<flags>" without the version and the flags.
void annotate(std::string& text) {
  const TraceRef trace = Slots::trace(orb::thread_slots());
  if (!trace) return;
  const std::string parent = to_traceparent(*trace);
  ((((text += " [trace ") += parent.substr(3, 32)) += " span ") += parent.substr(36, 16)) += ']';
}

bool is_state(std::string_view text) noexcept {
  return text.size() <= trace_state_size_max &&
         std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

std::vector<std::uint8_t> encode_trace_context(const Trace& trace) {
  const Octets octets =
      cdr::encode_encapsulation(std::endian::native, [&trace](cdr::Encoder& encoder) {
        encoder.write_string(to_traceparent(trace));
        encoder.write_string(is_state(trace.state) ? trace.state : std::string());
      });
  return octet_vector(octets);
}

std::optional<Trace> decode_trace_context(OctetSpan octets) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(octets);
  const std::string_view parent = decoder.read_string_view();
  if (!decoder.ok()) return std::nullopt;
  auto trace = parse_traceparent(parent);
  if (!trace) return std::nullopt;
  const std::string_view state = decoder.read_string_view();
  if (decoder.ok() && is_state(state)) trace->state = state;
  return trace;
}

void add_trace_interceptors(InterceptorLists& lists, orb::TraceUse use) {
  lists.client.insert(lists.client.begin(), CORBA::make_reference<TraceSender>(use));
  lists.server.insert(lists.server.begin(), CORBA::make_reference<TraceReceiver>());
  log::set_annotation(&annotate);
}

}  // namespace perigee::interceptors
