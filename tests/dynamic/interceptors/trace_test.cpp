// W3C Trace Context: ids as text and in service contexts, and traces over several programs.
#include "compat/running_orb.h"
#include "desk.h"
#include "dynamic/interceptors/trace_interceptors.h"
#include <perigee/async/completion.h>
#include <perigee/base/log.h>
#include <perigee/cdr/encoder.h>
#include <perigee/dynamic/trace.h>

#include <bit>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace perigee::test {

namespace {

constexpr const char* example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// A task for each call of `twice`, or a function for calls without one.
class TraceClerk final : public CORBA::async_traits<Desk::Clerk>::base_type {
 public:
  using Work = std::function<perigee::task<std::int32_t>(std::int32_t)>;
  explicit TraceClerk(Work work) : work_(std::move(work)) {}
  perigee::task<std::int32_t> twice(std::int32_t value) override { return work_(value); }
  perigee::task<> note(std::int32_t) override { co_return; }

 private:
  Work work_;
};

/// A server and a client, both with the option.
struct TraceOrbs : DeskOrbs {
  explicit TraceOrbs(const std::string& use = "pass", const Plan& more = {})
      : DeskOrbs(with_option(more, use), Kind::plain, {"-ORBTraceContext", use}) {}

  static Plan with_option(Plan plan, const std::string& use) {
    plan.client_options = {"-ORBTraceContext", use};
    return plan;
  }
  /// The server's reference to a servant of the client.
  ClerkRef behind(const ClerkRef& of_client) {
    return IDL::traits<Desk::Clerk>::narrow(
        server->string_to_object(client->object_to_string(of_client)));
  }
  /// Serves the server's calls in a servant that records its trace in `seen`.
  ClerkRef recorder(std::optional<Trace>& seen) {
    return serve(CORBA::make_reference<TraceClerk>(
        [&seen](std::int32_t value) -> perigee::task<std::int32_t> {
          seen = current_trace();
          co_return value;
        }));
  }
};

std::vector<std::uint8_t> encode(const std::string& parent, const std::string& state) {
  const Octets octets = cdr::encode_encapsulation(std::endian::big, [&](cdr::Encoder& encoder) {
    encoder.write_string(parent);
    encoder.write_string(state);
  });
  const auto* const first = reinterpret_cast<const std::uint8_t*>(octets.data());
  return {first, first + octets.size()};
}

std::optional<Trace> decode(const std::vector<std::uint8_t>& octets) {
  return interceptors::decode_trace_context(std::as_bytes(std::span(octets)));
}

/// Sends these octets as the trace of each call.
Plan sending(std::vector<std::uint8_t> octets) {
  return {.clients = {{{"send_request", [octets](const ClientInfoRef& info) {
                          info->add_request_service_context({interceptors::context_trace, octets},
                                                            true);
                        }}}}};
}

/// The lines of the log about traces.
class TraceLines {
 public:
  TraceLines() { log::set_sink(&TraceLines::take, this); }
  ~TraceLines() { log::set_sink(nullptr, nullptr); }
  TraceLines(const TraceLines&) = delete;
  TraceLines& operator=(const TraceLines&) = delete;
  [[nodiscard]] std::string last() {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  static void take(void* self, log::Level /*level*/, std::string_view component,
                   std::string_view text) {
    auto& lines = *static_cast<TraceLines*>(self);
    const std::lock_guard lock(lines.mutex_);
    if (component == "test") lines.last_ = text;
  }
  std::mutex mutex_;
  std::string last_;
};

}  // namespace

TEST_CASE("a traceparent is read and written") {
  const auto trace = parse_traceparent(example);
  REQUIRE(trace.has_value());
  CHECK(to_traceparent(*trace) == example);
  CHECK(trace->flags == 1);
  CHECK(trace->parent_id == std::array<std::uint8_t, 8>{});
  const std::string rest = std::string(example).substr(2);
  CHECK(parse_traceparent("01" + rest).has_value());
  CHECK(parse_traceparent("01" + rest + "-more").has_value());
}

TEST_CASE("malformed traceparents are refused") {
  const std::string good = example;
  std::vector<std::string> texts = {"", good + "x", good + "-x", "ff" + good.substr(2),
                                    "01" + good.substr(2) + "x"};
  for (std::size_t size = 0; size < good.size(); ++size) texts.push_back(good.substr(0, size));
  for (const std::size_t at : {0U, 2U, 3U, 35U, 40U, 52U, 53U})
    for (const char wrong : {'G', 'A', ' ', '\0'}) {
      texts.push_back(good);
      texts.back()[at] = wrong;
    }
  texts.push_back("00-" + std::string(32, '0') + good.substr(35));
  texts.push_back(good.substr(0, 36) + std::string(16, '0') + "-01");
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK(!parse_traceparent(text).has_value());
  }
}

