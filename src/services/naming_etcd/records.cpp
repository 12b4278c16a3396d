// Writes and reads values.
#include "services/naming_etcd/records.h"

#include <algorithm>
#include <limits>

namespace perigee::naming::etcd {

namespace {

// Begins the value of the key "store", so that keys of other programs are recognised.
constexpr std::string_view store_tag = "perigee-names ";

void append(std::string& value, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8)
    value += static_cast<char>(static_cast<std::uint8_t>(number >> shift));
}

std::string begin_value() { return std::string(1, static_cast<char>(format_version)); }

/// Takes parts from the front of a value. After a part that the value does not have, `is_good` is
/// false, and further parts are zero.
class ValueReader {
 public:
  explicit ValueReader(std::string_view value) : rest_(value) {
    is_good_ = octet() == format_version;
  }

  std::uint8_t octet() {
    const std::string_view taken = take(1);
    return taken.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(taken.front());
  }
  std::uint64_t number() {
    std::uint64_t number = 0;
    for (const char octet : take(8)) number = number << 8U | static_cast<std::uint8_t>(octet);
    return number;
  }
  Mark mark() {
    Mark mark{};
    std::ranges::copy(take(mark.size()), mark.begin());
    return mark;
  }
  std::string_view rest() { return take(rest_.size()); }
  [[nodiscard]] bool ends_well() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    if (!is_good_ || rest_.size() < size) {
      is_good_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

bool is_valid(const Target& target, std::uint64_t expires) {
  if (expires > static_cast<std::uint64_t>(std::numeric_limits<WallTime>::max())) return false;
  if (target.kind == TargetKind::own_context)
    return target.context >= root_context && target.reference.empty();
  return target.context == 0;
}

}  // namespace

std::string encode(const BindingRecord& record) {
  std::string value = begin_value();
  value += static_cast<char>(record.target.kind);
  value.append(record.mark.data(), record.mark.size());
  append(value, static_cast<std::uint64_t>(record.expires));
  append(value, record.target.context);
  return value + record.target.reference;
}

std::string encode(const ContextRecord& record) {
  return begin_value().append(record.mark.data(), record.mark.size());
}

std::string encode(const LastRecord& record) {
  std::string value = begin_value();
  append(value, record.number);
  append(value, record.contexts);
  return value;
}

std::string encode(const StoreRecord& record) {
  std::string value = std::string(store_tag) + begin_value();
  append(value, record.identity);
  return value;
}

std::optional<BindingRecord> decode_binding(std::string_view value) {
  ValueReader reader(value);
  const std::uint8_t kind = reader.octet();
  if (kind > static_cast<std::uint8_t>(TargetKind::own_context)) return std::nullopt;
  BindingRecord record;
  record.target.kind = static_cast<TargetKind>(kind);
  record.mark = reader.mark();
  const std::uint64_t expires = reader.number();
  record.expires = static_cast<WallTime>(expires);
  record.target.context = reader.number();
  record.target.reference = reader.rest();
  if (!reader.ends_well() || !is_valid(record.target, expires)) return std::nullopt;
  return record;
}

std::optional<ContextRecord> decode_context(std::string_view value) {
  ValueReader reader(value);
  const ContextRecord record{reader.mark()};
  if (!reader.ends_well()) return std::nullopt;
  return record;
}

std::optional<LastRecord> decode_last(std::string_view value) {
  ValueReader reader(value);
  LastRecord record;
  record.number = reader.number();
  record.contexts = reader.number();
  if (!reader.ends_well() || record.number < root_context || record.contexts == 0 ||
      record.contexts > record.number)
    return std::nullopt;
  return record;
}

std::expected<StoreRecord, StoreError> decode_store(std::string_view value) {
  const bool is_store = value.starts_with(store_tag);
  if (is_store) value.remove_prefix(store_tag.size());
  if (is_store && !value.empty() && static_cast<std::uint8_t>(value.front()) > format_version)
    return std::unexpected(StoreError{
        StoreError::Kind::newer,
        "a later version of Perigee has written the names; use a later version of Perigee"});
  ValueReader reader(value);
  const StoreRecord record{reader.number()};
  if (!is_store || !reader.ends_well())
    return std::unexpected(StoreError{StoreError::Kind::corrupt,
                                      "not the names of a naming service; choose another prefix"});
  return record;
}

}  // namespace perigee::naming::etcd
