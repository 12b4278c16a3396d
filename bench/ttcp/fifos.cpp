// The ttcp experiment over named pipes: one for the buffers, one for the answers. The receiver
// makes them, and removes their names after both sides have opened them.
#include "roles.h"
#include "transfer.h"
#include <perigee/ipc/fifo.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <system_error>

namespace perigee::bench {
namespace {

using Space = std::span<std::byte>;
using Sent = std::span<const std::byte>;

struct Names {
  explicit Names(std::string folder_name) : folder(std::move(folder_name)) {}

  static Names make() {
    std::string folder = (std::filesystem::temp_directory_path() / "perigee-ttcp-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::system_error(errno, std::system_category());
    Names names(folder);
    for (const std::string& name : {names.data(), names.answers()})
      if (mkfifo(name.c_str(), 0600) != 0) throw std::system_error(errno, std::system_category());
    return names;
  }
  void remove() const { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string data() const { return folder + "/data"; }
  [[nodiscard]] std::string answers() const { return folder + "/answers"; }

  std::string folder;
};

/// The ends of the C program.
class CEnds {
 public:
  static CEnds of_receiver(const Names& names) {
    const int in = open_end(names.data(), O_RDONLY);
    return {in, open_end(names.answers(), O_WRONLY)};
  }
  static CEnds of_transmitter(const Names& names) {
    const int out = open_end(names.data(), O_WRONLY);
    return {open_end(names.answers(), O_RDONLY), out};
  }

  // Sets the size of the queue of the pipe that this side writes to.
  void set_queue(std::size_t size) const {
    if (size != 0 && fcntl(out_, F_SETPIPE_SZ, static_cast<int>(size)) < 0)
      throw std::system_error(errno, std::system_category(), "F_SETPIPE_SZ");
  }
  void send_all(Sent octets) const {
    while (!octets.empty()) {
      const ssize_t count = write(out_, octets.data(), octets.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw std::system_error(errno, std::system_category(), "write");
      octets = octets.subspan(static_cast<std::size_t>(count));
    }
  }
  /// 0 at the end.
  [[nodiscard]] std::size_t receive_some(Space space) const {
    ssize_t count = -1;
    do count = read(in_, space.data(), space.size());
    while (count < 0 && errno == EINTR);
    if (count < 0) throw std::system_error(errno, std::system_category(), "read");
    return static_cast<std::size_t>(count);
  }

 private:
  CEnds(int in, int out) : in_(in), out_(out) {}

  static int open_end(const std::string& name, int mode) {
    const int fd = open(name.c_str(), mode | O_CLOEXEC);
    if (fd < 0) throw std::system_error(errno, std::system_category(), name);
    return fd;
  }

  int in_;
  int out_;
};

/// The ends of the typed wrappers.
class WrappedEnds {
 public:
  static WrappedEnds of_receiver(const Names& names) {
    auto in = opened<ipc::fifo::Receiver>(names.data());
    return {std::move(in), opened<ipc::fifo::Sender>(names.answers())};
  }
  static WrappedEnds of_transmitter(const Names& names) {
    auto out = opened<ipc::fifo::Sender>(names.data());
    return {opened<ipc::fifo::Receiver>(names.answers()), std::move(out)};
  }

  void set_queue(std::size_t size) {
    if (size == 0) return;
    const auto set = out_.set(ipc::PipeCapacity{static_cast<std::int64_t>(size)});
    if (!set) throw std::system_error(set.error(), "capacity");
  }
  void send_all(Sent octets) {
    if (const auto sent = out_.send_n(octets); !sent) throw std::system_error(sent.error(), "send");
  }
  [[nodiscard]] std::size_t receive_some(Space space) {
    const auto received = in_.recv(space);
    if (!received) throw std::system_error(received.error(), "receive");
    return received->count();
  }

 private:
  WrappedEnds(ipc::fifo::Receiver in, ipc::fifo::Sender out)
      : in_(std::move(in)), out_(std::move(out)) {}

  template <typename End>
  static End opened(const std::string& name) {
    auto end = End::open(ipc::FifoAddr::path(name).value());
    if (!end) throw std::system_error(end.error(), name);
    return std::move(*end);
  }

  ipc::fifo::Receiver in_;
  ipc::fifo::Sender out_;
};

// False at the end.
template <typename Ends>
bool receive_all(Ends& ends, Space space) {
  while (!space.empty()) {
    const std::size_t count = ends.receive_some(space);
    if (count == 0) return false;
    space = space.subspan(count);
  }
  return true;
}

template <typename Value>
Space octets_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

template <typename Ends>
int receive(const TtcpRole& role) {
  const Names names = Names::make();
  std::cout << names.folder << std::endl;
  Ends ends = Ends::of_receiver(names);
  names.remove();
  ends.set_queue(role.queue_size);
  std::vector<std::uint8_t> buffer;
  for (ttcp::Transfer transfer; receive_all(ends, octets_of(transfer));) {
    ttcp::Totals totals =
        ttcp::receive_transfer(transfer, buffer, [&ends](std::uint8_t* space, std::size_t size) {
          return ends.receive_some(std::as_writable_bytes(std::span(space, size)));
        });
    ends.send_all(octets_of(totals));
  }
  return 0;
}

template <typename Ends>
int transmit(const std::string& folder, const TtcpRole& role) {
  Ends ends = Ends::of_transmitter(Names(folder));
  ends.set_queue(role.queue_size);
  std::vector<std::uint8_t> buffer;
  return ttcp::serve_transfers([&](ttcp::Transfer transfer) {
    if (buffer.size() != transfer.size) buffer = ttcp::make_pattern<std::uint8_t>(transfer.size);
    ends.send_all(octets_of(transfer));
    for (std::size_t left = transfer.count; left > 0; --left)
      ends.send_all(std::as_bytes(std::span(buffer)));
    ttcp::Totals totals;
    if (!receive_all(ends, octets_of(totals)))
      throw std::runtime_error("the receiver has closed the connection");
    return totals;
  });
}

}  // namespace

int run_fifo_receiver(FifoProgram program, const TtcpRole& role) {
  ipc::ignore_sigpipe();
  return program == FifoProgram::c ? receive<CEnds>(role) : receive<WrappedEnds>(role);
}

int run_fifo_transmitter(FifoProgram program, const std::string& folder, const TtcpRole& role) {
  ipc::ignore_sigpipe();
  return program == FifoProgram::c ? transmit<CEnds>(folder, role)
                                   : transmit<WrappedEnds>(folder, role);
}

}  // namespace perigee::bench