TEST_CASE("new ids are different, and a child keeps its trace") {
  std::set<std::string> all;
  for (int count = 0; count < 1000; ++count) all.insert(to_traceparent(new_trace()));
  CHECK(all.size() == 1000);
  Trace cause = *parse_traceparent(example);
  cause.state = "vendor=1";
  const Trace child = child_of(cause);
  CHECK(child.trace_id == cause.trace_id);
  CHECK(child.parent_id == cause.span_id);
  CHECK(child.span_id != cause.span_id);
  CHECK(child.state == "vendor=1");
}

TEST_CASE("a child keeps only the flag that is known") {
  const std::string ids = std::string(example).substr(0, 53);
  CHECK(to_traceparent(child_of(*parse_traceparent(ids + "ff"))).ends_with("-01"));
  CHECK(to_traceparent(child_of(*parse_traceparent(ids + "fe"))).ends_with("-00"));
  CHECK(parse_traceparent(ids + "ff")->flags == 0xff);
}

TEST_CASE("a scope needs a trace with ids that are not zero") {
  Trace no_span = new_trace();
  no_span.span_id = {};
  CHECK_THROWS_AS(TraceScope{Trace{}}, CORBA::BAD_PARAM);
  CHECK_THROWS_AS(TraceScope{no_span}, CORBA::BAD_PARAM);
  CHECK(!current_trace().has_value());
}

TEST_CASE("a slot that is set inside a scope keeps its value, and the trace ends") {
  DeskOrbs orbs({.client_init = [](const auto& info) { (void)info->allocate_slot_id(); }});
  const auto current = IDL::traits<PortableInterceptor::Current>::narrow(
      orbs.client->resolve_initial_references("PICurrent"));
  CORBA::Any user;
  user <<= std::string("token");
  const Trace outer = new_trace();
  {
    const TraceScope scope(outer);
    {
      const TraceScope inner(new_trace());
      current->set_slot(0, user);
    }
    CHECK(current_trace() == outer);
  }
  CHECK(!current_trace().has_value());
  std::string kept;
  CHECK((current->get_slot(0) >>= kept));
  CHECK(kept == "token");
}

TEST_CASE("a thread that ends has no trace after the end of its variables") {
  struct Late {
    std::optional<TraceScope> scope;
    bool* has_trace = nullptr;
    ~Late() { *has_trace = current_trace().has_value(); }
  };
  bool has_trace = true;
  std::thread([&has_trace] {
    thread_local Late late;  // destroyed after the slots, because it is made before them
    late.has_trace = &has_trace;
    late.scope.emplace(new_trace());
    CHECK(current_trace().has_value());
  }).join();
  CHECK(!has_trace);
}

TEST_CASE("the service context is an encapsulation of two strings, in both byte orders") {
  const std::vector<std::uint8_t> wire = encode(example, "a=b");
  CHECK(wire.size() == 4 + 4 + 56 + 4 + 4);
  const auto trace = decode(wire);
  REQUIRE(trace.has_value());
  CHECK(to_traceparent(*trace) == example);
  CHECK(trace->state == "a=b");
  CHECK(decode(interceptors::encode_trace_context(*trace)) == trace);
}

