// Accepts readers and drives them. One thread serves all readers.
#include "runtime/server/metrics_page.h"

#include "event/thread.h"
#include "runtime/server/metrics_answers.h"
#include "runtime/server/metrics_reader.h"
#include <perigee/base/deadline.h>
#include <perigee/base/log.h>
#include <perigee/event/reactor.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::runtime {

namespace {

// The pause after a failed accept: most likely, the process has no free handle.
constexpr auto accept_pause = std::chrono::milliseconds(100);

std::unexpected<IoError> failure(IoOperation operation, std::error_code code,
                                 const std::string& address) {
  return std::unexpected(
      IoError{IoErrorKind::system, operation, code.value(), "http://" + address});
}

/// The acceptor and the readers are handlers of one reactor, which the page's thread runs.
class HttpMetricsPage final : public MetricsPage, private event::EventHandler {
 public:
  HttpMetricsPage(ipc::sock::Acceptor acceptor, std::string address, MetricsAnswers answers,
                  std::unique_ptr<event::Reactor> reactor,
                  std::chrono::milliseconds time_per_reader)
      : acceptor_(std::move(acceptor)),
        address_(std::move(address)),
        answers_(std::move(answers)),
        reactor_(std::move(reactor)),
        time_per_reader_(time_per_reader),
        answer_([this](std::string_view request) { return answers_.answer(request); }) {
    readers_.reserve(metrics_readers_max);
  }
  ~HttpMetricsPage() override {
    if (!thread_.joinable()) return;
    ending_ = true;
    reactor_->stop();
    thread_.join();
  }
  [[nodiscard]] std::expected<void, IoError> begin() {
    if (auto added = reactor_->add(acceptor_.handle(), *this); !added) return added;
    thread_ = event::Thread([this] { serve(); });
    return {};
  }
  [[nodiscard]] const std::string& address() const noexcept override { return address_; }

 private:
  void serve() noexcept {
    while (!ending_) {
      reactor_->run_once(next_deadline());
      const TimePoint now = std::chrono::steady_clock::now();
      std::erase_if(readers_,
                    [now](const auto& reader) { return reader->over() || reader->end() <= now; });
      if (accept_again_.passed(now)) {
        accept_again_ = Deadline::never();
        reactor_->mark_ready(*this);
      }
    }
    readers_.clear();
    reactor_->remove(*this);
  }

  // The earliest time at which a reader's time is over, or the acceptor is tried again.
  [[nodiscard]] Deadline next_deadline() const noexcept {
    Deadline first = accept_again_;
    for (const auto& reader : readers_) first = std::min(first, Deadline::at(reader->end()));
    return first;
  }

  void handle_ready(event::Readiness /*readiness*/) noexcept override {
    for (;;) {
      auto stream = acceptor_.accept(ipc::no_wait);
      if (!stream && stream.error() == std::errc::operation_would_block) return;
      if (!stream) {
        log::write(log::Level::warning, "metrics", "accept: " + stream.error().message());
        accept_again_ = Deadline::after(accept_pause, std::chrono::steady_clock::now());
        return;
      }
      try {
        admit(std::move(*stream));
      } catch (const std::exception& exception) {  // bad_alloc: this reader gets nothing
        log::write(log::Level::warning, "metrics", exception.what());
      }
    }
  }

  void admit(ipc::sock::Stream stream) {
    if (readers_.size() == metrics_readers_max && !drop_idle_reader()) return;
    auto reader = std::make_unique<MetricsReader>(
        std::move(stream), std::chrono::steady_clock::now() + time_per_reader_, *reactor_, answer_);
    if (reader->begin()) readers_.push_back(std::move(reader));
  }

  // Makes room: drops the oldest reader that has ended or has not sent its request. Real collectors
  // send it at once. False: all readers have sent theirs.
  bool drop_idle_reader() noexcept {
    const auto idle = std::ranges::find_if(
        readers_, [](const auto& reader) { return reader->over() || !reader->has_asked(); });
    if (idle == readers_.end()) return false;
    readers_.erase(idle);
    return true;
  }

  ipc::sock::Acceptor acceptor_;
  const std::string address_;
  const MetricsAnswers answers_;
  const std::unique_ptr<event::Reactor> reactor_;
  const std::chrono::milliseconds time_per_reader_;
  const MetricsReader::Answer answer_;
  std::atomic<bool> ending_ = false;
  // Accessed by the page's thread only. The oldest reader comes first.
  std::vector<std::unique_ptr<MetricsReader>> readers_;
  Deadline accept_again_;  // after an accept that failed
  event::Thread thread_;
};

}  // namespace

std::expected<std::unique_ptr<MetricsPage>, IoError> make_metrics_page(
    const std::string& address, MetricsSource source, std::chrono::milliseconds time_per_reader,
    std::vector<std::string> hosts) {
  const auto parts = ipc::split_host_port(address);
  if (!parts || !parts->port)
    return std::unexpected(
        IoError{IoErrorKind::bad_address, IoOperation::listen, 0,
                "http://" + address + " (write <host>:<port>, or :<port> for all interfaces)"});
  ipc::Result<ipc::sock::Acceptor> acceptor;
  if (parts->host.empty()) {
    acceptor = ipc::sock::Acceptor::open(ipc::InetAddr::any_v6(*parts->port),
                                         ipc::ReuseAddress{true}, ipc::V6Only{false});
    if (!acceptor)  // a host without IPv6
      acceptor =
          ipc::sock::Acceptor::open(ipc::InetAddr::any(*parts->port), ipc::ReuseAddress{true});
  } else {
    const auto addresses = ipc::resolve(parts->host, *parts->port);
    if (!addresses) return failure(IoOperation::resolve, addresses.error(), address);
    acceptor = ipc::sock::Acceptor::open(addresses->front(), ipc::ReuseAddress{true});
  }
  if (!acceptor) return failure(IoOperation::listen, acceptor.error(), address);
  const auto bound = acceptor->local_address();
  if (!bound) return failure(IoOperation::listen, bound.error(), address);
  auto reactor = event::make_reactor();
  if (!reactor) return std::unexpected(reactor.error());
  if (!parts->host.empty()) hosts.emplace_back(parts->host);
  auto page = std::make_unique<HttpMetricsPage>(std::move(*acceptor), to_string(*bound),
                                                MetricsAnswers(std::move(source), std::move(hosts)),
                                                std::move(*reactor), time_per_reader);
  if (const auto begun = page->begin(); !begun) return std::unexpected(begun.error());
  return page;
}

}  // namespace perigee::runtime
