// The image store and its client over Perigee. Each is a process of its own.
#include "images.h"
#include "imagingC.h"
#include "imagingS.h"
#include "roles.h"
#include "transfers.h"
#include <perigee/corba.h>

#include <unistd.h>

#include <mutex>
#include <span>
#include <thread>
#include <utility>

namespace perigee::bench {
namespace {

using ImageOctets = std::span<const std::uint8_t>;

// Options for images of 256 MiB: the default limit of a message is lower.
std::vector<std::string> orb_arguments(const std::string& scheme) {
  const std::string endpoint = scheme == "iiop"
                                   ? "iiop://127.0.0.1:0"
                                   : scheme + "://@perigee-imaging-" + std::to_string(getpid());
  const std::size_t message_max = image_size_max + (1u << 20);
  return {"imaging",
          "-ORBListenEndpoints",
          endpoint,
          "-ORBLocalTransports",
          "none",
          "-ORBThreadStrategy",
          "thread-per-connection",
          "-ORBMessageSizeMax",
          std::to_string(message_max),
          "-ORBPartialSizeMax",
          std::to_string(2 * message_max)};
}

void check_image(ImageOctets image) {
  if (!is_right_image(image)) throw BenchImages::Rejected("the image has wrong octets");
}

void check_size(std::uint64_t size) {
  if (size == 0 || size > image_size_max)
    throw BenchImages::Rejected("an image has 1 octet to 256 MiB");
}

// There is one client at a time.
class StoreServant final : public CORBA::servant_traits<BenchImages::Store>::base_type {
 public:
  BenchImages::Octets fetch(std::uint64_t size) override {
    check_size(size);
    return images_.of_size(size);
  }
  void fetch_to(std::uint64_t size, IDL::traits<BenchImages::Viewer>::ref_type client) override {
    check_size(size);
    if (!client) throw BenchImages::Rejected("there is no viewer");
    client->put(images_.of_size(size));
  }
  void upload(const BenchImages::Octets& image) override { check_image(image); }
  void upload_borrowed(ImageOctets image) override { check_image(image); }
  BenchImages::Ticket open_stream(std::uint64_t size, bool is_upload) override {
    check_size(size);
    const StreamTicket ticket =
        streams_.open(size, is_upload ? Direction::upload : Direction::fetch);
    return BenchImages::Ticket(ticket.port, ticket.secret);
  }

 private:
  ImageCache images_;
  StreamServer streams_;
};

class LocatorServant final : public CORBA::servant_traits<BenchImages::Locator>::base_type {
 public:
  explicit LocatorServant(IDL::traits<BenchImages::Store>::ref_type store)
      : store_(std::move(store)) {}

  IDL::traits<BenchImages::Store>::ref_type locate(const std::string& /*image*/) override {
    return store_;
  }

 private:
  IDL::traits<BenchImages::Store>::ref_type store_;
};

class ViewerServant final : public CORBA::servant_traits<BenchImages::Viewer>::base_type {
 public:
  void put(ImageOctets image) override {
    check_image(image);
    const std::lock_guard lock(mutex_);
    received_ = image.size();
  }
  std::size_t take_received() {
    const std::lock_guard lock(mutex_);
    return std::exchange(received_, 0);
  }

 private:
  std::mutex mutex_;
  std::size_t received_ = 0;
};

PortableServer::POA& activate(PortableServer::POA& poa) {
  poa.the_POAManager()->activate();
  return poa;
}

class Client {
 public:
  Client(CORBA::ORB& orb, PortableServer::POA& poa, std::string locator)
      : orb_(orb), locator_(std::move(locator)) {
    viewer_ = CORBA::make_reference<ViewerServant>();
    viewer_reference_ = viewer_->_this();
    activate(poa);
    locate();
  }

  void transfer(const std::string& way, Direction direction, std::size_t size) {
    if (way == "locate") return locate();
    if (direction == Direction::fetch) return fetch(way, size);
    upload(way, size);
  }

 private:
  // The URL names the locator. With a naming service, this makes a call to it.
  void locate() {
    auto locator = IDL::traits<BenchImages::Locator>::narrow(orb_.string_to_object(locator_));
    if (!locator) throw std::runtime_error("not a locator: " + locator_);
    store_ = locator->locate("chest");
    if (!store_) throw std::runtime_error("the locator knows no store");
  }

  void fetch(const std::string& way, std::size_t size) {
    if (way == "call") {
      const BenchImages::Octets image = store_->fetch(size);
      if (image.size() != size || !is_right_image(image))
        throw std::runtime_error("the image is incomplete, or has wrong octets");
    } else if (way == "borrowed") {
      store_->fetch_to(size, viewer_reference_);
      if (viewer_->take_received() != size) throw std::runtime_error("the image has not arrived");
    } else {
      space_.resize(size);
      fetch_by_stream(ticket(size, Direction::fetch), space_);
    }
  }

  void upload(const std::string& way, std::size_t size) {
    const auto& image = images_.of_size(size);
    if (way == "call")
      store_->upload(image);
    else if (way == "borrowed")
      store_->upload_borrowed(image);
    else
      upload_by_stream(ticket(size, Direction::upload), image);
  }

  StreamTicket ticket(std::size_t size, Direction direction) {
    const BenchImages::Ticket ticket = store_->open_stream(size, direction == Direction::upload);
    return {ticket.port(), ticket.secret()};
  }

  CORBA::ORB& orb_;
  std::string locator_;
  CORBA::servant_reference<ViewerServant> viewer_;
  IDL::traits<BenchImages::Viewer>::ref_type viewer_reference_;
  IDL::traits<BenchImages::Store>::ref_type store_;
  ImageCache images_;
  std::vector<std::uint8_t> space_;
};

auto root_poa(CORBA::ORB& orb) {
  return IDL::traits<PortableServer::POA>::narrow(orb.resolve_initial_references("RootPOA"));
}

}  // namespace

int run_image_server(const std::string& scheme) {
  auto arguments = orb_arguments(scheme);
  auto orb = CORBA::ORB_init(arguments);
  auto poa = root_poa(*orb);
  auto store = CORBA::make_reference<StoreServant>();
  auto locator = CORBA::make_reference<LocatorServant>(store->_this());
  const auto reference = locator->_this();
  activate(*poa);
  std::cout << orb->object_to_string(reference) << std::endl;
  orb->run();
  return 0;
}

// The viewer is served by the ORB's threads while the main thread makes calls.
int run_image_client(const std::string& scheme, const std::string& locator) {
  auto arguments = orb_arguments(scheme);
  auto orb = CORBA::ORB_init(arguments);
  auto poa = root_poa(*orb);
  Client client(*orb, *poa, locator);
  std::jthread serving([&orb] { orb->run(); });
  const int status =
      serve_image_commands([&client](const std::string& way, Direction direction,
                                     std::size_t size) { client.transfer(way, direction, size); });
  orb->shutdown(true);
  return status;
}

}  // namespace perigee::bench
