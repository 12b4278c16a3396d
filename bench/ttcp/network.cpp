// ttcp across two machines. The transmitting machine sends requests to the receiving machine over a
// TCP connection. Each request and each answer is a line:
//   start QUEUE VERSION   -> ref REFERENCE, error TEXT, or none: the version is missing there
//   cpu NUMBER            -> ns NANOSECONDS: CPU time of a receiver; the first has number 0
//   stop                  -> ok: all receivers have ended
#include "harness/process.h"
#include "ttcp.h"
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>

#include <CLI/Error.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace perigee::bench {
namespace {

constexpr std::size_t line_size_max = 64 * 1024;  // references are shorter
constexpr std::chrono::seconds first_line_limit(5);

using Clock = std::chrono::steady_clock;

template <typename T>
T value_of(ipc::Result<T> result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message());
  return *std::move(result);
}

/// A connection that carries lines of text.
class Lines {
 public:
  explicit Lines(ipc::sock::Stream stream) : stream_(std::move(stream)) {}

  void write(const std::string& line) {
    const std::string text = line + '\n';
    (void)value_of(stream_.send_n(std::as_bytes(std::span(text))), "the other machine");
  }
  /// False at the end of the stream.
  bool read(std::string& line, const std::optional<Clock::time_point>& deadline = {}) {
    while (pending_.find('\n') == std::string::npos) {
      if (pending_.size() > line_size_max)
        throw std::runtime_error("the peer is not perigee bench ttcp");
      char chunk[4096];
      const ipc::TimeLimit limit =
          deadline ? ipc::TimeLimit(*deadline - Clock::now()) : ipc::forever;
      const auto received = value_of(stream_.recv(std::as_writable_bytes(std::span(chunk)), limit),
                                     "the other machine");
      if (received.end_of_stream()) return false;
      pending_.append(chunk, received.count());
    }
    const std::size_t end = pending_.find('\n');
    line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    return true;
  }
  /// Sends a request, and returns the first word of the answer and the rest.
  std::pair<std::string, std::string> ask(const std::string& request) {
    write(request);
    std::string answer;
    if (!read(answer)) throw std::runtime_error("the receiving machine has ended the session");
    const std::size_t space = std::min(answer.find(' '), answer.size());
    return {answer.substr(0, space), answer.substr(std::min(space + 1, answer.size()))};
  }
  [[nodiscard]] const ipc::sock::Stream& stream() const { return stream_; }

 private:
  ipc::sock::Stream stream_;
  std::string pending_;
};

/// One session on the receiving machine. The receivers of a session end with the session.
class Session {
 public:
  /// Increments `requests` for each request that starts or stops receivers. `record` gets the
  /// receivers.
  Session(ipc::sock::Stream stream, const std::vector<TtcpVersion>& versions, std::size_t& requests,
          TtcpSession& record)
      : lines_(std::move(stream)), versions_(versions), requests_(requests), record_(record) {
    address_ = value_of(lines_.stream().local_address(), "address").unmapped().host();
  }

