// Arrays in files, from C++. tests/files has the formats themselves.
#include <cstdio>
#include <filesystem>

#include "arrays.h"

using namespace warpfold;

static std::string path_of(const char* name) { return (std::filesystem::temp_directory_path() / name).string(); }

TEST(npy_and_npz) {
  const std::string path = path_of("warpfold-arrays.npy"), archive = path_of("warpfold-arrays.npz");
  const auto a = numbered(17, 257);
  write_npy(path, t(a) * 2);
  CHECK(read_npy<int, 2>(path).to_vector() == (t(a) * 2).to_vector());
  CHECK(read_npy<float, 2>(path).to_vector() == cast<float>(t(a) * 2).to_vector());
  CHECK(contains_text(message([&] { read_npy<int, 3>(path); }), "has an array of shape 257 x 17; expected rank 3"));
  write_npz(archive, {"a", "sum", "row"}, a, sum(a), a[1].flat());
  CHECK_EQ(npz_names(archive), (std::vector<std::string>{"a", "sum", "row"}));
  CHECK(read_npz<int, 2>(archive, "a").to_vector() == a.to_vector());
  CHECK_EQ((read_npz<int, 0>(archive, "sum").get()), sum(a).get());
  const Seq<int> row = read_npz<int, 1>(archive, "row");
  CHECK(row.to_vector() == a[1].to_vector());
  CHECK_THROWS(ArgumentError, read_npz<int, 1>(archive));
  CHECK_THROWS(IoError, read_npy<int, 1>("/none"));
  std::remove(path.c_str()), std::remove(archive.c_str());
}

TEST(images) {
  const std::string path = path_of("warpfold-arrays.png");
  const auto image = cast<uint8_t>(array([](auto y, auto x, auto c) { return 10 * y + 3 * x + c; }, 7, 9, 3));
  write_png(path, image);
  CHECK_EQ(read_png<3>(path).to_vector(), image.to_vector());
  CHECK_THROWS(SizeError, read_png<2>(path));
  write_png(path, image(every, every, 0));
  CHECK_EQ(read_png<2>(path).to_vector(), image(every, every, 0).to_vector());
  std::remove(path.c_str());
}
