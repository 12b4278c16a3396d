// image_generator: makes a picture of any size that resembles a radiograph, with 16 bits a pixel.
// Also makes the file with its checksum.
#include "catalogue.h"
#include "checksum.h"

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <system_error>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path file;
  double mebioctets = 10;
  std::uint32_t seed = 1;
};

/// A file that gets its name when it is whole. Computes the checksum of the octets that it writes.
class ImageFile {
 public:
  explicit ImageFile(fs::path path)
      : path_(std::move(path)), unfinished_(path_.string() + "." + std::to_string(::getpid())) {
    fd_ = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) fail();
  }
  ~ImageFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(unfinished_.c_str());
  }
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;

  void write(std::span<const std::byte> octets) {
    sha_.add(octets);
    while (!octets.empty()) {
      const ssize_t count = ::write(fd_, octets.data(), octets.size());
      if (count < 0) fail();
      octets = octets.subspan(static_cast<std::size_t>(count));
    }
  }
  void finish() {
    if (::fsync(fd_) != 0) fail();
    const FileVersion version = version_of(fd_);
    ::close(std::exchange(fd_, -1));
    fs::rename(unfinished_, path_);
    write_checksum_file(path_, version, sha_.finish());
  }

 private:
  [[noreturn]] void fail() const {
    throw std::system_error(errno, std::system_category(), unfinished_.string());
  }

  const fs::path path_;
  const fs::path unfinished_;
  int fd_ = -1;
  Sha256 sha_;
};

/// How bright the body, and how dark the lungs make a column or a row of the picture.
struct Shade {
  double body;
  double lungs;
};

/// A place of a column, or of a row, in the picture: from -1 to 1.
double place(std::size_t index, std::size_t count) {
  return 2 * static_cast<double>(index) / static_cast<double>(count) - 1;
}

Shade shade_of_column(double x) {
  const auto lung = [x](double middle) { return std::exp(-12 * (x - middle) * (x - middle)); };
  return {std::exp(-2 * x * x), lung(-0.45) + lung(0.45)};
}

Shade shade_of_row(double y) { return {std::exp(-2 * y * y), std::exp(-3 * y * y)}; }

// The picture is brighter in the middle, with two darker lungs and the noise of the detector.
std::uint16_t pixel(const Shade& column, const Shade& row, double noise) {
  const double light =
      0.15 + 0.75 * column.body * row.body - 0.4 * column.lungs * row.lungs + 0.02 * noise;
  return static_cast<std::uint16_t>(std::clamp(light, 0.0, 1.0) * 65535);
}

void generate(const Options& options) {
  const double pixels = options.mebioctets * 1024 * 1024 / 2;
  const auto width = static_cast<std::size_t>(std::max(1.0, std::round(std::sqrt(pixels))));
  const auto height = static_cast<std::size_t>(std::ceil(pixels / static_cast<double>(width)));
  ImageFile file(options.file);
  const std::string header =
      "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n65535\n";
  file.write(std::as_bytes(std::span(header)));
  std::minstd_rand random(options.seed);
  const auto noise = [&random] {  // from -1 to 1
    return 2 * static_cast<double>(random()) / static_cast<double>(random.max()) - 1;
  };
  std::vector<Shade> columns(width);
  for (std::size_t x = 0; x < width; ++x) columns[x] = shade_of_column(place(x, width));
  std::vector<std::uint8_t> row(2 * width);  // the more significant octet first
  for (std::size_t y = 0; y < height; ++y) {
    const Shade shade = shade_of_row(place(y, height));
    for (std::size_t x = 0; x < width; ++x) {
      const std::uint16_t value = pixel(columns[x], shade, noise());
      row[2 * x] = static_cast<std::uint8_t>(value >> 8);
      row[2 * x + 1] = static_cast<std::uint8_t>(value & 0xff);
    }
    file.write(std::as_bytes(std::span(row)));
  }
  file.finish();
}

}  // namespace

int main(int argc, char* argv[]) try {
  Options options;
  CLI::App app("Makes an image (PGM, 16 bits a pixel), and the file with its checksum.");
  app.add_option("file", options.file, "<name>.pgm")->required();
  app.add_option("--mib", options.mebioctets, "least size of the image in MiB")
      ->check(CLI::Range(0.001, 4096.0))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "another seed makes another image")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (!Catalogue::is_image_name(options.file.filename().string()))
    throw std::runtime_error(options.file.string() +
                             ": an image's name has letters, digits and -_., and ends in .pgm");
  generate(options);
} catch (const std::exception& error) {
  std::cerr << "image_generator: " << error.what() << '\n';
  return 1;
}