  ~Session() { end_receivers(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Only the first request has a deadline: a peer that is silent at first is not a transmitter.
  /// Later, a transmitter may be busy for a long time.
  void serve() {
    std::optional<Clock::time_point> deadline = Clock::now() + first_line_limit;
    for (std::string line; lines_.read(line, deadline); deadline.reset()) {
      std::istringstream words(line);
      std::string request;
      words >> request;
      try {
        lines_.write(answer(request, words));
      } catch (const std::exception& failure) {
        lines_.write(std::string("error ") + failure.what());
      }
    }
  }

 private:
  std::string answer(const std::string& request, std::istringstream& words) {
    if (request == "start") return start(words);
    if (request == "cpu") {
      std::size_t number = 0;
      words >> number;
      return "ns " + std::to_string(receivers_.at(number)->cpu_time().count());
    }
    if (request != "stop") return "error no such request: " + request;
    ++requests_;
    end_receivers();
    return "ok";
  }

  // The running receivers have the last elements of `record_.receivers`.
  void end_receivers() {
    const std::size_t ended = record_.receivers.size() - receivers_.size();
    for (std::size_t index = 0; index < receivers_.size(); ++index)
      record_.receivers[ended + index].cpu_time = cpu_time_of(*receivers_[index]);
    receivers_.clear();
  }
  // A receiver that has ended early has no CPU clock.
  static std::chrono::nanoseconds cpu_time_of(TtcpReceiver& receiver) {
    try {
      return receiver.cpu_time();
    } catch (const std::runtime_error& failure) {
      std::cerr << "perigee bench ttcp: " << failure.what() << '\n';
      return {};
    }
  }

  // Receivers listen at the address of the session's own connection, because clients can reach it.
  std::string start(std::istringstream& words) {
    std::size_t queue_size = 0;
    std::string name;
    words >> queue_size >> std::ws;
    std::getline(words, name);
    const auto version = std::ranges::find(versions_, name, &TtcpVersion::name);
    if (version == versions_.end()) return "none";
    ++requests_;
    receivers_.push_back(start_receiver(*version, {address_, queue_size, -1}));
    record_.receivers.push_back({name, queue_size, {}});
    return "ref " + receivers_.back()->reference();
  }

  Lines lines_;
  const std::vector<TtcpVersion>& versions_;
  std::size_t& requests_;
  TtcpSession& record_;
  std::string address_;
  std::vector<std::unique_ptr<TtcpReceiver>> receivers_;
};

class RemoteReceiver final : public TtcpReceiver {
 public:
  RemoteReceiver(Lines& lines, std::size_t number, std::string reference)
      : lines_(lines), number_(number), reference_(std::move(reference)) {}

  [[nodiscard]] std::string reference() const override { return reference_; }
  [[nodiscard]] std::chrono::nanoseconds cpu_time() override {
    const auto [kind, text] = lines_.ask("cpu " + std::to_string(number_));
    if (kind != "ns") throw std::runtime_error("the receiving machine: " + text);
    return std::chrono::nanoseconds(std::stoll(text));
  }

 private:
  Lines& lines_;
  std::size_t number_;
  std::string reference_;
};

Lines connect(const std::string& host, std::uint16_t port) {
  const std::string place = host + " port " + std::to_string(port);
  const auto addresses = value_of(ipc::resolve(host, port), place);
  auto stream =
      ipc::sock::Connector::connect(addresses.front(), std::chrono::seconds(10), ipc::NoDelay{});
  for (std::size_t index = 1; !stream && index < addresses.size(); ++index)
    stream =
        ipc::sock::Connector::connect(addresses[index], std::chrono::seconds(10), ipc::NoDelay{});
  return Lines(value_of(std::move(stream), place));
}

ipc::sock::Acceptor listen(std::uint16_t port) {
  auto acceptor = ipc::sock::Acceptor::open(ipc::InetAddr::any_v6(port), ipc::ReuseAddress{},
                                            ipc::V6Only{false});
  if (!acceptor && acceptor.error() != std::errc::address_in_use)  // a host without IPv6
    acceptor = ipc::sock::Acceptor::open(ipc::InetAddr::any(port), ipc::ReuseAddress{});
  return value_of(std::move(acceptor), "listen at port " + std::to_string(port));
}

// A failure of a peer ends only the session of this peer. Returns false if the peer never started
// or stopped a receiver: it may be a port scanner.
bool serve_one(ipc::sock::Stream stream, const std::vector<TtcpVersion>& versions,
               TtcpSession& record, std::ostream& log) {
  const auto peer = stream.peer_address();
  record.peer = peer ? peer->unmapped().host() : "a peer that has disconnected";
  (void)stream.set(ipc::NoDelay{});
  (void)stream.set(ipc::KeepAlive{});  // otherwise its session might never end
  std::size_t requests = 0;
  try {
    Session session(std::move(stream), versions, requests, record);
    session.serve();
    log << "a session with " << record.peer << " has ended" << std::endl;
  } catch (const std::exception& failure) {
    record.error = failure.what();
    std::cerr << "perigee bench ttcp: " << record.peer << ": " << record.error << '\n';
  }
  return requests > 0;
}

}  // namespace

void serve_ttcp(const TtcpService& service,
                const std::function<void(const TtcpServed&)>& after_session) {
  const std::vector<TtcpVersion> versions = ttcp_versions(service.omniorb_program);
  std::ostream& log = service.logs_to_error ? std::cerr : std::cout;
  auto acceptor = listen(service.port);
  TtcpServed served{value_of(acceptor.local_address(), "address").port(), {}};
  log << "receiving at port " << served.port << std::endl;
  bool is_served = false;
  do {
    TtcpSession session;
    is_served = serve_one(value_of(acceptor.accept(), "accept"), versions, session, log);
    if (!is_served) continue;
    constexpr std::size_t sessions_max = 1000;  // of the report
    if (served.sessions.size() == sessions_max) served.sessions.erase(served.sessions.begin());
    served.sessions.push_back(std::move(session));
    after_session(served);
  } while (!service.once || !is_served);
}

TtcpReport run_ttcp(const TtcpOptions& options, const std::string& host, std::uint16_t port) {
  TtcpReport report{options, host, chosen_versions(options), {}};
  std::erase_if(report.versions,
                [](const TtcpVersion& version) { return version.group == TtcpGroup::local; });
  if (report.versions.empty())
    throw CLI::ValidationError(
        "none of these versions works between machines: use versions over TCP or UDP");
  Lines lines = connect(host, port);
  std::size_t started = 0;
  std::size_t queue_before = 0;
  run_ttcp(
      report,
      [&](const TtcpVersion& version, std::size_t queue_size) -> std::unique_ptr<TtcpReceiver> {
        if (started > 0 && queue_size != queue_before) {
          (void)lines.ask("stop");
          started = 0;
        }
        queue_before = queue_size;
        const auto [kind, text] =
            lines.ask("start " + std::to_string(queue_size) + ' ' + version.name);
        if (kind == "none") return nullptr;
        if (kind != "ref") throw std::runtime_error(host + ": " + version.name + ": " + text);
        return std::make_unique<RemoteReceiver>(lines, started++, text);
      });
  return report;
}

}  // namespace perigee::bench
