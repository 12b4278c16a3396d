// Reads and writes the service contexts that a bridge understands.
#include "bridge/request_contexts.h"

#include "bridge/raw_body.h"
#include <perigee/iop/components.h>

namespace perigee::bridge {

namespace {

bool is_private(std::uint32_t id) noexcept {
  return id == iop::context_bi_dir_iiop || id == context_bridge || id == context_phase;
}

// std::nullopt for malformed data: the bridge passes the data on, and the target refuses it.
std::optional<Agreement> read_agreement(OctetSpan data) noexcept {
  const auto announced = iop::decode_code_set_context(data);
  if (!announced) return std::nullopt;
  return Agreement{announced->char_data} << 32 | announced->wchar_data;
}

}  // namespace

ReceivedContexts ReceivedContexts::of(std::span<const iop::ServiceContext> contexts) noexcept {
  ReceivedContexts found;
  for (const iop::ServiceContext& context : contexts) {
    if (context.id == iop::context_code_sets) found.agreement = read_agreement(context.data);
    if (context.id == context_bridge && !context.data.empty())
      found.bridges = std::to_integer<std::uint8_t>(context.data.front());
    found.has_private |= is_private(context.id);
  }
  return found;
}

void PassedContexts::copy_passing() {
  for (const iop::ServiceContext& context : received_)
    if (!is_private(context.id)) storage_.push_back(context);
}

void PassedContexts::add_bridges(std::uint8_t count) {
  bridges_[0] = std::byte{count};
  storage_.push_back({context_bridge, bridges_});
}

void PassedContexts::add_code_sets(Agreement agreement) {
  code_sets_ = iop::encode_code_set_context({static_cast<std::uint32_t>(agreement >> 32),
                                             static_cast<std::uint32_t>(agreement & 0xffffffff)});
  storage_.push_back({iop::context_code_sets, code_sets_});
}

}  // namespace perigee::bridge
