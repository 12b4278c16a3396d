// image_server: offers the images of a folder. Calls list the images and give tickets. The octets
// are sent over the streams of image_streams.h. Shuts down on SIGINT and SIGTERM.
#include "image_streams.h"
#include "imagingS.h"
#include "programs.h"
#include "tickets.h"
#include <perigee/corba.h>
#include <perigee/ipc/resolver.h>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace {

namespace ipc = perigee::ipc;

struct Options {
  std::string folder;
  std::string stream_host;  ///< empty: all interfaces
  std::uint16_t stream_port = 0;
  ImageStreams::Options streams;
  Tickets::Limits tickets;
  std::chrono::seconds grace{5};
};

Imaging::Image to_idl(const CatalogueEntry& entry) {
  return Imaging::Image(entry.name, entry.version.size, entry.checksum);
}

class ImageServer final : public CORBA::servant_traits<Imaging::ImageServer>::base_type {
 public:
  struct Endpoint {
    std::string host;
    std::uint16_t port;
  };
  /// `catalogue` and `tickets` must outlive this servant.
  ImageServer(Catalogue& catalogue, Tickets& tickets, Endpoint endpoint)
      : catalogue_(catalogue), tickets_(tickets), endpoint_(std::move(endpoint)) {}

  Imaging::Images list() override {
    Imaging::Images images;
    for (const CatalogueEntry& entry : catalogue_.list()) images.push_back(to_idl(entry));
    return images;
  }

  Imaging::Image describe(const std::string& name) override { return to_idl(find(name)); }

  Imaging::Ticket open_transfer(const Imaging::Image& image, uint64_t offset) override {
    const CatalogueEntry entry = find(image.name());
    if (entry.checksum != image.checksum()) throw Imaging::ImageChanged(to_idl(entry));
    if (offset > entry.version.size) throw Imaging::OffsetBeyondEnd(entry.version.size);
    const auto secret = tickets_.issue({entry, offset}, Tickets::Clock::now());
    if (!secret) throw Imaging::TooManyTransfers();
    Imaging::Octets octets;
    for (const std::byte octet : *secret) octets.push_back(std::to_integer<std::uint8_t>(octet));
    return Imaging::Ticket(endpoint_.host, endpoint_.port, std::move(octets),
                           static_cast<std::uint32_t>(tickets_.limits().lifetime.count()));
  }

 private:
  CatalogueEntry find(const std::string& name) {
    try {
      if (auto entry = catalogue_.find(name)) return *std::move(entry);
    } catch (const std::system_error& error) {
      std::clog << std::string("image_server: ") + error.what() + "\n" << std::flush;
      throw Imaging::UnreadableImage(error.code().message());  // clients must not see paths
    }
    throw Imaging::UnknownImage(name);
  }

  Catalogue& catalogue_;
  Tickets& tickets_;
  const Endpoint endpoint_;
};

ipc::InetAddr stream_address(const Options& options) {
  // All interfaces, with the IP version of the primary address, which the tickets contain.
  if (options.stream_host.empty())
    return ipc::primary_address().version() == ipc::InetAddr::Version::v4
               ? ipc::InetAddr::any(options.stream_port)
               : ipc::InetAddr::any_v6(options.stream_port);
  const auto addresses = ipc::resolve(options.stream_host, options.stream_port);
  if (!addresses) throw std::system_error(addresses.error(), options.stream_host);
  return addresses->front();
}

void serve(const CORBA::ORB::_ref_type& orb, Options options) {
  Catalogue catalogue(options.folder);
  const std::size_t count = catalogue.list().size();  // computes missing checksums
  Tickets tickets(options.tickets);
  options.streams.reception.address = stream_address(options);
  ImageStreams streams(catalogue, tickets, options.streams);
  const std::string host =
      options.stream_host.empty() ? ipc::primary_address().host() : options.stream_host;
  auto servant = CORBA::make_reference<ImageServer>(catalogue, tickets,
                                                    ImageServer::Endpoint{host, streams.port()});
  const std::string reference = activate(orb, "server", servant);
  std::clog << "image_server: " << count << " images in " << options.folder << ", streams at "
            << host << " port " << streams.port() << std::endl;
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  streams.end(options.grace);
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("folder", options.folder, "folder with the images: *.pgm")->required();
  app.add_option(
      "--stream-host", options.stream_host,
      "name or address at which the server accepts streams; it gives this address to clients. "
      "Default: all interfaces, and the primary address of this host");
  app.add_option("--stream-port", options.stream_port, "port of the streams; 0: any free port")
      ->capture_default_str();
  app.add_option("--transfers", options.streams.transfers_max,
                 "transfers at the same time; further clients wait")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--waiting", options.streams.waiting_max,
                 "clients with a ticket that wait for their turn")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--connections", options.streams.reception.connections_max,
                 "connections without a ticket; a further connection closes the oldest")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--tickets", options.tickets.count_max, "tickets that are not used yet")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  const auto add_seconds = [&app](const char* name, std::chrono::seconds& seconds,
                                  const char* text) {
    app.add_option_function<int>(
           name, [&seconds](int count) { seconds = std::chrono::seconds(count); },
           std::string(text) + " [" + std::to_string(seconds.count()) + "]")
        ->check(CLI::Range(0, 86400));
  };
  add_seconds("--ticket-seconds", options.tickets.lifetime, "seconds for which a ticket is valid");
  add_seconds("--slow-seconds", options.streams.for_chunk,
              "seconds in which a client must take 1 MiB; a slower client is disconnected");
  add_seconds("--show-seconds", options.streams.reception.for_ticket,
              "seconds in which a connection must show its ticket");
  add_seconds("--grace-seconds", options.grace, "seconds that transfers have when the server ends");
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  Options options;
  CLI::App app(
      "Offers the images of a folder; writes its reference to standard output.\n"
      "-ORBListenEndpoints iiop://:<port> keeps the reference valid after a restart.");
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  serve(orb, options);
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "image_server: " << error.what() << '\n';
  return 1;
}
