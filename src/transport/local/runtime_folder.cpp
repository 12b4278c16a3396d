// Makes and checks the folder, removes stale sockets from it, and chooses names.
#include "transport/local/runtime_folder.h"

#include "transport/local/socket_file.h"
#include "transport/stream/errors.h"
#include <perigee/base/log.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/unix_addr.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace perigee::transport {
namespace {

using std::chrono::seconds;

constexpr const char* folder_name = "perigee";
constexpr const char* folder_variable = "XDG_RUNTIME_DIR";
constexpr std::uint32_t writable_by_others = 022;
constexpr std::size_t random_digits = 16;
constexpr std::string_view hex_digits = "0123456789abcdef";

std::unexpected<std::error_code> system_failure(int code) noexcept {
  return std::unexpected(std::error_code(code, std::system_category()));
}

/// Opens a folder of the effective user to which no other user can write.
ipc::Result<ipc::Handle> open_own_folder(int at, const char* path) {
  ipc::Handle folder(::openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return system_failure(errno == ELOOP ? ENOTDIR : errno);
  struct stat status{};
  if (::fstat(folder.get(), &status) == -1) return system_failure(errno);
  const bool is_safe = status.st_uid == ::geteuid() && (status.st_mode & writable_by_others) == 0;
  if (!is_safe) return system_failure(EPERM);
  return folder;
}

/// The process in a name of choose_socket_name, or std::nullopt for other names.
std::optional<pid_t> process_of(std::string_view name) noexcept {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  const std::string_view rest = name.substr(static_cast<std::size_t>(end - name.data()));
  const bool is_socket_name = error == std::errc{} && process > 0 &&
                              rest.size() == 1 + random_digits && rest.front() == '-' &&
                              rest.find_first_not_of(hex_digits, 1) == std::string_view::npos;
  return is_socket_name ? std::optional(process) : std::nullopt;
}

seconds read_clock(clockid_t clock) noexcept {
  timespec time{};
  (void)::clock_gettime(clock, &time);
  return seconds(time.tv_sec);
}

/// When the process began, as a time of files. The maximum: it has ended. Zero: the system does
/// not say. Source: man proc_pid_stat, field 22.
seconds begin_of(pid_t process) {
  constexpr int wanted = 22;
  if (::kill(process, 0) == -1 && errno == ESRCH) return seconds::max();
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::istringstream fields(text.substr(text.rfind(')') + 1));  // the third field comes first
  std::string skipped;
  for (int field = 3; field < wanted; ++field) fields >> skipped;
  std::int64_t ticks = 0;
  const long ticks_per_second = ::sysconf(_SC_CLK_TCK);
  if (!(fields >> ticks) || ticks_per_second <= 0) return seconds(0);
  const seconds boot = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_BOOTTIME);
  return boot + seconds(ticks / ticks_per_second);
}

/// Whether the process that made a file has ended. Another process may have its number now: the
/// servers of a container have the same small numbers after each restart.
class EndedProcesses {
 public:
  [[nodiscard]] bool contains(pid_t process, seconds made) {
    constexpr seconds rounding_max{2};  // all times are rounded
    const auto [begin, is_new] = begins_.try_emplace(process);
    if (is_new) begin->second = begin_of(process);
    return made < begin->second - rounding_max;
  }

 private:
  std::map<pid_t, seconds> begins_;  // of the processes asked for: one may have many sockets
};

/// The names of the sockets whose processes have ended, also of sockets of which only the lock file
/// is left.
std::set<std::string> names_of_ended(DIR* folder) {
  std::set<std::string> names;
  EndedProcesses ended;
  for (std::size_t count = 0; count < stale_entries_max && names.size() < stale_files_max;
       ++count) {
    const dirent* const entry = ::readdir(folder);
    if (entry == nullptr) break;
    const std::string name = socket_of_lock(entry->d_name).value_or(entry->d_name);
    const auto process = process_of(name);
    struct stat status{};
    if (!process || ::fstatat(::dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == -1)
      continue;
    if (ended.contains(*process, seconds(status.st_mtim.tv_sec))) names.insert(name);
  }
  return names;
}

}  // namespace

RuntimeFolder runtime_folder_here() {
  const uid_t user = ::geteuid();
  if (user == 0) return {"/run", 0755, 0666};
  const char* const chosen = ::secure_getenv(folder_variable);
  const bool is_set = chosen != nullptr && *chosen == '/';
  return {is_set ? std::string(chosen) : "/run/user/" + std::to_string(user), 0700, 0600};
}

// The umask may have taken permissions away, so they are set again.
ipc::Result<std::string> make_runtime_folder(const RuntimeFolder& where) {
  const auto parent = open_own_folder(AT_FDCWD, where.parent.c_str());
  if (!parent) return std::unexpected(parent.error());
  const bool is_new = ::mkdirat(parent->get(), folder_name, where.folder_mode) == 0;
  if (!is_new && errno != EEXIST) return system_failure(errno);
  const auto folder = open_own_folder(parent->get(), folder_name);
  if (!folder) return std::unexpected(folder.error());
  if (is_new && ::fchmod(folder->get(), where.folder_mode) == -1) return system_failure(errno);
  return where.parent + '/' + folder_name;
}

void remove_stale_sockets(const std::string& folder) noexcept try {
  const auto close = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close)> opened(::opendir(folder.c_str()));
  if (opened == nullptr) return;
  for (const std::string& name : names_of_ended(opened.get()))
    if (const auto address = ipc::UnixAddr::parse(folder + '/' + name)) remove_if_stale(*address);
} catch (const std::exception& exception) {  // no memory
  log::write(log::Level::info, "server", exception.what());
}

ipc::Result<std::string> choose_socket_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
    return system_failure(errno != 0 ? errno : EAGAIN);
  std::string name = std::to_string(::getpid()) + '-';
  for (std::size_t digit = 0; digit < random_digits; ++digit, number /= hex_digits.size())
    name += hex_digits[number % hex_digits.size()];
  return name;
}

std::expected<Endpoint, IoError> choose_socket(const Endpoint& endpoint,
                                               const RuntimeFolder& where) {
  const auto refuse = [&](std::error_code code) -> std::unexpected<IoError> {
    auto error = failure(IoOperation::listen, code, endpoint);
    error.error().endpoint += " (the folder " + where.parent + '/' + folder_name + ")";
    return error;
  };
  const auto folder = make_runtime_folder(where);
  if (!folder) return refuse(folder.error());
  remove_stale_sockets(*folder);
  const auto name = choose_socket_name();
  if (!name) return refuse(name.error());
  std::string mode;
  for (std::uint32_t rest = where.socket_mode; rest != 0; rest /= 8)
    mode.insert(0, 1, hex_digits[rest % 8]);
  return Endpoint{endpoint.scheme, *folder + '/' + *name + "?mode=0" + mode};
}

}  // namespace perigee::transport
