// Makes, checks and maps the memory of a connection.
#include "transport/shared_memory/rings.h"

#include "ipc/mapping.h"

#include <bit>
#include <new>
#include <system_error>
#include <utility>

namespace perigee::transport::shared_memory {
namespace {

/// The position of the words of links in the file: in a page of their own, of the usual size.
constexpr std::size_t holds_at = 4096;
constexpr std::size_t words_size = holds_at + sizeof(HoldWords);
static_assert(2 * sizeof(RingWords) <= holds_at);

/// The words take one page, the largest page size of the supported systems.
constexpr std::size_t words_room = ring_size_min;
static_assert(words_size <= words_room);

std::size_t file_size(std::uint32_t ring_size) noexcept {
  return words_room + 2 * std::size_t{ring_size};
}

}  // namespace

ipc::Result<Rings::Made> Rings::make(std::uint32_t ring_size) {
  auto memory = ipc::make_shared_memory(file_size(ring_size));
  if (!memory) return std::unexpected(memory.error());
  auto rings = map(memory->get(), ring_size, true);
  if (!rings) return std::unexpected(rings.error());
  for (const Ring& ring : {rings->from_client(), rings->from_server()}) {
    new (ring.words) RingWords{};
    ring.words->receiver_waits.store(polls);  // the first octets wake a reactor
  }
  return Made{std::move(*rings), std::move(*memory)};
}

ipc::Result<Rings> Rings::accept(int fd, std::uint32_t ring_size) {
  if (!std::has_single_bit(ring_size) || ring_size < ring_size_min || ring_size > ring_size_max)
    return std::unexpected(std::make_error_code(std::errc::invalid_argument));
  const auto checked = ipc::check_shared_memory(fd, file_size(ring_size));
  if (!checked) return std::unexpected(checked.error());
  return map(fd, ring_size, false);
}

// Neither side can write to the ring that it reads.
ipc::Result<Rings> Rings::map(int fd, std::uint32_t ring_size, bool is_client) {
  using ipc::Access;
  using ipc::SharedMapping;
  const auto access = [](bool sends) { return sends ? Access::read_and_write : Access::read; };
  auto words = SharedMapping::map(fd, 0, words_room, Access::read_and_write);
  if (!words) return std::unexpected(words.error());
  auto client = SharedMapping::map_twice(fd, words_room, ring_size, access(is_client));
  if (!client) return std::unexpected(client.error());
  auto server = SharedMapping::map_twice(fd, words_room + ring_size, ring_size, access(!is_client));
  if (!server) return std::unexpected(server.error());
  Rings rings;
  rings.words_ = std::make_shared<const ipc::SharedMapping>(std::move(*words));
  rings.from_client_ = std::move(*client);
  rings.from_server_ = std::move(*server);
  rings.size_ = ring_size;
  return rings;
}

Ring Rings::from_client() const noexcept {
  return {std::launder(reinterpret_cast<RingWords*>(words_->data())), from_client_.data(), size_};
}

Ring Rings::from_server() const noexcept {
  return {std::launder(reinterpret_cast<RingWords*>(words_->data() + sizeof(RingWords))),
          from_server_.data(), size_};
}

// The system has filled new memory with zeros: all words say 0.
HoldWords& Rings::holds() const noexcept {
  return *std::launder(reinterpret_cast<HoldWords*>(words_->data() + holds_at));
}

}  // namespace perigee::transport::shared_memory
