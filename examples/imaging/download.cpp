// Octets go from the stream to the file inside the kernel, and are read back from the file for the
// checksum. They are usually still in the page cache when they are read, so the checksum does not
// detect errors of the disk.
#include "download.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace ipc = perigee::ipc;

[[noreturn]] void fail(const fs::path& file, const std::error_code& error) {
  throw LocalProblem(file.string() + ": " + error.message());
}
[[noreturn]] void fail(const fs::path& file) { fail(file, {errno, std::system_category()}); }

fs::path part_of(const fs::path& file, const Checksum& checksum) {
  return file.string() + "." + to_hex(checksum).substr(0, 16) + ".part";
}

// Deletes the .part files of other contents of this image. Deletes only files with names that this
// program makes.
void delete_others(const fs::path& file, const fs::path& part) {
  const std::string prefix = file.filename().string() + ".";
  const std::size_t name_size = prefix.size() + 16 + std::string(".part").size();
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  for (const auto& other : fs::directory_iterator(folder, error)) {
    const std::string name = other.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".part") && name.size() == name_size &&
        name != part.filename())
      fs::remove(other.path(), error);
  }
}

bool is_the_files_fault(const std::error_code& error) {
  constexpr std::array faults{ENOSPC, EDQUOT, EFBIG, EIO, EROFS};
  return std::ranges::find(faults, error.value()) != faults.end();
}

}  // namespace

Download::Download(fs::path file, What what)
    : file_(std::move(file)), what_(std::move(what)), part_(part_of(file_, what_.checksum)) {
  delete_others(file_, part_);
  open_part();
  const std::uint64_t size = output_.size().value();
  if (size > what_.size) throw LocalProblem(part_.string() + ": too long; delete it");
  add_to_checksum(size);
}

void Download::open_part() {
  auto output = ipc::OutputFile::open(part_.string(), ipc::OutputFile::Existing::keep);
  if (!output) fail(part_, output.error());
  output_ = std::move(*output);
  lock_part();
  auto input = ipc::File::open(part_.string());
  if (!input) fail(part_, input.error());
  input_ = std::move(*input);
}

// The lock ends with the process, however the process ends. A program that gets the lock late finds
// that the file was renamed or deleted.
void Download::lock_part() {
  if (::flock(output_.handle(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      throw LocalProblem(part_.string() + ": another program is fetching this image");
    fail(part_);
  }
  struct stat locked{};
  struct stat named{};
  if (::fstat(output_.handle(), &locked) != 0) fail(part_);
  if (::stat(part_.c_str(), &named) != 0 || locked.st_ino != named.st_ino)
    throw LocalProblem(part_.string() + ": another program has just fetched this image");
}

void Download::add_to_checksum(std::uint64_t end) {
  std::array<std::byte, 64 * 1024> space;
  while (arrived_ < end) {
    const std::size_t wanted = std::min<std::uint64_t>(space.size(), end - arrived_);
    const ssize_t count =
        ::pread(input_.handle(), space.data(), wanted, static_cast<off_t>(arrived_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(part_);
    if (count == 0) throw LocalProblem(part_.string() + ": another program has made it shorter");
    sha_.add(std::span(space).first(static_cast<std::size_t>(count)));
    arrived_ += static_cast<std::uint64_t>(count);
  }
}

bool Download::receive(ipc::sock::Stream& stream, std::size_t count_max,
                       std::chrono::seconds limit) {
  const std::size_t count = std::min<std::uint64_t>(count_max, what_.size - arrived_);
  const auto received = stream.recv_file(output_, arrived_, count, limit);
  if (!received) {
    if (is_the_files_fault(received.error()))
      throw LocalProblem(part_.string() + ": " + received.error().message() +
                         "; the received octets are kept: correct this and fetch again");
    return false;
  }
  add_to_checksum(arrived_ + received->count());
  return !received->end_of_stream();
}

bool Download::finish() {
  if (sha_.finish() != what_.checksum) {
    fs::remove(part_);
    return false;
  }
  if (const auto synced = output_.sync(); !synced) fail(part_, synced.error());
  std::error_code error;
  fs::rename(part_, file_, error);
  if (error) fail(file_, error);
  return true;
}
