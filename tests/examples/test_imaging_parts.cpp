// Parts of examples/imaging that need no network: tickets, the catalogue of a folder, checksums.
#include "catalogue.h"
#include "tickets.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

const Tickets::Clock::time_point start{};

Transfer transfer_of(const std::string& name) { return {{name, {}, {}}, 7}; }

/// A folder that is deleted at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "imaging.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream input(path_ / name);
    return {std::istreambuf_iterator<char>(input), {}};
  }

 private:
  fs::path path_;
};

const std::string sha_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

}  // namespace

TEST_CASE("a ticket is valid once, for its own transfer") {
  Tickets tickets({});
  const auto secret = tickets.issue(transfer_of("a.pgm"), start);
  REQUIRE(secret);
  const auto transfer = tickets.use(*secret, start);
  REQUIRE(transfer);
  CHECK(transfer->image.name == "a.pgm");
  CHECK(transfer->offset == 7);
  CHECK_FALSE(tickets.use(*secret, start));
}

TEST_CASE("a ticket expires at the end of its time") {
  Tickets tickets({.lifetime = 30s});
  const auto first = tickets.issue(transfer_of("a.pgm"), start);
  const auto second = tickets.issue(transfer_of("a.pgm"), start);
  CHECK(tickets.use(*first, start + 30s - 1ns));
  CHECK_FALSE(tickets.use(*second, start + 30s));
}

TEST_CASE("a secret with one wrong bit, or of a wrong size, is refused and uses no ticket up") {
  Tickets tickets({});
  const auto secret = tickets.issue(transfer_of("a.pgm"), start);
  for (const std::size_t place : {0UL, 15UL, 31UL}) {
    auto forged = *secret;
    forged[place] ^= std::byte{1};
    CHECK_FALSE(tickets.use(forged, start));
  }
  CHECK_FALSE(tickets.use(std::span(*secret).first(31), start));
  CHECK_FALSE(tickets.use({}, start));
  CHECK(tickets.use(*secret, start));
}

TEST_CASE("waiting tickets are limited; used and expired tickets make room") {
  Tickets tickets({.lifetime = 10s, .count_max = 2});
  const auto first = tickets.issue(transfer_of("a.pgm"), start);
  CHECK(tickets.issue(transfer_of("b.pgm"), start + 5s));
  CHECK_FALSE(tickets.issue(transfer_of("c.pgm"), start + 5s));
  CHECK(tickets.use(*first, start + 5s));
  CHECK(tickets.issue(transfer_of("c.pgm"), start + 5s));
  CHECK_FALSE(tickets.issue(transfer_of("d.pgm"), start + 5s));
  CHECK(tickets.issue(transfer_of("d.pgm"), start + 15s));
}

TEST_CASE("no two secrets are the same") {
  Tickets tickets({.count_max = 1000});
  std::set<Tickets::Secret> secrets;
  for (int count = 0; count < 1000; ++count)
    secrets.insert(tickets.issue(transfer_of("a.pgm"), start).value());
  CHECK(secrets.size() == 1000);
}

TEST_CASE("the catalogue has the checksum of a file, and writes it in the format of sha256sum") {
  const Folder folder;
  folder.write("a.pgm", "abc");
  Catalogue catalogue(folder.path());
  const auto entry = catalogue.find("a.pgm");
  REQUIRE(entry);
  CHECK(entry->version.size == 3);
  CHECK(to_hex(entry->checksum) == sha_of_abc);
  CHECK(folder.read("a.pgm.sha256").ends_with("\n" + sha_of_abc + "  a.pgm\n"));
}

TEST_CASE("a stored checksum is valid only for the same file size and modification time") {
  const Folder folder;
  folder.write("a.pgm", "abd");
  (void)Catalogue(folder.path()).find("a.pgm");
  const std::string kept = folder.read("a.pgm.sha256");
  std::string other = kept;
  other.replace(other.find('\n') + 1, 64, sha_of_abc);
  folder.write("a.pgm.sha256", other);
  CHECK(to_hex(Catalogue(folder.path()).find("a.pgm").value().checksum) == sha_of_abc);

  folder.write("a.pgm", "abd!");  // another size
  CHECK(to_hex(Catalogue(folder.path()).find("a.pgm").value().checksum) != sha_of_abc);
  folder.write("a.pgm.sha256", "# nonsense\n");
  CHECK(Catalogue(folder.path()).find("a.pgm").value().checksum.size() == 32);
}

TEST_CASE("a checksum file that is a symbolic link is not read") {
  const Folder folder;
  folder.write("a.pgm", "abd");
  (void)Catalogue(folder.path()).find("a.pgm");
  std::string other = folder.read("a.pgm.sha256");
  other.replace(other.find('\n') + 1, 64, sha_of_abc);
  folder.write("elsewhere", other);
  fs::remove(folder.path() / "a.pgm.sha256");
  fs::create_symlink("elsewhere", folder.path() / "a.pgm.sha256");
  CHECK(to_hex(Catalogue(folder.path()).find("a.pgm").value().checksum) != sha_of_abc);
  CHECK(folder.read("elsewhere") == other);
  CHECK(fs::is_regular_file(fs::symlink_status(folder.path() / "a.pgm.sha256")));
}

TEST_CASE("a file that has changed is not opened for its old entry") {
  const Folder folder;
  folder.write("a.pgm", "abc");
  Catalogue catalogue(folder.path());
  const auto entry = catalogue.find("a.pgm").value();
  CHECK(catalogue.open(entry));
  folder.write("a.pgm", "abcd");
  CHECK_FALSE(catalogue.open(entry));
  fs::remove(folder.path() / "a.pgm");
  CHECK_FALSE(catalogue.open(entry));
  CHECK_FALSE(catalogue.find("a.pgm"));
}

TEST_CASE("only regular files directly in the folder are images") {
  const Folder folder;
  folder.write("b.pgm", "b");
  folder.write("a.pgm", "a");
  folder.write("a.txt", "a");
  folder.write(".hidden.pgm", "a");
  fs::create_directory(folder.path() / "c.pgm");
  fs::create_symlink(folder.path() / "a.pgm", folder.path() / "d.pgm");
  REQUIRE(::mkfifo((folder.path() / "e.pgm").c_str(), 0600) == 0);
  Catalogue catalogue(folder.path());
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue.list()) names.push_back(entry.name);
  CHECK(names == std::vector<std::string>{"a.pgm", "b.pgm"});
}

TEST_CASE("a path is not the name of an image") {
  for (const char* name : {"a.pgm", "A-1_b.2.pgm", "0.pgm"}) CHECK(Catalogue::is_image_name(name));
  for (const char* name : {"", ".pgm", "..pgm", "../a.pgm", "/a.pgm", "a/b.pgm", "a\\b.pgm",
                           "a b.pgm", "a.pgm ", "a.pgm\n", "a", "-a.pgm", "\xc3\xa4.pgm"})
    CHECK_FALSE(Catalogue::is_image_name(name));
  CHECK_FALSE(Catalogue::is_image_name(std::string("a\0.pgm", 6)));
  CHECK_FALSE(Catalogue::is_image_name(std::string(200, 'a') + ".pgm"));
}

TEST_CASE("octets are converted to hexadecimal digits and back, and other texts are refused") {
  CHECK(to_hex(std::array<std::uint8_t, 3>{0x00, 0x1f, 0xff}) == "001fff");
  CHECK(from_hex("001Fff") == std::vector<std::uint8_t>{0x00, 0x1f, 0xff});
  for (const char* text : {"0", "0g", "-1", "+1", " 1", "0x"}) CHECK_FALSE(from_hex(text));
}
