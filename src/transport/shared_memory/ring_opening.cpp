// The rendezvous of two peers at their rings: the server gets the memory of the client, checks it,
// and answers.
#include "transport/shared_memory/ring_transport.h"
#include <perigee/base/log.h>
#include <perigee/ipc/io.h>
#include <perigee/ipc/io_local.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

namespace perigee::transport::shared_memory {
namespace {

ipc::TimeLimit limit_of(Wait wait) noexcept {
  return wait == Wait::yes ? ipc::forever : ipc::no_wait;
}

/// EAGAIN from a call that may wait: the time-out of the socket has passed.
IoResult stopped(int error, Wait wait) noexcept {
  if (error != EAGAIN) return {0, IoStatus::failed, error};
  return {0, wait == Wait::yes ? IoStatus::timed_out : IoStatus::would_block, 0};
}

constexpr IoResult protocol_error{0, IoStatus::failed, EPROTO};

}  // namespace

IoResult RingTransport::open(Wait wait) {
  if (!rings_) return answer_hello(wait);
  if (!said_hello_)
    if (const IoResult said = say_hello(wait); !said.ok()) return said;
  return read_answer(wait);
}

Wants RingTransport::wants(Step step) const noexcept {
  if (step == Step::open) return open_wants_;
  return step == Step::receive ? Wants::to_read : Wants::to_write;
}

IoResult RingTransport::say_hello(Wait wait) {
  Hello hello;
  hello.ring_size = rings_->from_client().size;
  std::array<int, Hello::handles_max> handles{memory_.get()};
  if (links_ != nullptr && links_->prepare()) {
    hello.trusts = 1;
    std::ranges::copy(links_->handles(), handles.begin() + 1);
  }
  const std::size_t count = hello.trusts == 0 ? 1 : handles.size();
  const auto sent = ipc::io::send_handles(readiness_fd(), std::as_bytes(std::span(&hello, 1)),
                                          {handles.data(), count}, limit_of(wait));
  open_wants_ = Wants::to_write;
  if (sent.error != 0) return stopped(sent.error, wait);
  if (sent.count != sizeof(hello)) return protocol_error;
  said_hello_ = true;
  memory_.close();
  if (links_ != nullptr) links_->close_passed();
  open_wants_ = Wants::to_read;
  return {};
}

IoResult RingTransport::read_answer(Wait wait) {
  std::byte answer{};
  const auto received = ipc::io::recv(readiness_fd(), {&answer, 1}, limit_of(wait));
  // A server that closes the connection without reading the hello causes a reset.
  if (received.error == ECONNRESET || (received.error == 0 && received.count == 0))
    return refused("the server does not accept shared memory");
  if (received.error != 0) return stopped(received.error, wait);
  switch (static_cast<Answer>(answer)) {
    case Answer::accepted:
      if (links_ != nullptr) links_->end();
      break;
    case Answer::trusted:
      if (links_ == nullptr || !links_->prepared()) return protocol_error;
      links_->begin(rings_->words(), rings_->holds());
      break;
    case Answer::full:
      return refused("the server has -ORBSharedMemoryConnectionsMax connections already");
    case Answer::refused:
    default:
      return refused("the server cannot use the shared memory");
  }
  use(rings_->from_client(), rings_->from_server());
  return {};
}

// The client sends the hello with one system call, so it arrives whole.
IoResult RingTransport::answer_hello(Wait wait) {
  Hello hello;
  std::array<ipc::Handle, Hello::handles_max> handles;
  const auto received = ipc::io::recv_handles(
      readiness_fd(), std::as_writable_bytes(std::span(&hello, 1)), handles, limit_of(wait));
  // EMFILE: this process can have no more handles. EMSGSIZE: the client has sent many handles.
  if (received.error == EMFILE || received.error == EMSGSIZE)
    return refuse_hello("the client's shared memory: " +
                        std::system_category().message(received.error));
  if (received.error != 0) return stopped(received.error, wait);
  if (received.is_end) return {0, IoStatus::end_of_stream, 0};
  if (received.count != sizeof(hello) || hello.magic != Hello::expected_magic ||
      received.handle_count != (hello.trusts == 0 ? 1U : handles.size()))
    return refuse_hello("the client did not begin with shared memory");
  return take_hello(hello, std::span(handles).first(received.handle_count));
}

IoResult RingTransport::take_hello(const Hello& hello, std::span<ipc::Handle> handles) {
  share_ = RingQuota::take(quota_);
  if (!share_)
    return refuse_hello("there are -ORBSharedMemoryConnectionsMax connections already",
                        Answer::full);
  auto rings = Rings::accept(handles.front().get(), hello.ring_size);
  if (!rings) return refuse_hello("the client's shared memory: " + rings.error().message());
  rings_ = std::move(*rings);
  const IoResult result = accept_hello(handles.subspan(1));
  if (result.ok())
    use(rings_->from_server(), rings_->from_client());
  else
    rings_.reset();
  return result;
}

// `of_links`: the handles of a client that trusts this server; empty if it does not.
IoResult RingTransport::accept_hello(std::span<ipc::Handle> of_links) {
  Answer answer = Answer::accepted;
  if (!of_links.empty() && links_ != nullptr) {
    const auto accepted =
        links_->accept(of_links.first<RingLinks::handle_count>(), rings_->words(), rings_->holds());
    if (accepted)
      answer = Answer::trusted;
    else
      log::write(
          log::Level::info, "orb",
          peer_ + ": its arguments in shared buffers are copied: " + accepted.error().message());
  }
  const auto octet = static_cast<std::byte>(answer);
  const auto sent = ipc::io::send(readiness_fd(), {&octet, 1}, ipc::no_wait);
  return sent.error == 0 ? IoResult{} : IoResult{0, IoStatus::failed, sent.error};
}

// It does no harm if the answer does not arrive: the connection ends.
IoResult RingTransport::refuse_hello(std::string why, Answer with) {
  const auto answer = static_cast<std::byte>(with);
  (void)ipc::io::send(readiness_fd(), {&answer, 1}, ipc::no_wait);
  return refused(std::move(why));
}

IoResult RingTransport::refused(std::string why) {
  refusal_ = {IoErrorKind::unsupported, std::move(why)};
  return protocol_error;
}

// The socket must have room for all octets that wake the peer, also where the system's default is
// small. A failure to set the size is ignored.
void RingTransport::use(const Ring& outgoing, const Ring& incoming) noexcept {
  constexpr std::int64_t send_buffer_size = 100'000;
  (void)ipc::io::set_option(readiness_fd(), ipc::io::OptionName::send_buffer, send_buffer_size);
  sender_ = RingSender(outgoing);
  receiver_ = RingReceiver(incoming);
  opened_.store(true);
}

}  // namespace perigee::transport::shared_memory
