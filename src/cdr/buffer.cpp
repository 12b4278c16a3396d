// The slow parts of Buffer: growth, ownership, gathering.
#include <perigee/base/copy.h>
#include <perigee/cdr/buffer.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <new>

namespace perigee::cdr {

namespace {

constexpr std::size_t capacity_min = 512;          // most messages fit into this
constexpr std::size_t capacity_max = PTRDIFF_MAX;  // pointers into it can be subtracted

}  // namespace

// Out of line, like all functions that use the vector of borrowed octets: every stub includes
// buffer.h, which should compile fast.
Buffer::Buffer() noexcept = default;

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      borrowed_size_(std::exchange(other.borrowed_size_, 0)),
      borrowed_(std::move(other.borrowed_)),
      lender_(std::exchange(other.lender_, nullptr)) {
  assert(!other.in_place());
  other.borrowed_.clear();
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  assert(!in_place() && !other.in_place());
  std::free(own_memory());
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  borrowed_size_ = std::exchange(other.borrowed_size_, 0);
  borrowed_ = std::move(other.borrowed_);
  other.borrowed_.clear();
  lender_ = std::exchange(other.lender_, nullptr);
  return *this;
}

Buffer::~Buffer() {
  assert(!in_place());
  std::free(own_memory());
}

void Buffer::grow(std::size_t count) {
  if (count > capacity_max - size_) throw std::bad_alloc();
  if (in_place()) {
    move_out_of_place(size_ + count);
    return;
  }
  const std::size_t doubled = capacity_ > capacity_max / 2 ? capacity_max : capacity_ * 2;
  const std::size_t capacity = std::max({size_ + count, doubled, capacity_min});
  void* place = std::realloc(data_, capacity);
  if (place == nullptr) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(place);
  capacity_ = capacity;
}

void Buffer::enter_place(MutableOctetSpan place, PlaceOwner& owner) noexcept {
  assert(!in_place());
  kept_ = std::exchange(data_, place.data());
  kept_capacity_ = std::exchange(capacity_, place.size());
  owner_ = &owner;
  clear();
}

void Buffer::leave_place() noexcept {
  if (std::exchange(owner_, nullptr) == nullptr) return;
  data_ = std::exchange(kept_, nullptr);
  capacity_ = std::exchange(kept_capacity_, 0);
  clear();
}

void Buffer::move_out_of_place() {
  if (in_place()) move_out_of_place(size_);
}

// `kept_` holds no octets of the message, because they are in the place. So malloc replaces it:
// realloc would copy its contents.
void Buffer::move_out_of_place(std::size_t needed) {
  if (kept_capacity_ < needed) {
    const std::size_t capacity = std::max(needed + needed / 2, capacity_min);
    void* const memory = std::malloc(capacity);
    if (memory == nullptr) throw std::bad_alloc();
    std::free(kept_);
    kept_ = static_cast<std::byte*>(memory);
    kept_capacity_ = capacity;
  }
  if (size_ != 0) copy_octets(kept_, data_, size_);
  data_ = std::exchange(kept_, nullptr);
  capacity_ = std::exchange(kept_capacity_, 0);
  std::exchange(owner_, nullptr)->place_left();
}

void Buffer::borrow(OctetSpan octets) {
  if (octets.empty()) return;
  borrowed_.push_back({size_, octets});
  borrowed_size_ += octets.size();
}

void Buffer::forget_borrowed() noexcept {
  borrowed_size_ = 0;
  borrowed_.clear();
  lender_ = nullptr;
}

void Buffer::gather(std::vector<OctetSpan>& segments) const {
  std::size_t begin = 0;
  for (const Borrowed& segment : borrowed_) {
    if (segment.own_offset > begin)
      segments.emplace_back(data_ + begin, segment.own_offset - begin);
    if (!segment.octets.empty()) segments.push_back(segment.octets);
    begin = segment.own_offset;
  }
  if (size_ > begin) segments.emplace_back(data_ + begin, size_ - begin);
}

Octets Buffer::flatten() const {
  std::vector<OctetSpan> segments;
  gather(segments);
  Octets octets;
  octets.reserve(size());
  for (const OctetSpan segment : segments)
    octets.insert(octets.end(), segment.begin(), segment.end());
  return octets;
}

}  // namespace perigee::cdr
