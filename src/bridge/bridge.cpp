// Puts the parts of a bridge together, and ends them one after the other.
#include "bridge/bridge_handler.h"
#include "bridge/context.h"
#include "bridge/memory_watch.h"
#include "bridge/references.h"
#include "engine/client/connects.h"
#include "engine/connection/traffic.h"
#include "engine/loops/context.h"
#include "engine/loops/thread_plan.h"
#include "engine/server/server.h"
#include "event/cpus.h"
#include "event/ending_signals.h"
#include "event/thread.h"
#include <perigee/base/clock.h>
#include <perigee/base/log.h>
#include <perigee/bridge/bridge.h>
#include <perigee/event/signal.h>
#include <perigee/giop/giop.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

namespace perigee::bridge {

using transport::Endpoint;

namespace {

constexpr std::uint32_t requests_max = 65'536;       // requests in progress in the bridge
constexpr std::size_t parked_size_max = 128u << 20;  // octets that wait for connections
constexpr std::uint32_t connecting_threads_max = 4;

engine::EngineSettings settings_of(const Options& options) noexcept {
  engine::EngineSettings settings;
  settings.server_connections_max = options.connections_max;
  settings.cpus = event::usable_cpus();
  settings.first_reply_timeout = {};  // clients have limits of their own
  return settings;
}

engine::ThreadPlan plan_of(const Options& options) noexcept {
  return engine::plan_of(engine::Preset::reactor_per_core,
                         {.threads = options.threads, .cpus = event::usable_cpus()});
}

std::unexpected<IoError> error(IoErrorKind kind, IoOperation operation, std::string text) {
  return std::unexpected(IoError{kind, operation, 0, std::move(text)});
}

/// Reads the files of all protocols again, for example certificates.
void reload(transport::ProtocolRegistry& protocols) noexcept try {
  const auto errors = protocols.reload();
  for (const IoError& each : errors)
    log::write(log::Level::error, "bridge", to_string(each) + "; the former contents stay in use");
  if (errors.empty())
    log::write(log::Level::warning, "bridge", "SIGHUP: the files of the protocols were read again");
} catch (const std::exception& exception) {  // no memory
  log::write(log::Level::error, "bridge", exception.what());
}

std::unexpected<IoError> unknown_scheme(const transport::ProtocolRegistry& protocols,
                                        IoOperation operation, const Endpoint& endpoint) {
  std::string text = to_string(endpoint) + " (there are:";
  for (const std::string& scheme : protocols.schemes()) text += ' ' + scheme + "://";
  return error(IoErrorKind::unsupported, operation, text + ")");
}

}  // namespace

/// The order of the members is the order in which they are made. The threads of `server` use the
/// members before it. The forwarders of `handler` use the loops of `server`, but `server` ends
/// before them. So `stop` calls `forget_loops`.
struct Bridge::Parts {
  struct Listening {
    transport::ProtocolFactory* protocol;
    std::unique_ptr<transport::Acceptor> acceptor;
    const messaging::MessagingProtocol* messages;
  };

