// The memory transport: one mutex for the whole connection, since only tests use it.
#include "support/memory_transport.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace perigee::test {

using transport::Features;
using transport::Transport;
using transport::Wait;

namespace {

std::atomic<std::size_t> commits_of_all{0};

Features features_of(const PipeFaults& outgoing) {
  Features features;
  features.buffers = true;
  features.encodes_in_place = outgoing.encodes_in_place;
  return features;
}

}  // namespace

/// One end. It sends through `pipe_from(end_)`, and receives from the other pipe.
class MemoryTransport final : public Transport {
 public:
  MemoryTransport(std::shared_ptr<MemoryConnection> connection, End end)
      : Transport(features_of(connection->pipe_from(end).faults)),
        connection_(std::move(connection)),
        end_(end) {}
  ~MemoryTransport() override {
    const std::scoped_lock lock(connection_->mutex_);
    outgoing().closed = true;
    incoming().broken = true;
    connection_->changed();
  }

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override;
  MutableOctetSpan begin_direct(std::size_t hint) noexcept override;
  IoResult commit(std::size_t count) noexcept override;
  IoResult receive(MutableOctetSpan space, Wait wait) override;
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override {
    receive_timeout_ = timeout;
    return {};
  }
  IoResult set_send_timeout(std::chrono::microseconds timeout) override {
    send_timeout_ = timeout;
    return {};
  }
  void shutdown_send() noexcept override {
    const std::scoped_lock lock(connection_->mutex_);
    outgoing().closed = true;
    connection_->changed();
  }
  void interrupt() noexcept override {
    const std::scoped_lock lock(connection_->mutex_);
    connection_->interrupted_[static_cast<std::size_t>(end_)] = true;
    outgoing().closed = true;
    incoming().broken = true;
    connection_->changed();
  }
  [[nodiscard]] int readiness_fd() const noexcept override {
    return connection_->doorbells_[static_cast<std::size_t>(end_)].bell.handle();
  }
  // One ring may stand for several changes: octets, and the end after them.
  [[nodiscard]] bool buffered() const noexcept override {
    const std::scoped_lock lock(connection_->mutex_);
    const Pipe& pipe = connection_->pipe_from(other());
    return MemoryConnection::deliverable(pipe) != 0 || MemoryConnection::is_cut(pipe) ||
           pipe.closed || interrupted() || connection_->reset_code_ != 0;
  }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }
  // As if the ends were processes 1 and 2.
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override {
    return PeerIdentity{.process = other() == End::first ? 1 : 2};
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Pipe = MemoryConnection::Pipe;

  [[nodiscard]] End other() const { return end_ == End::first ? End::second : End::first; }
  [[nodiscard]] Pipe& outgoing() { return connection_->pipe_from(end_); }
  [[nodiscard]] Pipe& incoming() { return connection_->pipe_from(other()); }
  [[nodiscard]] bool interrupted() const {
    return connection_->interrupted_[static_cast<std::size_t>(end_)];
  }
  /// The errno with which sending fails now; 0 if it does not.
  [[nodiscard]] int send_error() {
    if (connection_->reset_code_ != 0) return connection_->reset_code_;
    return outgoing().broken || outgoing().closed ? EPIPE : 0;
  }
  /// Waits for a change; false if the time-out passed.
  bool wait_for_change(Lock& lock, std::chrono::microseconds timeout) {
    if (timeout.count() > 0) {
      return connection_->condition_.wait_for(lock, timeout) == std::cv_status::no_timeout;
    }
    connection_->condition_.wait(lock);
    return true;
  }
  std::size_t put(OctetSpan octets) {
    Pipe& pipe = outgoing();
    const std::size_t count = pipe.octets.append(octets);
    pipe.sent += count;
    if (count != 0) connection_->changed();
    return count;
  }

  std::shared_ptr<MemoryConnection> connection_;
  End end_;
  std::string peer_ = "memory://peer";
  std::chrono::microseconds receive_timeout_{0};
  std::chrono::microseconds send_timeout_{0};
  std::size_t lent_ = 0;  // octets that `begin_direct` has given
};

IoResult MemoryTransport::send(std::span<const OctetSpan> segments, Wait wait) {
  Lock lock(connection_->mutex_);
  if (lent_ != 0) std::abort();  // a mistake of the sender: the memory would be overwritten
  std::size_t total = 0;
  for (OctetSpan segment : segments) {
    while (!segment.empty()) {
      if (const int code = send_error()) return {total, IoStatus::failed, code};
      const std::size_t count = put(segment);
      segment = segment.subspan(count);
      total += count;
      if (segment.empty()) break;
      if (wait == Wait::no) {
        return {total, total != 0 ? IoStatus::ok : IoStatus::would_block, 0};
      }
      if (total != 0 && send_timeout_.count() > 0) return {total, IoStatus::ok, 0};
      if (!wait_for_change(lock, send_timeout_)) return {0, IoStatus::timed_out, 0};
    }
  }
  return {total, IoStatus::ok, 0};
}

