// Files with random changes: each is read, or is an error with a message. Run under AddressSanitizer, this finds accesses outside of files.
#include <zlib.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "support.h"

static std::string npz_of_deflated(const std::string& member) {
  std::string deflated(member.size() + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member.data())), stream.avail_in = uInt(member.size());
  stream.next_out = reinterpret_cast<Bytef*>(deflated.data()), stream.avail_out = uInt(deflated.size());
  deflate(&stream, Z_FINISH);
  deflated.resize(stream.total_out);
  deflateEnd(&stream);
  const auto number = [](uint64_t x, int bytes) {
    std::string text;
    for (int k = 0; k < bytes; k++) text += char(x >> (8 * k) & 255);
    return text;
  };
  const std::string common = number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) +
                             number(crc32(0, reinterpret_cast<const Bytef*>(member.data()), uInt(member.size())), 4) +
                             number(deflated.size(), 4) + number(member.size(), 4) + number(5, 2) + number(0, 2);
  const std::string local = number(0x04034b50, 4) + common + "a.npy";
  const std::string central =
      number(0x02014b50, 4) + number(20, 2) + common + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(0, 4) + "a.npy";
  const std::string end = number(0x06054b50, 4) + number(0, 4) + number(1, 2) + number(1, 2) + number(central.size(), 4) +
                          number(local.size() + deflated.size(), 4) + number(0, 2);
  return local + deflated + central + end;
}

// The text with a few changes: bytes replaced, inserted, removed or doubled, numbers made large, the end cut off.
static std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](size_t n) { return random() % std::max<size_t>(n, 1); };
  for (size_t changes = 1 + below(4); changes > 0 && !text.empty(); changes--) {
    const size_t at = below(2) ? below(text.size()) : below(std::min<size_t>(text.size(), 200));
    switch (below(7)) {
      case 0: text[at] = char(random()); break;
      case 1: text[at] ^= char(1 << below(8)); break;
      case 2: text.insert(at, 1 + below(9), char(random())); break;
      case 3: text.erase(at, 1 + below(9)); break;
      case 4: text.resize(at); break;
      case 5: std::fill_n(text.begin() + int64_t(at), std::min<size_t>(text.size() - at, 1 + below(8)), char(below(2) ? 255 : 0)); break;
      case 6: text.insert(at, text.substr(below(text.size()), below(50))); break;
    }
  }
  return text;
}

static int64_t valid = 0, refused = 0;

static void read_mutated(const std::string& ending, const std::string& text, int times) {
  const Folder folder;
  std::mt19937 random(15210);
  for (int k = 0; k < times; k++) {
    const std::string path = folder.file("a." + ending, mutated(text, random));
    wf_seq* s = nullptr;
    if (wf_read_array(context(), path.c_str(), nullptr, nullptr, k % 5 == 4 ? k % 8 : -1, &s) != WF_OK) {
      CHECK(s == nullptr && last_error().size() > 20);
      refused++;
      continue;
    }
    valid++;
    const void* data;
    int64_t n;
    CHECK_EQ(wf_data(s, 0, &data, &n), WF_OK);
    wf_seq* back = s;
    if (ending == "npy") CHECK_EQ(wf_write_arrays((folder / "b.npy").c_str(), nullptr, &back, nullptr, 1), WF_OK);
    wf_release(s);
  }
}

static void both_happen() {
  CHECK(valid > 0 && refused > 0);
  valid = refused = 0;
}

TEST(mutated_npy) {
  const Folder folder;
  write(folder / "a.npy", {5, 7}, counting<int32_t>(35));
  read_mutated("npy", contents(folder / "a.npy"), 4000);
  both_happen();
}
TEST(mutated_npz) {
  const Folder folder;
  wf_seq* arrays[] = {make<float>({2, 3}, counting<float>(6))};
  const char* names[] = {"a"};
  wf_write_arrays((folder / "a.npz").c_str(), nullptr, arrays, names, 1);
  wf_release(arrays[0]);
  read_mutated("npz", contents(folder / "a.npz"), 4000);
  both_happen();
}
TEST(mutated_deflated_npz) {
  const Folder folder;
  write(folder / "a.npy", {50, 70}, counting<int32_t>(3500));
  const std::string text = npz_of_deflated(contents(folder / "a.npy"));
  CHECK_EQ(read<int32_t>(folder.file("a.npz", text)), (Values<int32_t>{{50, 70}, counting<int32_t>(3500), ""}));
  read_mutated("npz", text, 4000);
  both_happen();
}
// 256 MiB of zeros after a header of 8 GiB, or of a few bytes: nothing but the header is inflated.
TEST(deflated_npz_whose_header_claims_another_size) {
  for (const char* shape : {"(8589934592,)", "(7,)", "(0, 3)", "()"}) {
    const std::string dictionary = std::string("{'descr': '|u1', 'fortran_order': False, 'shape': ") + shape + ", }\n";
    std::string member = "\x93NUMPY" + std::string{1, 0, char(dictionary.size()), 0} + dictionary;
    member.resize(size_t(1) << 28);
    const Folder folder;
    const std::string path = folder.file("a.npz", npz_of_deflated(member));
    const std::clock_t before = std::clock();
    CHECK(contains(error_of(path), "array \"a\" is not a valid .npy file: it has 268435"));
    CHECK(std::clock() - before < CLOCKS_PER_SEC / 20);
  }
}
TEST(mutated_csv) {
  read_mutated("csv", "a,b,\"c\"\n1,2.5,-3e7\n4,\"5\",6\n7,8,9\n10,11,12\n", 4000);
  both_happen();
}
TEST(mutated_png) {
  const Folder folder;
  write(folder / "a.png", {31, 17, 3}, counting<uint8_t>(31 * 17 * 3));
  // libpng stops at a wrong checksum, so most changes are found by it; those of the pixels' checksum are among them.
  read_mutated("png", contents(folder / "a.png"), 4000);
  CHECK(refused > 0);
  valid = refused = 0;
}