TEST_CASE("a malformed service context is ignored, and a bad state is dropped") {
  const std::vector<std::uint8_t> wire = encode(example, "a=b");
  for (std::size_t size = 0; size < 64; ++size)
    CHECK(!decode({wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(size)}).has_value());
  CHECK(!decode(std::vector<std::uint8_t>(64, 0xff)).has_value());
  CHECK(!decode(encode("no trace", "")).has_value());
  for (const std::string& state : {std::string("a\nb"), std::string(513, 'x'), std::string("\xff")})
    CHECK(decode(encode(example, state))->state.empty());
  CHECK(decode(encode(example, std::string(512, 'x')))->state.size() == 512);
  for (auto octets :
       {std::vector<std::uint8_t>{}, std::vector<std::uint8_t>{1, 2, 3}, encode("00-x", "")}) {
    TraceOrbs orbs("pass", sending(octets));
    std::optional<Trace> seen = new_trace();
    const TraceScope scope(new_trace());
    CHECK(orbs.recorder(seen)->twice(1) == 1);
    CHECK(!seen.has_value());
  }
}

TEST_CASE("a servant sees the trace of its caller, and the thread has none afterwards") {
  TraceOrbs orbs;
  std::optional<Trace> seen;
  const auto clerk = orbs.recorder(seen);
  clerk->twice(1);
  CHECK(!seen.has_value());
  {
    Trace mine = new_trace();
    mine.state = "vendor=1";
    const TraceScope scope(mine);
    clerk->twice(1);
    REQUIRE(seen.has_value());
    CHECK(seen->trace_id == mine.trace_id);
    CHECK(seen->state == "vendor=1");
    CHECK(seen->parent_id != mine.span_id);  // the span of the call is between them
    CHECK(current_trace() == mine);
  }
  CHECK(!current_trace().has_value());
  clerk->twice(1);
  CHECK(!seen.has_value());
}

TEST_CASE("without the option a call carries no trace") {
  DeskOrbs orbs;
  std::optional<Trace> seen = new_trace();
  const auto clerk = orbs.serve(
      CORBA::make_reference<TraceClerk>([&seen](std::int32_t) -> perigee::task<std::int32_t> {
        seen = current_trace();
        co_return 0;
      }));
  const TraceScope scope(new_trace());
  clerk->twice(1);
  CHECK(!seen.has_value());
}

TEST_CASE("with `start`, each call outside of a trace starts one") {
  TraceOrbs orbs("start");
  std::optional<Trace> seen;
  const auto clerk = orbs.recorder(seen);
  clerk->twice(1);
  REQUIRE(seen.has_value());
  const auto first = seen->trace_id;
  clerk->twice(1);
  REQUIRE(seen.has_value());
  CHECK(seen->trace_id != first);
  CHECK(!current_trace().has_value());
}

TEST_CASE("all tries of a call belong to the trace that its first try started") {
  std::vector<std::string> sent;
  const auto keep = [&sent](const ClientInfoRef& info) {
    const auto context = info->get_request_service_context(interceptors::context_trace);
    sent.push_back(to_traceparent(*decode(context.context_data())));
  };
  CORBA::object_reference<CORBA::Object> target;
  bool forwards = true;
  TraceOrbs orbs("start", {.clients = {{{"send_request", keep}}},
                           .servers = {{{"receive_request", [&](const ServerInfoRef&) {
                                           if (std::exchange(forwards, false))
                                             throw PortableInterceptor::ForwardRequest(target);
                                         }}}}});
  std::optional<Trace> seen;
  target = orbs.server->string_to_object(orbs.client->object_to_string(orbs.recorder(seen)));
  CHECK(orbs.clerk->twice(1) == 1);
  REQUIRE(seen.has_value());
  REQUIRE(sent.size() == 2);
  CHECK(parse_traceparent(sent[0])->trace_id == seen->trace_id);
  CHECK(parse_traceparent(sent[1])->trace_id == seen->trace_id);
  CHECK(parse_traceparent(sent[1])->span_id == seen->parent_id);
  CHECK(sent[0] != sent[1]);
  target.reset();
}

