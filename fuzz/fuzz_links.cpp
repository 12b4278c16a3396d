// Gives any octets to an inbox that accepts links into the pool of a peer. Linked octets must be
// inside the pool, and the last link must be given back. Octets in pieces must give the same
// messages as the same octets at once.
#include "ipc/shared_memory.h"
#include "messages.h"
#include "transport/shared_memory/peer_pool.h"
#include <perigee/giop/giop.h>

#include <memory>
#include <optional>
#include <utility>

namespace perigee::fuzz {
namespace {

using namespace transport;
using namespace transport::shared_memory;

constexpr std::size_t pool_size = 4096;

/// The links of a receiver. The words have a page of their own.
class Links final : public SequenceLinks {
 public:
  Links() {
    const auto pool = ipc::make_readable_memory(pool_size).value();
    const auto words = ipc::make_shared_memory(sizeof(HoldWords)).value();
    memory_ = std::make_shared<const ipc::SharedMapping>(
        ipc::SharedMapping::map(words.get(), 0, sizeof(HoldWords), ipc::Access::read_and_write)
            .value());
    words_ = reinterpret_cast<HoldWords*>(memory_->data());
    pool_ = PeerPool::map(pool.handle.get(), pool_size, memory_, *words_, {}).value();
  }

  [[nodiscard]] std::optional<Link> lend(OctetSpan /*octets*/) noexcept override { return {}; }
  void note_queued(const Link& /*link*/, std::uint64_t /*position*/) noexcept override {}
  void take_back(const Link& /*link*/) noexcept override {}
  void take_back_queued(std::uint64_t /*position*/) noexcept override {}
  [[nodiscard]] LinkedOctets follow(const Link& link) override {
    LinkedOctets linked = pool_->follow(link);
    require(linked.octets.size() <= pool_size);
    require(linked.memory || linked.octets.empty());
    for (const std::byte octet : linked.octets) require(octet == std::byte{});
    if (linked.memory) last_ = link;
    return linked;
  }
  /// Called when no message is in use any longer.
  void check_given_back() const {
    if (last_) require(words_->given_back[last_->hold].load() == last_->generation);
  }

 private:
  std::shared_ptr<const ipc::SharedMapping> memory_;
  HoldWords* words_ = nullptr;
  std::shared_ptr<PeerPool> pool_;
  std::optional<Link> last_;
};

}  // namespace
}  // namespace perigee::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perigee::fuzz;
  static const auto protocol = perigee::giop::make_giop(small_limits);
  if (size < sizes_count) return 0;
  const perigee::OctetSpan input = std::as_bytes(std::span(data, size));
  const perigee::OctetSpan octets = input.subspan(sizes_count);
  Links links;
  const Outcome in_pieces =
      read(*protocol, octets, input.first(sizes_count), 1024, nullptr, &links);
  links.check_given_back();
  require(in_pieces == read(*protocol, octets, {}, 32 * 1024, nullptr, &links));
  links.check_given_back();
  return 0;
}
