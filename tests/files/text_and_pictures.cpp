// CSV and PNG files.
#include <sys/resource.h>

#include <cmath>

#include "support.h"

template <class T = double> static Values<T> csv(const std::string& text, int32_t type = -1) {
  const Folder folder;
  return read<T>(folder.file("a.csv", text), nullptr, nullptr, type);
}
static std::string csv_error(const std::string& text, int32_t type = -1) {
  const Folder folder;
  return error_of(folder.file("a.csv", text), nullptr, nullptr, type);
}

TEST(csv_numbers) {
  const Values<double> right{{2, 3}, {1, -2.5, 3e2, 4, 5, 6}, ""};
  CHECK_EQ(csv("1,-2.5,3e2\n4,5,6\n"), right);
  CHECK_EQ(csv("1,-2.5,3e2\n4,5,6"), right);
  CHECK_EQ(csv("1,-2.5,3e2\r\n4,5,6\r\n\r\n"), right);
  CHECK_EQ(csv("a, \"b, c\" ,d\n 1 ,\t-2.5, +3e2\n\"4\",5,\"6\"\n"), right);
  CHECK_EQ(csv("\"b, c\",x,y\n1,-2.5,300\n4,5,6\n"), right);
  CHECK_EQ(csv("\xef\xbb\xbf"
               "1,-2.5,300\n4,5,6\n"),
           right);
  CHECK_EQ(csv("x\n1\n2\n"), (Values<double>{{2, 1}, {1, 2}, ""}));
  CHECK_EQ(csv(""), (Values<double>{{0, 0}, {}, ""}));
  CHECK_EQ(csv("a,b\n"), (Values<double>{{0, 2}, {}, ""}));
  CHECK_EQ(csv("inf,1e999,-1e999,1e-999\n").elements, (std::vector<double>{INFINITY, INFINITY, -INFINITY, 0}));
  CHECK(csv("nan\n").elements[0] != csv("nan\n").elements[0]);
}

TEST(csv_of_other_types) {
  CHECK_EQ(csv<float>("0.1,1e39\n", WF_F32).elements, (std::vector<float>{0.1f, INFINITY}));
  CHECK_EQ(csv<int64_t>("9223372036854775807,-9223372036854775808\n", WF_I64).elements, (std::vector<int64_t>{INT64_MAX, INT64_MIN}));
  CHECK_EQ(csv<bool>("0,1\n1,1\n", WF_BOOL), (Values<bool>{{2, 2}, {false, true, true, true}, ""}));
  CHECK(contains(csv_error("1,256\n", WF_U8), "line 1: column 2 has \"256\"; expected a number of type u8"));
  CHECK(contains(csv_error("1,2.5\n", WF_I32), "line 1: column 2 has \"2.5\"; expected a number of type i32"));
  CHECK(contains(csv_error("0,2\n", WF_BOOL), "line 1: column 2 has \"2\"; expected a number of type bool"));
}

// A first line that may be meant as data is no heading.
TEST(csv_headings) {
  for (const char* heading : {"a,b", "\"\",x", "x,NA", "\"a \"\"b\"\", c\",y", "\xc3\xa4,\xc3\xb6", "_1,(2)", "e,E", "speed [m/s],-"})
    CHECK_EQ(csv(heading + std::string("\n1,2\n")), (Values<double>{{1, 2}, {1, 2}, ""}));
  for (const char* line : {"NA,NA", "1;2", "1|2", "0x1F,0x2A", "2026-11-28,x", "1,5;2,5", "NA;NA", ",", "null,", ".5x,a", "1st,2nd",
                           "12:30,x", "'1','2'", "$5,-$6"})
    CHECK(contains(csv_error(line + std::string("\n1,2\n")), "line 1: column "));
  CHECK(contains(csv_error("\n1,2\n"), "line 1: column 1 has \"\""));
  CHECK(contains(csv_error({"\xff\xfe"
                            "a\0,\0b\0\n",
                            9}),
                 "line 1: column 1 has "));
  CHECK(contains(csv_error("1,2\nNA,NA\n"), "line 2: column 1 has \"NA\""));
  CHECK(contains(csv_error("1,2,\n"), "line 1: column 3 has \"\""));
  CHECK(contains(csv_error("1,2\r3,4\n"), "line 1: column 2 has "));
}

