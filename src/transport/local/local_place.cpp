// Asks the system on which host and in which folder a path or a name is.
#include "transport/local/local_place.h"

#include "transport/local/local_address.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/transport/local.h>

#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

namespace perigee::transport {
namespace {

/// FNV-1a, 64 bits: not a cryptographic hash. The machine's id is confidential (`man machine-id`).
/// It has 128 bits, so the digest cannot reveal all of it.
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

// Clones of a machine may have the same id, so the digest includes the host's name. 0: the file is
// missing or empty, as in many containers.
std::uint64_t machine_digest() {
  const std::string id = first_line("/etc/machine-id");
  return id.empty() ? 0 : digest(id + ' ' + local_host_name());
}

/// Device and inode; empty where there is nothing.
std::string numbers_of(const char* path) {
  struct stat status{};
  if (::stat(path, &status) == -1) return {};
  return std::to_string(status.st_dev) + ' ' + std::to_string(status.st_ino);
}

// A folder has the same device and inode in every container that contains it, and no other folder
// has the same two numbers. If the folder is made anew, its inode changes. Its device (the file
// system) stays the same, but folders of other containers may have the same device. So
// `place.device` also depends on the root folder, which differs between containers.
void look_at_space(LocalPlace& place, const ipc::UnixAddr& address) {
  const bool is_path = address.kind() == ipc::UnixAddr::Kind::path;
  const std::string name(address.name());
  const std::string space = is_path ? name.substr(0, name.rfind('/') + 1) : "/proc/self/ns/net";
  struct stat status{};
  if (::stat(space.c_str(), &status) == -1) return;
  const std::string device = std::to_string(status.st_dev) + ' ';
  place.folder = digest(device + std::to_string(status.st_ino));
  const std::string root = numbers_of("/");
  if (is_path && !root.empty()) place.device = digest(device + root + ' ' + local_host_name());
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

namespace {

/// Whether both places are the same, if the host alone decides this. std::nullopt: the folder
/// decides. If the kernels differ, the machine decides: it may have been restarted, and its folders
/// may have other numbers now.
std::optional<bool> decided_by_host(const LocalPlace& published, const LocalPlace& here) {
  const bool same_machine = published.machine == here.machine;
  if (published.boot != here.boot) return here.machine != 0 && same_machine;
  if (here.boot == 0 && !same_machine) return false;
  return std::nullopt;
}

bool is_known_and_same(std::uint64_t published, std::uint64_t here) noexcept {
  return here != 0 && here == published;
}

}  // namespace

// Compares devices, too: servers make and remove folders in /run, and their references may live
// longer than a folder.
bool is_same(const LocalPlace& published, const LocalPlace& here) {
  if (const auto decided = decided_by_host(published, here)) return *decided;
  return is_known_and_same(published.folder, here.folder) ||
         is_known_and_same(published.device, here.device);
}

bool is_here(const LocalPlace& published) {
  const LocalPlace host{published.address, this_boot(), this_machine()};
  if (const auto decided = decided_by_host(published, host)) return *decided;
  return is_same(published, place_seen_here(published.address));
}

namespace {

std::string why_folder_differs(const LocalPlace& published, const std::string& folder) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) == -1)
    return "the folder " + folder + ": " + std::generic_category().message(errno);
  if (published.folder == 0)
    return "the folder " + folder + " was not there when the reference was made";
  return "the folder " + folder +
         " differs here: it is in another container, or on another file system";
}

}  // namespace

std::string why_elsewhere(const LocalPlace& published) {
  if (is_here(published)) return {};
  const LocalPlace host{published.address, this_boot(), this_machine()};
  if (decided_by_host(published, host)) return "it is on another host";
  if (!published.address.starts_with('/'))
    return "it is in another network namespace, for example in another container";
  return why_folder_differs(published,
                            published.address.substr(0, published.address.rfind('/') + 1));
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