TEST_CASE("a middle tier of coroutines keeps the trace, on whichever thread it continues") {
  TraceOrbs orbs;
  std::optional<Trace> seen;
  const auto inner = orbs.behind(orbs.recorder(seen));
  perigee::completion<> go_on;
  std::atomic<bool> waits{false};
  std::optional<Trace> of_middle;
  const auto middle = orbs.serve(
      CORBA::make_reference<TraceClerk>([&](std::int32_t) -> perigee::task<std::int32_t> {
        waits = true;
        waits.notify_all();
        co_await go_on;
        of_middle = current_trace();
        co_return co_await inner->_async().twice(3);
      }));
  const Trace mine = new_trace();
  {
    const RunningOrb running(orbs.server);  // drives the calls of the server
    const TraceScope scope(mine);
    auto called = middle->_async().twice(1);
    waits.wait(false);
    std::thread([&] { go_on.complete(); }).join();
    CHECK(called.get() == 3);
  }
  REQUIRE(of_middle.has_value());
  REQUIRE(seen.has_value());
  CHECK(of_middle->trace_id == mine.trace_id);
  CHECK(seen->trace_id == mine.trace_id);
  CHECK(seen->span_id != of_middle->span_id);
}

/// Keeps the result of a call of `twice`, and the trace of the handler's thread.
class TwiceHandler final : public CORBA::amic_traits<Desk::Clerk>::replyhandler_base_type {
 public:
  explicit TwiceHandler(Trace trace) : trace_(std::move(trace)) {}
  void twice(std::int32_t value) override {
    const TraceScope scope(trace_);
    inside = current_trace();
    result = value;
    result.notify_all();
  }
  void twice_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type /*holder*/) override {
    result = -1;
  }
  std::optional<Trace> inside;  // read after `result` has changed
  std::atomic<std::int32_t> result{0};

 private:
  const Trace trace_;
};

TEST_CASE("an asynchronous call with a reply handler carries the trace of its caller") {
  TraceOrbs orbs;
  std::optional<Trace> seen;
  const auto clerk = orbs.recorder(seen);
  const Trace mine = new_trace();
  const TraceScope scope(mine);
  const auto handler = CORBA::make_reference<TwiceHandler>(mine);
  CORBA::amic_traits<Desk::Clerk>::narrow(clerk)->sendc_twice(handler, 5);
  while (handler->result == 0) orbs.client->perform_work(std::chrono::seconds(1));
  REQUIRE(seen.has_value());
  CHECK(seen->trace_id == mine.trace_id);
  CHECK(handler->inside == mine);
}

TEST_CASE("lines of the log contain the trace of their thread") {
  TraceOrbs orbs;
  TraceLines lines;
  const auto clerk = orbs.serve(
      CORBA::make_reference<TraceClerk>([](std::int32_t value) -> perigee::task<std::int32_t> {
        log::write(log::Level::warning, "test", "served");
        co_return value;
      }));
  Trace mine = *parse_traceparent(example);
  {
    const TraceScope scope(mine);
    log::write(log::Level::warning, "test", "here");
    CHECK(lines.last() == "here [trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7]");
    clerk->twice(1);
    CHECK(lines.last().starts_with("served [trace 4bf92f3577b34da6a3ce929d0e0e4736 span "));
    CHECK(!lines.last().ends_with(" 00f067aa0ba902b7]"));
  }
  log::write(log::Level::warning, "test", "outside");
  CHECK(lines.last() == "outside");
}

}  // namespace perigee::test
