// .npy and .npz files that the library writes and reads back, and files that are not valid.
#include <sys/stat.h>

#include "support.h"

static std::string npy(const std::string& header, const std::string& elements, int version = 1) {
  std::string text = "\x93NUMPY" + std::string{char(version), '\0'};
  for (int k = 0; k < (version == 1 ? 2 : 4); k++) text += char(header.size() >> (8 * k) & 255);
  return text + header + elements;
}

static std::string dictionary(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <class T> static void round_trips() {
  const Folder folder;
  const std::vector<std::vector<int64_t>> shapes{{},     {0},    {1},       {17},      {100007},
                                                 {2, 3}, {0, 3}, {3, 0, 2}, {257, 17}, {2, 1, 3, 1, 2, 1, 1, 2}};
  for (const auto& shape : shapes) {
    int64_t n = 1;
    for (int64_t extent : shape) n *= extent;
    CHECK_EQ(write(folder / "a.npy", shape, counting<T>(n)), "");
    CHECK_EQ(contents(folder / "a.npy").size() % 64, size_t(n) * sizeof(T) % 64);
    CHECK_EQ(read<T>(folder / "a.npy"), (Values<T>{shape, counting<T>(n), ""}));
  }
}
TEST(npy_round_trips) {
  round_trips<bool>(), round_trips<uint8_t>(), round_trips<int32_t>(), round_trips<uint32_t>();
  round_trips<int64_t>(), round_trips<uint64_t>(), round_trips<float>(), round_trips<double>();
}

TEST(npy_header_of_any_spelling) {
  const Folder folder;
  const std::string two = std::string("\1\0\0\0\2\0\0\0", 8);
  const Values<int32_t> right{{2}, {1, 2}, ""};
  const auto reads = [&](const std::string& text) { return read<int32_t>(folder.file("a.npy", text)); };
  for (int version : {1, 2, 3}) CHECK_EQ(reads(npy(dictionary("<i4", "(2,)"), two, version)), right);
  CHECK_EQ(reads(npy(dictionary("=i4", "(2L,)"), two)), right);
  CHECK_EQ(reads(npy("{\"shape\":(2,),\"descr\":\"<i4\",\"fortran_order\":True}", two)), right);
  CHECK_EQ(reads(npy(dictionary("<i4", "( 2 , )") + "    \n", two + "more")), right);
  CHECK_EQ(reads(npy(dictionary(">i4", "(2,)"), std::string("\0\0\0\1\0\0\0\2", 8))), right);
  CHECK_EQ(read<bool>(folder.file("b.npy", npy(dictionary("|b1", "(3,)"), std::string("\0\1\7", 3)))),
           (Values<bool>{{3}, {false, true, true}, ""}));
}

TEST(npy_in_fortran_order) {
  const Folder folder;
  const std::string six{0, 3, 1, 4, 2, 5};
  CHECK_EQ(read<uint8_t>(folder.file("a.npy", npy(dictionary("|u1", "(2, 3)", "True"), six))),
           (Values<uint8_t>{{2, 3}, {0, 1, 2, 3, 4, 5}, ""}));
  CHECK_EQ(read<uint8_t>(folder.file("a.npy", npy(dictionary("|u1", "(1, 2, 3)", "True"), six))),
           (Values<uint8_t>{{1, 2, 3}, {0, 1, 2, 3, 4, 5}, ""}));
}

TEST(npy_elements_are_converted) {
  const Folder folder;
  write<int32_t>(folder / "a.npy", {2, 2}, {1, 2, 3, 4});
  CHECK_EQ(read<float>(folder / "a.npy", nullptr, nullptr, WF_F32), (Values<float>{{2, 2}, {1, 2, 3, 4}, ""}));
}

TEST(npy_that_is_not_valid) {
  const Folder folder;
  const auto fails = [&](const std::string& text, const std::string& message) {
    CHECK(contains(error_of(folder.file("a.npy", text)), "a.npy\" " + message));
  };
  const std::string no = "is not a valid .npy file: ";
  fails("", no + "it does not start as one");
  fails("\x93NUMPY", no + "it does not start as one");
  fails(npy("", "", 4), no + "its version is 4; expected 1, 2 or 3");
  fails(npy(std::string(100, ' '), "").substr(0, 40), no + "it ends within the header");
  fails(npy("{'descr': '<i4'}", ""), no + "the header lacks descr, fortran_order or shape");
  fails(npy("{'descr: 4", ""), no + "a string of the header has no end");
  fails(npy("{'other': 4}", ""), no + "the header has the unknown key \"other\"");
  fails(npy(dictionary("<i4", "(-1,)"), ""), no + "an extent of the shape is not a number");
  fails(npy(dictionary("<i4", "(1 2)"), ""), no + "a comma or ) is missing");
  fails(npy(dictionary("<i4", "(99999999999999999999,)"), ""), no + "an extent of the shape is not a number");
  fails(npy(dictionary("<i4", "(3037000500, 3037000500)"), ""), no + "the size of its shape 3037000500 x 3037000500 overflows");
  fails(npy(dictionary("<i4", "(1000000000000,)"), "abcd"),
        no + "it has 4 bytes of elements, but its shape 1000000000000 of type i32 needs 4000000000000");
  fails(npy(dictionary("<i4", "(2,)") + "x", "12345678"), no + "the header has text after its dictionary");
  fails(npy(dictionary("<f2", "(2,)"), "1234"), "has elements of dtype '<f2'; expected bool, uint8, int32");
  fails(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234"), "has structured elements");
  fails(npy(dictionary("|u1", "(1,1,1,1,1,1,1,1,1)"), "1"), "has rank 9; expected at most 8");
}

TEST(paths_that_are_no_files) {
  const Folder folder;
  mkfifo((folder / "pipe.npy").c_str(), 0600);
  mkdir((folder / "folder.csv").c_str(), 0700);
  CHECK(contains(error_of(folder / "pipe.npy"), "is a named pipe; expected a regular file"));
  CHECK(contains(error_of(folder / "folder.csv"), "is a directory; expected a regular file"));
  CHECK(contains(error_of(folder / "none.png"), "cannot be opened: No such file"));
  CHECK(contains(error_of(folder / "none.txt"), "ends in none of the known formats; expected one of npy, npz, csv, png"));
  CHECK(contains(error_of(folder / "none.txt", "tiff"), "format is \"tiff\"; expected one of npy"));
  CHECK(contains(write<int>(folder / "pipe.npy", {1}, {1}), "is a pipe, socket or device; expected"));
  CHECK(contains(write<int>(folder / "missing/a.npy", {1}, {1}), "cannot be created: No such file"));
}

TEST(a_file_is_replaced_when_it_is_complete) {
  const Folder folder;
  const std::string path = folder / "a.npy";
  const auto values = counting<int32_t>(100007);
  write(path, {100007}, values);
  chmod(path.c_str(), 0640);
  std::filesystem::create_symlink("a.npy", folder / "link.npy");
  wf_seq* s = nullptr;
  CHECK_EQ(wf_read_array(context(), path.c_str(), nullptr, nullptr, -1, &s), WF_OK);
  CHECK_EQ(wf_write_arrays((folder / "link.npy").c_str(), nullptr, &s, nullptr, 1), WF_OK);  // reads its own mapping
  CHECK(std::filesystem::is_symlink(folder / "link.npy"));
  CHECK_EQ(values_of<int32_t>(s), (Values<int32_t>{{100007}, values, ""}));
  CHECK_EQ(read<int32_t>(path), (Values<int32_t>{{100007}, values, ""}));
  struct stat status;
  stat(path.c_str(), &status);
  CHECK_EQ(status.st_mode & 0777, 0640);
  wf_release(s);
  CHECK_EQ(std::distance(std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()), {}), 2);
}

static int32_t write_two(const std::string& path, const char* first, const char* second) {
  wf_seq* arrays[] = {make<float>({2, 3}, counting<float>(6)), make<int64_t>({}, {7})};
  const char* names[] = {first, second};
  const int32_t code = wf_write_arrays(path.c_str(), nullptr, arrays, names, 2);
  wf_release(arrays[0]), wf_release(arrays[1]);
  return code;
}

TEST(npz_round_trip) {
  const Folder folder;
  const std::string path = folder / "a.npz";
  CHECK_EQ(write_two(path, "weights", "bias"), WF_OK);
  CHECK_EQ(read<float>(path, nullptr, "weights"), (Values<float>{{2, 3}, counting<float>(6), ""}));
  CHECK_EQ(read<int64_t>(path, nullptr, "bias"), (Values<int64_t>{{}, {7}, ""}));
  char names[100];
  CHECK_EQ(wf_array_names(path.c_str(), names, 100, nullptr), WF_OK);
  CHECK_EQ(std::string(names), "weights\nbias\n");
  CHECK(contains(error_of(path), "no name is given and path"));
  CHECK(contains(error_of(path), "has 2 arrays; expected one of weights, bias"));
  CHECK(contains(error_of(path, nullptr, "x"), "name is \"x\", but path"));
  CHECK_EQ(write_two(path, "a", "a"), WF_ERROR_ARGUMENT);
  CHECK(contains(last_error(), "the 2nd name is \"a\", like the 1st one; expected different names"));
  CHECK_EQ(wf_write_arrays(path.c_str(), nullptr, nullptr, nullptr, 0), WF_OK);
  CHECK(contains(error_of(path), "has 0 arrays; expected one of no arrays"));
}

// NumPy appends a second array of a name, and reads the last one.
TEST(npz_with_two_arrays_of_one_name) {
  const Folder folder;
  write_two(folder / "a.npz", "first", "other");
  std::string text = contents(folder / "a.npz");
  for (size_t at; (at = text.find("other.npy")) != text.npos;) text.replace(at, 9, "first.npy");
  CHECK_EQ(read<int64_t>(folder.file("b.npz", text), nullptr, "first"), (Values<int64_t>{{}, {7}, ""}));
}

// A name that is no text is listed with escaped bytes, and read by either form.
TEST(names_and_types_in_messages) {
  const Folder folder;
  write_two(folder / "a.npz", "caf\xe9", "a\tb");
  const std::string path = folder / "a.npz";
  char names[100];
  CHECK_EQ(wf_array_names(path.c_str(), names, 100, nullptr), WF_OK);
  CHECK_EQ(std::string(names), "caf\\xe9\na\\x09b\n");
  for (const char* name : {"caf\xe9", "caf\\xe9"}) CHECK_EQ(read<float>(path, nullptr, name).shape, (std::vector<int64_t>{2, 3}));
  CHECK(contains(error_of(path, nullptr, "\xff"), "name is \"\\xff\", but path"));
  CHECK(contains(error_of(folder.file("a.npy", npy(dictionary(std::string("<f\0\xe9", 4), "(1,)"), "12345678"))),
                 "of dtype '<f\\x00\\xe9'; expected"));
}

TEST(npz_that_is_damaged) {
  const Folder folder;
  write_two(folder / "a.npz", "weights", "bias");
  const std::string text = contents(folder / "a.npz");
  std::string wrong = text;
  wrong[text.find("NUMPY") + 130]++;  // an element
  CHECK(contains(error_of(folder.file("b.npz", wrong), nullptr, "weights"),
                 "array \"weights\" is not a valid ZIP archive: its checksum differs"));
  CHECK(contains(error_of(folder.file("c.npz", text.substr(0, text.size() - 1)), nullptr, "bias"),
                 "is not a valid ZIP archive: it does not end as one"));
  CHECK(contains(error_of(folder.file("d.npz", "")), "is not a valid ZIP archive"));
}
