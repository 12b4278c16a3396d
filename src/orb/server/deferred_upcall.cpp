// Copies the operation and the key, since the message and the frame end with the upcall.
#include "orb/server/deferred_upcall.h"

#include "orb/connection/call_buffers.h"
#include "orb/core/orb_core.h"
#include <perigee/base/deadline.h>
#include <perigee/base/pool.h>

#include <algorithm>
#include <chrono>

namespace perigee::orb {

namespace {

// A request is stopped this long after its time limit. Calls that the servant makes for the request
// have the same time limit. Because of the margin, they mostly end first, with TIMEOUT.
constexpr std::chrono::milliseconds deferred_expiry_margin{20};

}  // namespace

ServerRequest* DeferredUpcall::make(OrbCore& core, const ServerRequest& upcall,
                                    engine::IncomingRequest& request, const LatencyTimer& timer,
                                    cdr::DecodedMemory&& decoded_memory) {
  void* const memory = pool::allocate(sizeof(DeferredUpcall));
  DeferredUpcall* made = nullptr;
  try {
    made = ::new (memory) DeferredUpcall(core, upcall, request, timer, std::move(decoded_memory));
  } catch (...) {
    pool::release(memory, sizeof(DeferredUpcall));
    throw;
  }
  if (made->time_limited()) made->watch_expiry();
  request.connection.defer(request, *made);
  return made;
}

DeferredUpcall::DeferredUpcall(OrbCore& core, const ServerRequest& upcall,
                               engine::IncomingRequest& request, const LatencyTimer& timer,
                               cdr::DecodedMemory&& decoded_memory)
    : ReplyingRequest(request.connection, request.id(), request.version()),
      DeferredRequest(request.id(), request.version(), request.response()),
      core_(core.shared_from_this()),
      timer_(timer),
      decoded_memory_(std::move(decoded_memory)) {
  const std::string_view operation = upcall.operation();
  const OctetSpan key = upcall.object_key();
  char* names = name_space_.data();
  if (operation.size() + key.size() > name_space_.size()) {
    long_names_ = std::make_unique_for_overwrite<char[]>(operation.size() + key.size());
    names = long_names_.get();
  }
  std::ranges::copy(operation, names);
  operation_ = {names, operation.size()};
  auto* const key_octets = reinterpret_cast<std::byte*>(names + operation.size());
  std::ranges::copy(key, key_octets);
  object_key_ = {key_octets, key.size()};
  copy_answering(upcall);
  request.connection.add_reference();
}

DeferredUpcall::~DeferredUpcall() { connection().drop_reference(); }

void DeferredUpcall::operator delete(DeferredUpcall* self, std::destroying_delete_t) {
  self->end();
  self->drop_reference();
}

void DeferredUpcall::begin_upcall() {
  send(messaging::ReplyStatus::no_exception, nullptr);
  response_expected_ = false;
}

void DeferredUpcall::drop_reference() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  this->~DeferredUpcall();
  pool::release(this, sizeof(DeferredUpcall));
}

void DeferredUpcall::end() noexcept {
  count(core_->metrics(), timer_);
  if (time_limited() && connection().home().loop().timers().cancel(expiry_)) drop_reference();
  connection().end_deferred(*this);
}

void DeferredUpcall::watch_expiry() noexcept {
  const Deadline deadline = Deadline::after(
      std::chrono::microseconds(remaining_time()) + deferred_expiry_margin, core_->clock().now());
  add_reference();
  (void)connection().home().loop().timers().arm(expiry_, deadline);
}

void DeferredUpcall::Expiry::fire(Timer& timer) noexcept {
  DeferredUpcall& request = static_cast<Expiry&>(timer).request_;
  request.connection().requests().stop(request);
  request.drop_reference();
}

void DeferredUpcall::stop() noexcept {
  CancellationNotice notice = cancellation_.cancel();
  notice.request_stop();
}

SentDetails DeferredUpcall::details() const noexcept { return core_->settings().sent_details; }

void DeferredUpcall::transmit(const messaging::ReplyHeader& header, ResultEncoder encode) {
  CallBuffer buffer;
  write(*buffer, header, encode, core_->settings().link_size_min);
  connection().send_deferred(*buffer);
}

}  // namespace perigee::orb
