// The service contexts that interceptors read and add.
#pragma once

#include <perigee/iop/ior.h>
#include <perigee/orb/iop_types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace perigee::interceptors {

[[nodiscard]] OctetSpan octets_of(const std::vector<std::uint8_t>& data) noexcept;

/// Contexts with octets of their own, at most one for each id.
class Contexts {
 public:
  void assign(std::span<const iop::ServiceContext> contexts);
  void assign(const IOP::ServiceContextList& contexts) { contexts_ = contexts; }
  void clear() noexcept { contexts_.clear(); }
  /// Null if there is none with this id. Valid until a context is added.
  [[nodiscard]] const IOP::ServiceContext* find(IOP::ServiceId id) const noexcept;
  /// Raises BAD_PARAM, OMG minor 26, if there is none with this id.
  [[nodiscard]] IOP::ServiceContext get(IOP::ServiceId id) const;
  /// Raises BAD_INV_ORDER, OMG minor 15, if there is one with the id and `replace` is false.
  void add(const IOP::ServiceContext& context, bool replace);
  /// `others`, followed by the contexts of this object. Valid until the next call of a function.
  [[nodiscard]] std::span<const iop::ServiceContext> after(
      std::span<const iop::ServiceContext> others);

 private:
  IOP::ServiceContextList contexts_;
  std::vector<iop::ServiceContext> joined_;
};

}  // namespace perigee::interceptors