MutableOctetSpan MemoryTransport::begin_direct(std::size_t hint) noexcept {
  const Lock lock(connection_->mutex_);
  const MutableOctetSpan place = outgoing().octets.place();
  if (place.size() < hint) return {};
  lent_ = place.size();
  return place;
}

IoResult MemoryTransport::commit(std::size_t count) noexcept {
  const Lock lock(connection_->mutex_);
  if (count > std::exchange(lent_, 0)) std::abort();  // a mistake of the sender
  if (count == 0) return {};
  if (const int code = send_error()) return {0, IoStatus::failed, code};
  commits_of_all.fetch_add(1);
  outgoing().octets.commit(count);
  outgoing().sent += count;
  connection_->changed();
  return {count, IoStatus::ok, 0};
}

IoResult MemoryTransport::receive(MutableOctetSpan space, Wait wait) {
  Lock lock(connection_->mutex_);
  MemoryConnection::silence(connection_->doorbells_[static_cast<std::size_t>(end_)]);
  for (;;) {
    Pipe& pipe = incoming();
    if (connection_->reset_code_ != 0) return {0, IoStatus::failed, connection_->reset_code_};
    if (interrupted()) return {0, IoStatus::end_of_stream, 0};
    const std::size_t count = std::min(space.size(), MemoryConnection::deliverable(pipe));
    if (count != 0) {
      pipe.octets.take(space.first(count));
      pipe.received += count;
      connection_->changed();
      return {count, IoStatus::ok, 0};
    }
    if (MemoryConnection::is_cut(pipe)) {
      const int code = pipe.faults.cut_code;
      return {0, code == 0 ? IoStatus::end_of_stream : IoStatus::failed, code};
    }
    if (pipe.closed && pipe.octets.empty()) return {0, IoStatus::end_of_stream, 0};
    if (wait == Wait::no) return {0, IoStatus::would_block, 0};
    if (!wait_for_change(lock, receive_timeout_)) return {0, IoStatus::timed_out, 0};
  }
}

MemoryConnection::MemoryConnection(const PipeFaults& from_first, const PipeFaults& from_second)
    : pipes_{Pipe(from_first), Pipe(from_second)} {
  for (auto& doorbell : doorbells_) {
    auto acceptor = ipc::lsock::Acceptor::open(ipc::UnixAddr{});
    if (!acceptor) throw std::runtime_error("no doorbell");
    auto button = ipc::lsock::Connector::connect(acceptor->local_address().value());
    auto bell = acceptor->accept();
    if (!button || !bell) throw std::runtime_error("no doorbell");
    doorbell = {std::move(*button), std::move(*bell)};
  }
}

void MemoryConnection::silence(Doorbell& doorbell) {
  std::array<std::byte, 512> rings;
  static_cast<void>(doorbell.bell.recv(MutableOctetSpan(rings), ipc::no_wait));
}

void MemoryConnection::changed() {
  condition_.notify_all();
  const std::byte ring{0};
  for (auto& doorbell : doorbells_) {
    if (doorbell.button.send(OctetSpan(&ring, 1), ipc::no_wait).has_value()) continue;
    // An end that only sends leaves its rings unread, and a reactor hears of new rings only.
    silence(doorbell);
    static_cast<void>(doorbell.button.send(OctetSpan(&ring, 1), ipc::no_wait));
  }
}

std::size_t MemoryConnection::deliverable(const Pipe& pipe) {
  if (pipe.held) return 0;
  const std::size_t until_cut = pipe.faults.cut_after.value_or(no_limit) - pipe.received;
  return std::min({pipe.octets.size(), pipe.faults.receive_size_max, until_cut});
}

bool MemoryConnection::is_cut(const Pipe& pipe) {
  return pipe.faults.cut_after && pipe.received >= *pipe.faults.cut_after;
}

void MemoryConnection::hold(End sender) {
  const std::scoped_lock lock(mutex_);
  pipe_from(sender).held = true;
}

void MemoryConnection::release(End sender) {
  const std::scoped_lock lock(mutex_);
  pipe_from(sender).held = false;
  changed();
}

void MemoryConnection::reset(int code) {
  const std::scoped_lock lock(mutex_);
  reset_code_ = code;
  changed();
}

std::size_t MemoryConnection::sent(End sender) {
  const std::scoped_lock lock(mutex_);
  return pipe_from(sender).sent;
}

std::size_t MemoryConnection::received(End sender) {
  const std::lock_guard lock(mutex_);
  return pipe_from(sender).received;
}

std::size_t MemoryConnection::commits() noexcept { return commits_of_all.load(); }

MemoryPair make_memory_pair(const PipeFaults& from_first, const PipeFaults& from_second) {
  auto connection = std::make_shared<MemoryConnection>(from_first, from_second);
  return {std::make_unique<MemoryTransport>(connection, End::first),
          std::make_unique<MemoryTransport>(connection, End::second), connection};
}

}  // namespace perigee::test
