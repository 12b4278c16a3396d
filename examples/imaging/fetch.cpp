// Each attempt begins with the calls that find the image: it may be at another server by now, or
// may have another content.
#include "fetch.h"

#include "download.h"
#include "image_streams.h"
#include <perigee/ipc/connect_any.h>
#include <perigee/ipc/resolver.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

namespace ipc = perigee::ipc;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// The reason why an attempt has ended. The next attempt may succeed.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void say(const std::string& line) { std::cerr << "image_client: " + line + "\n" << std::flush; }

ipc::sock::Stream connect(const std::string& host, std::uint16_t port, ipc::TimeLimit limit) {
  const auto addresses = ipc::resolve(host, port);
  if (!addresses) throw Interrupted(host + ": " + addresses.error().message());
  auto stream = ipc::sock::connect_any(*addresses, limit);
  if (!stream) throw Interrupted("connect to " + host + ": " + to_string(stream.error()));
  return std::move(*stream);
}

StreamAnswer answer_of(ipc::sock::Stream& stream, ipc::TimeLimit limit) {
  std::array<std::byte, 1> answer{};
  const auto received = stream.recv_n(answer, limit);
  if (!received) throw Interrupted("the stream has broken: " + received.error().message());
  if (received->end_of_stream()) throw Interrupted("the server has closed the stream");
  return static_cast<StreamAnswer>(answer[0]);
}

// While all transfers are taken, the server answers `wait` again and again. This may take long.
void show_ticket(ipc::sock::Stream& stream, const Imaging::Ticket& ticket, ipc::TimeLimit limit) {
  const auto sent = stream.send_n(std::as_bytes(std::span(ticket.secret())), limit);
  if (!sent) throw Interrupted("the stream has broken: " + sent.error().message());
  StreamAnswer answer{};
  do answer = answer_of(stream, limit);
  while (answer == StreamAnswer::wait);
  switch (answer) {
    case StreamAnswer::octets_follow:
      return;
    case StreamAnswer::ticket_refused:
      throw Interrupted("the server refused the ticket");
    case StreamAnswer::image_changed:
      throw Interrupted("the image has changed at the server");
    case StreamAnswer::too_many_wait:
      throw Interrupted("the server has too many transfers");
    default:
      throw Interrupted("the program that answers is not an image server");
  }
}

/// Limits the speed of a transfer.
class Pace {
 public:
  explicit Pace(double mebioctets_a_second) : octets_a_second_(mebioctets_a_second * 1024 * 1024) {}
  [[nodiscard]] std::size_t chunk() const {
    constexpr double largest = ImageStreams::chunk_size;
    return octets_a_second_ == 0
               ? ImageStreams::chunk_size
               : static_cast<std::size_t>(std::clamp(octets_a_second_ / 20, 1.0, largest));
  }
  void wait(std::uint64_t octets) const {
    if (octets_a_second_ == 0) return;
    std::this_thread::sleep_until(
        begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                     static_cast<double>(octets) / octets_a_second_)));
  }

 private:
  const double octets_a_second_;
  const Clock::time_point begin_ = Clock::now();
};

class Fetch {
 public:
  Fetch(const IDL::traits<Imaging::ImageLocator>::ref_type& locator, const FetchOptions& options)
      : locator_(locator), options_(options) {}

  /// Returns when the image has arrived. Else throws Interrupted, or an exception of a call.
  void attempt() {
    const auto server = locator_->locate(options_.image);
    prepare(server->describe(options_.image));
    if (!download_->is_whole()) receive(*server);
    if (!download_->is_whole()) throw Interrupted("the stream has ended too early");
    const bool right = download_->finish();
    const Checksum checksum = download_->what().checksum;
    download_.reset();
    if (!right) throw Interrupted("the checksum is wrong: the received octets were deleted");
    std::cout << options_.file.string() << ": " << image_.size()
              << " octets, checksum right: " << to_hex(checksum) << std::endl;
  }
  [[nodiscard]] std::uint64_t arrived() const { return download_ ? download_->arrived() : 0; }

 private:
  void prepare(Imaging::Image image) {
    if (download_ && image.checksum() != image_.checksum()) {
      say(options_.image + ": has changed, and is fetched anew");
      download_.reset();
    }
    image_ = std::move(image);
    if (!download_)
      download_.emplace(options_.file, Download::What{image_.size(), image_.checksum()});
    if (arrived() > 0)
      say(options_.image + ": continues at octet " + std::to_string(arrived()) + " of " +
          std::to_string(image_.size()));
  }

  void receive(Imaging::ImageServer& server) {
    const Imaging::Ticket ticket = server.open_transfer(image_, arrived());
    ipc::sock::Stream stream = connect(ticket.host(), ticket.port(), options_.silence);
    show_ticket(stream, ticket, options_.silence);
    const std::uint64_t begin = arrived();
    Progress progress(options_.image, image_.size(), begin, options_.progress);
    const Pace pace(options_.mebioctets_a_second);
    while (!download_->is_whole() && download_->receive(stream, pace.chunk(), options_.silence)) {
      progress.update(arrived());
      pace.wait(arrived() - begin);
    }
  }

  const IDL::traits<Imaging::ImageLocator>::ref_type locator_;
  const FetchOptions& options_;
  Imaging::Image image_;
  std::optional<Download> download_;
};

// The result of an attempt: nothing if the image has arrived, else the reason why not.
std::optional<std::string> outcome(Fetch& fetch) {
  try {
    fetch.attempt();
    return std::nullopt;
  } catch (const Interrupted& reason) {
    return reason.what();
  } catch (const Imaging::ImageChanged&) {
    return "the image has changed at the server";
  } catch (const Imaging::TooManyTransfers&) {
    return "the server has too many transfers";
  } catch (const CORBA::TRANSIENT& unreachable) {
    return unreachable.what();
  } catch (const CORBA::COMM_FAILURE& broken) {
    return broken.what();
  } catch (const CORBA::TIMEOUT& late) {
    return late.what();
  }
}

}  // namespace

void fetch(const IDL::traits<Imaging::ImageLocator>::ref_type& locator,
           const FetchOptions& options) {
  Fetch fetch(locator, options);
  auto pause = 100ms;
  for (int in_vain = 0;;) {
    const std::uint64_t before = fetch.arrived();
    const auto why = outcome(fetch);
    if (!why) return;
    if (fetch.arrived() > before) {
      in_vain = 0;
      pause = 100ms;
    }
    if (++in_vain >= options.attempts)
      throw std::runtime_error(*why + "; given up" +
                               (fetch.arrived() > 0 ? ": fetch again to continue" : ""));
    say(*why + "; another attempt follows");
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::milliseconds>(2 * pause, 5s);
  }
}