// Messages are valid UTF-8 and whole: other bytes are escaped, and no character is cut.
TEST(csv_messages) {
  const std::string a_umlaut = "\xc3\xa4";
  CHECK(contains(csv_error("1,caf\xe9\n"), "column 2 has \"caf\\xe9\"; expected a number of type f64"));
  CHECK(contains(csv_error({"1,a\0b\n", 6}), "column 2 has \"a\\x00b\"; expected a number of type f64"));
  CHECK(contains(csv_error("1," + a_umlaut + "\n"), "column 2 has \"" + a_umlaut + "\"; expected"));
  std::string many = "x";
  for (int k = 0; k < 40; k++) many += a_umlaut;
  CHECK(contains(csv_error("1," + many + "\n"), "column 2 has \"" + many.substr(0, 41) + "...\"; expected"));
  const std::pair<const char*, const char*> escaped[] = {
      {"\xc3", "\\xc3"},
      {"\xc0\x80", "\\xc0\\x80"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
      {"\xe2\x82", "\\xe2\\x82"},
      {"\x1b[1m", "\\x1b[1m"},
      {"\xc2\x9b", "\\xc2\\x9b"},
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
  };
  for (auto [bytes, shown] : escaped)
    CHECK(contains(csv_error("1," + std::string(bytes) + "\n"), std::string("has \"") + shown + "\"; expected"));
  const Folder folder;
  CHECK(contains(error_of(folder / "caf\xe9\n.csv"), "caf\\xe9\\x0a.csv\" cannot be opened"));
}

TEST(csv_that_is_not_valid) {
  CHECK(contains(csv_error("1,2\n3,4,5\n"), "a.csv\", line 2: the line has 3 fields; expected 2 as in the first line"));
  CHECK(contains(csv_error("1,2\n3\n"), "line 2: the line has 1 field; expected 2"));
  CHECK(contains(csv_error("x,y\n1,2\n\n3,4\n"), "line 3: column 1 has \"\"; expected a number"));
  CHECK(contains(csv_error("x,y\n1,2\n3,4x\n"), "line 3: column 2 has \"4x\"; expected a number of type f64"));
  CHECK(contains(csv_error("1,x\n"), "line 1: column 2 has \"x\""));
  CHECK(contains(csv_error("1,\"2\n"), "line 1: column 2 has \"\"2\""));
  CHECK(contains(csv_error("1,\"2\"3\n"), "line 1: column 2 has \"\"2\"3\""));
  CHECK(contains(csv_error("1,+-2\n"), "line 1: column 2 has \"+-2\""));
  CHECK(contains(csv_error(std::string(1000, ',') + "1" + std::string(5000, '\n') + "1"), "line 2: the line has 1 field; expected 1001"));
}

// Several pieces: the rows of each have their places, and the first wrong line is reported.
TEST(csv_of_many_lines) {
  const int64_t rows = 300007;
  std::string text = "i,square\n";
  std::vector<double> right;
  for (int64_t k = 0; k < rows; k++) {
    text += std::to_string(k) + "," + std::to_string(k * k) + "\n";
    right.insert(right.end(), {double(k), double(k) * double(k)});
  }
  CHECK(csv(text) == (Values<double>{{rows, 2}, right, ""}));
  std::string wrong = text;
  for (int64_t line : {290000, 150000, 200000}) wrong.replace(wrong.find("\n" + std::to_string(line - 2) + ",") + 1, 1, "x");
  CHECK(contains(csv_error(wrong), "line 150000: column 1 has \"x49998\""));
}

template <class F> static std::vector<uint8_t> pixels(int64_t n, F f) {
  std::vector<uint8_t> values(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; k++) values[size_t(k)] = uint8_t(f(k));
  return values;
}

TEST(png_round_trips) {
  const Folder folder;
  if (!contains(write<uint8_t>(folder / "a.png", {1, 1}, {7}), "")) return;
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{{1, 1}, {17, 257}, {257, 17, 2}, {3, 5, 3}, {301, 401, 4}}) {
    int64_t n = 1;
    for (int64_t extent : shape) n *= extent;
    const auto values = pixels(n, [](int64_t k) { return k * k + k / 7; });
    CHECK_EQ(write(folder / "a.png", shape, values), "");
    CHECK(read<uint8_t>(folder / "a.png") == (Values<uint8_t>{shape, values, ""}));
  }
  CHECK_EQ(write<uint8_t>(folder / "a.png", {1, 2, 1}, {7, 9}), "");
  CHECK_EQ(read<uint8_t>(folder / "a.png"), (Values<uint8_t>{{1, 2}, {7, 9}, ""}));
}

// A header alone, of 2^31 - 1 x 1 pixels: no memory for a row of it.
TEST(png_that_is_too_small_for_its_size) {
  const auto big_endian = [](uint32_t x) { return std::string{char(x >> 24), char(x >> 16), char(x >> 8), char(x)}; };
  const auto chunk = [&](const std::string& text) {
    uint32_t crc = ~0u;
    for (char c : text) {
      crc ^= uint8_t(c);
      for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return big_endian(uint32_t(text.size() - 4)) + text + big_endian(~crc);
  };
  const Folder folder;
  for (const std::string& kind : {std::string("\x08\0\0\0\0", 5), std::string("\x10\6\0\0\1", 5)}) {
    const std::string header = chunk("IHDR" + big_endian(0x7fffffff) + big_endian(1) + kind);
    const std::string path = folder.file("a.png", "\x89PNG\r\n\x1a\n" + header + chunk("IDAT" + std::string(8, 'x')) + chunk("IEND"));
    rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    CHECK(contains(error_of(path), "is not a valid PNG file: its bytes are too few for an image of its width and height"));
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_maxrss < before.ru_maxrss + (64 << 10));
  }
}

TEST(png_that_is_not_valid) {
  const Folder folder;
  CHECK(contains(write<float>(folder / "a.png", {1, 1}, {7}), "the array has type f32; expected u8: cast it"));
  CHECK(contains(write<uint8_t>(folder / "a.png", {2}, {7, 8}), "the array has shape 2; expected height x width"));
  CHECK(contains(write<uint8_t>(folder / "a.png", {1, 1, 5}, {1, 2, 3, 4, 5}), "the array has shape 1 x 1 x 5; expected height x width"));
  CHECK(contains(write<uint8_t>(folder / "a.png", {0, 3}, {}), "the array has shape 0 x 3; expected height x width"));
  write(folder / "a.png", {17, 17}, counting<uint8_t>(289));
  const std::string text = contents(folder / "a.png");
  for (size_t length : {0, 7, 20, 60}) CHECK(contains(error_of(folder.file("b.png", text.substr(0, length))), "is not a valid PNG file: "));
  std::string wrong = text;
  wrong[18] = 1;  // the width
  CHECK(contains(error_of(folder.file("c.png", wrong)), "is not a valid PNG file: IHDR: CRC error"));
}