  Parts(transport::ProtocolRegistry& protocols_in, Options options_in)
      : options(std::move(options_in)),
        protocols(protocols_in),
        giop(giop::make_giop(options.messages)),
        settings(settings_of(options)),
        requests(requests_max),
        parked(parked_size_max),
        engine{steady_clock(), settings, requests, parked},
        memory(steady_clock(), options.messages),
        connects(connecting_threads_max, steady_clock()),
        references(protocols_in),
        context{protocols, *giop, options, engine, to_targets, connects, references, gives_up},
        handler(context),
        server(engine, plan_of(options), handler, from_clients) {
    for (engine::TrafficLedger* const ledger : {&from_clients, &to_targets}) {
      ledger->unfinished = &memory.unfinished();
      ledger->storage = memory.storage();
    }
  }
  ~Parts() { stop(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  [[nodiscard]] std::expected<void, IoError> open();
  [[nodiscard]] std::expected<void, IoError> listen(const Endpoint& endpoint);
  [[nodiscard]] std::expected<void, IoError> choose_target();
  [[nodiscard]] std::expected<void, IoError> make_references();
  void accept();
  void stop() noexcept;
  void await_end() noexcept;

  const Options options;
  transport::ProtocolRegistry& protocols;
  const std::unique_ptr<messaging::MessagingProtocol> giop;
  const engine::EngineSettings settings;
  engine::RequestCount requests;
  engine::ParkedOctets parked;
  const engine::EngineContext engine;
  MemoryWatch memory;
  engine::TrafficLedger from_clients;
  engine::TrafficLedger to_targets;
  engine::Connects connects;
  References references;
  std::atomic<bool> gives_up{false};
  const BridgeContext context;
  std::vector<Listening> listening;
  std::vector<engine::ListenPoint> points;
  std::vector<iop::Ior> published;
  BridgeHandler handler;
  engine::Server server;

  std::mutex stop_mutex;  // guards the members below
  bool stopped = false;
};

std::expected<void, IoError> Bridge::Parts::listen(const Endpoint& endpoint) {
  transport::ProtocolFactory* const protocol = protocols.find(endpoint.scheme);
  if (protocol == nullptr) return unknown_scheme(protocols, IoOperation::listen, endpoint);
  auto acceptor = protocol->listen(endpoint);
  if (!acceptor) return std::unexpected(acceptor.error());
  const auto& messages = context.messages_of(endpoint.scheme);
  references.publish({protocol, acceptor->get(), messages.version_max()});
  listening.push_back({protocol, std::move(*acceptor), &messages});
  return {};
}

std::expected<void, IoError> Bridge::Parts::choose_target() {
  std::optional<Target> of_reference;
  for (const iop::Ior& ior : options.references) {
    auto found = references.target_of(ior);
    if (!found)
      return error(IoErrorKind::unsupported, IoOperation::connect,
                   "a reference (no protocol here finds an address in it)");
    if (!of_reference && (!options.target || found->endpoint == *options.target))
      of_reference = std::move(found);
  }
  if (!options.target && !of_reference)
    return error(IoErrorKind::unsupported, IoOperation::connect, "(no target was given)");
  Target target = of_reference ? *of_reference : Target{*options.target, options.target_version};
  target.reads_lite |= options.lite_to_target;
  if (protocols.connector(target.endpoint.scheme) == nullptr)
    return unknown_scheme(protocols, IoOperation::connect, target.endpoint);
  if (references.is_bridge(target.endpoint))
    return error(IoErrorKind::bad_address, IoOperation::connect,
                 to_string(target.endpoint) + " (the target is the bridge itself)");
  references.set_main_target(std::move(target));
  return {};
}

std::expected<void, IoError> Bridge::Parts::make_references() {
  for (const iop::Ior& ior : options.references) {
    auto made = references.rewrite_configured(ior);
    if (!made) return std::unexpected(made.error());
    published.push_back(std::move(*made));
  }
  return {};
}

std::expected<void, IoError> Bridge::Parts::open() {
  if (options.listen.empty())
    return error(IoErrorKind::unsupported, IoOperation::listen, "(no endpoint was given)");
  for (const Endpoint& endpoint : options.listen)
    if (auto opened = listen(endpoint); !opened) return opened;
  if (auto chosen = choose_target(); !chosen) return chosen;
  if (auto made = make_references(); !made) return made;
  if (auto started = server.start(); !started) return started;
  accept();
  return {};
}

void Bridge::Parts::accept() {
  points.reserve(listening.size());
  for (const Listening& each : listening) {
    const bool datagrams = each.protocol->carrier().shape == messaging::Shape::datagrams;
    points.push_back({*each.acceptor, *each.messages, datagrams});
    server.accept_at(points.back());
  }
}

// Requests in progress may take `stop_timeout`. Then the thread `limit` sets `gives_up` and stops
// the server again, which ends them.
void Bridge::Parts::await_end() noexcept {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  event::Thread limit;
  try {
    limit = event::Thread([&] {
      std::unique_lock lock(mutex);
      if (changed.wait_for(lock, options.stop_timeout, [&] { return ended; })) return;
      gives_up.store(true);
      server.stop(engine::Server::Completion::do_not_wait);
    });
  } catch (const std::system_error& no_thread) {  // requests in progress end at once
    log::write(log::Level::error, "bridge", no_thread.what());
    gives_up.store(true);
    server.stop(engine::Server::Completion::do_not_wait);
  }
  server.stop(engine::Server::Completion::wait);
  {
    const std::lock_guard lock(mutex);
    ended = true;
  }
  changed.notify_all();
  if (limit.joinable()) limit.join();
}

void Bridge::Parts::stop() noexcept {
  const std::lock_guard lock(stop_mutex);
  if (std::exchange(stopped, true)) return;
  server.stop(engine::Server::Completion::do_not_wait);
  await_end();
  connects.stop();
  handler.stop();
  server.finish_tasks();
  handler.forget_loops();
}

Bridge::Bridge(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}

Bridge::~Bridge() = default;

std::expected<std::unique_ptr<Bridge>, IoError> Bridge::start(
    transport::ProtocolRegistry& protocols, Options options) {
  auto parts = std::make_unique<Parts>(protocols, std::move(options));
  if (auto opened = parts->open(); !opened) return std::unexpected(opened.error());
  return std::unique_ptr<Bridge>(new Bridge(std::move(parts)));
}

std::vector<Endpoint> Bridge::listening() const {
  std::vector<Endpoint> endpoints;
  for (const Parts::Listening& each : parts_->listening)
    endpoints.push_back(each.acceptor->published());
  return endpoints;
}

const Endpoint& Bridge::target() const noexcept {
  return parts_->references.main_target().endpoint;
}

const std::vector<iop::Ior>& Bridge::references() const noexcept { return parts_->published; }

std::expected<void, IoError> Bridge::serve_until_signal(const std::function<void()>& ready) {
  using event::EndingSignals;
  const bool has_files = parts_->protocols.has_files();
  const EndingSignals signals(has_files ? event::HangUp::is_event : event::HangUp::by_application);
  const event::Signal never = event::Signal::make();
  if (!signals || !never) return error(IoErrorKind::limit, IoOperation::create, "a handle");
  if (ready) ready();
  while (signals.wait(never) == EndingSignals::Event::hang_up) reload(parts_->protocols);
  stop();
  return {};
}

void Bridge::stop() noexcept { parts_->stop(); }

}  // namespace perigee::bridge
