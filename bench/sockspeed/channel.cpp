// Converts channels to text and back.
#include "channel.h"

#include <CLI/Error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace perigee::bench {
namespace {

struct MediumName {
  Medium medium;
  std::string_view name;
};
constexpr std::array media{
    MediumName{Medium::tcp, "tcp"},           MediumName{Medium::uring, "uring"},
    MediumName{Medium::unix_stream, "unix"},  MediumName{Medium::seqpacket, "seqpacket"},
    MediumName{Medium::pipe, "pipe"},         MediumName{Medium::fifo, "fifo"},
    MediumName{Medium::shared_memory, "shm"},
};

Medium parse_medium(std::string_view text) {
  const auto found = std::ranges::find(media, text, &MediumName::name);
  if (found != media.end()) return found->medium;
  std::string all;
  for (const MediumName& medium : media)
    all += (all.empty() ? "" : ", ") + std::string(medium.name);
  throw CLI::ValidationError("unknown channel '" + std::string(text) +
                             "'; the channels are: " + all);
}

std::size_t parse_queue_size(std::string_view text) {
  constexpr std::size_t size_min = 4096;
  constexpr std::size_t size_max = std::size_t{1} << 30;
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size < size_min ||
      size > size_max)
    throw CLI::ValidationError("queue=" + std::string(text) + ": write a number of octets from " +
                               std::to_string(size_min) + " to " + std::to_string(size_max));
  return size;
}

void set_option(Channel& channel, std::string_view option) {
  constexpr std::string_view queue = "queue=";
  const bool is_tcp = channel.medium == Medium::tcp || channel.medium == Medium::uring;
  const bool is_ring = channel.medium == Medium::shared_memory;
  if (option == "host-address" && is_tcp) {
    channel.host_address = true;
  } else if (option == "no-delay" && is_tcp) {
    channel.no_delay = true;
  } else if (option == "non-blocking" && !is_ring) {
    channel.non_blocking = true;
  } else if (option.starts_with(queue)) {
    channel.queue_size = parse_queue_size(option.substr(queue.size()));
  } else {
    throw CLI::ValidationError("unknown option '" + std::string(option) + "' of the channel '" +
                               to_text(channel) +
                               "'; the options are: host-address and no-delay (tcp, uring), "
                               "non-blocking (not shm), queue=<octets>");
  }
}

}  // namespace

Channel parse_channel(std::string_view text) {
  Channel channel;
  channel.medium = parse_medium(text.substr(0, text.find('+')));
  for (std::size_t at = text.find('+'); at != std::string_view::npos;) {
    text.remove_prefix(at + 1);
    at = text.find('+');
    set_option(channel, text.substr(0, at));
  }
  return channel;
}

std::string to_text(const Channel& channel) {
  std::string text(std::ranges::find(media, channel.medium, &MediumName::medium)->name);
  if (channel.host_address) text += "+host-address";
  if (channel.no_delay) text += "+no-delay";
  if (channel.non_blocking) text += "+non-blocking";
  if (channel.queue_size != 0) text += "+queue=" + std::to_string(channel.queue_size);
  return text;
}

bool has_wrapper(const Channel& channel) {
  return channel.medium != Medium::shared_memory || channel.queue_size == 0;
}

// Leaves out TCP with small queues. If a queue holds less than a segment (64 KiB on the loopback
// interface), each block waits for timers, and a large block takes many seconds.
std::vector<std::string> default_channels() {
  return {"tcp",
          "uring",
          "unix",
          "seqpacket",
          "pipe",
          "fifo",
          "shm",
          "tcp+host-address",
          "tcp+no-delay",
          "tcp+non-blocking",
          "unix+non-blocking",
          "tcp+queue=65536",
          "unix+queue=8192",
          "unix+queue=65536"};
}

}  // namespace perigee::bench
