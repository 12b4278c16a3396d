// Asking the system where a path or a name is.
#include "transport/local/local_place.h"

#include "transport/local/local_address.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/transport/local.h>

#include <sys/stat.h>

#include <bit>
#include <fstream>
#include <string_view>

namespace perigee::transport {
namespace {

/// FNV-1a, 64 bits. The machine's id is nobody else's business: what is published does not give it
/// away (`man machine-id`).
std::uint64_t digest(std::string_view text) noexcept {
  std::uint64_t value = 0xcbf2'9ce4'8422'2325;
  for (const char character : text)
    value = (value ^ static_cast<unsigned char>(character)) * 0x100'0000'01b3;
  return value;
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::uint64_t boot_digest() {
  const std::string id = first_line("/proc/sys/kernel/random/boot_id");
  return id.empty() ? 0 : digest(id);
}

// Clones of a machine may have its id, containers have none.
std::uint64_t machine_digest() {
  const std::string id = first_line("/etc/machine-id");
  return id.empty() ? 0 : digest(id + ' ' + local_host_name());
}

// Device and inode are the same in every container that has the folder, and in no other.
void look_at_space(LocalPlace& place, const ipc::UnixAddr& address) {
  const bool is_path = address.kind() == ipc::UnixAddr::Kind::path;
  const std::string name(address.name());
  const std::string space = is_path ? name.substr(0, name.rfind('/') + 1) : "/proc/self/ns/net";
  struct stat status{};
  if (::stat(space.c_str(), &status) == -1) return;
  const std::string device = std::to_string(status.st_dev) + ' ';
  place.folder = digest(device + std::to_string(status.st_ino));
  if (is_path) place.device = digest(device + local_host_name());
}

std::uint64_t this_boot() {
  static const std::uint64_t boot = boot_digest();
  return boot;
}

std::uint64_t this_machine() {
  static const std::uint64_t machine = machine_digest();
  return machine;
}

}  // namespace

LocalPlace place_seen_here(const std::string& address) {
  LocalPlace place{address, this_boot(), this_machine()};
  if (const auto parsed = parse_local_address(address)) look_at_space(place, parsed->place);
  return place;
}

// Folders in /run come and go with their servers, whose references may stay; and when the machine
// starts again all of its folders have other numbers. No path of other hosts is looked at.
bool is_here(const LocalPlace& published) {
  if (published.boot != this_boot())
    return this_machine() != 0 && this_machine() == published.machine;
  if (this_boot() == 0) return false;
  const LocalPlace here = place_seen_here(published.address);
  return here.folder == published.folder || (here.device != 0 && here.device == published.device);
}

iop::TaggedComponent encode_place(const LocalPlace& place) {
  return {tag_perigee_place,
          cdr::encode_encapsulation(std::endian::native, [&place](cdr::Encoder& encoder) {
            encoder.write_string(place.address);
            encoder.write(place.boot);
            encoder.write(place.machine);
            encoder.write(place.folder);
            encoder.write(place.device);
          })};
}

std::expected<LocalPlace, cdr::Error> decode_place(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  LocalPlace place;
  decoder.read_string(place.address);
  place.boot = decoder.read<std::uint64_t>();
  place.machine = decoder.read<std::uint64_t>();
  place.folder = decoder.read<std::uint64_t>();
  place.device = decoder.read<std::uint64_t>();
  if (!decoder.ok()) return std::unexpected(decoder.error());
  return place;
}

}  // namespace perigee::transport
