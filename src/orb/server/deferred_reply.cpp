// What has to be copied out of the upcall: the message and the thread's buffers stay behind.
#include "orb/server/deferred_reply.h"

#include "orb/core/orb_core.h"
#include "orb/server/conversation.h"
#include "orb/server/pending_reply.h"
#include <perigee/base/pool.h>

#include <algorithm>

namespace perigee::orb {

DeferredReply::DeferredReply(const PendingReply& upcall, Conversation& conversation,
                             messaging::Version version)
    : AdmittedRequest(conversation, nullptr, version, upcall.request_id()),
      core_(conversation.core().shared_from_this()),
      keeper_(conversation.host().share()),
      timer_(core_->metrics(), core_->metrics().request_latencies) {
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
}

DeferredReply::~DeferredReply() { conversation().end_deferred(*this, timer_); }

void* DeferredReply::operator new(std::size_t size) { return pool::allocate(size); }

void DeferredReply::operator delete(void* memory, std::size_t size) noexcept {
  pool::release(memory, size);
}

}  // namespace perigee::orb
