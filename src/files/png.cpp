// PNG files by libpng. libpng reports errors by longjmp, so the functions that it jumps to own nothing: all memory belongs to their callers.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "engine/engine.h"
#include "files/formats.h"
#include "lazy/shape.h"

#ifdef WF_PNG
#include <png.h>
#endif

namespace wf {

#ifdef WF_PNG

namespace {

struct PngInput {
  std::string_view rest;
  std::string error;
  bool lacks_memory = false;
};

struct PngHeader {
  png_uint_32 width, height;
  int channels;
};

[[noreturn]] void png_failed(png_structp png, png_const_charp message) {
  static_cast<PngInput*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}

void png_warned(png_structp, png_const_charp) {}

png_voidp png_allocated(png_structp png, png_alloc_size_t bytes) {
  void* memory = std::malloc(bytes);
  if (!memory) static_cast<PngInput*>(png_get_mem_ptr(png))->lacks_memory = true;
  return memory;
}
void png_freed(png_structp, png_voidp memory) { std::free(memory); }

void png_take(png_structp png, png_bytep to, png_size_t n) {
  auto* input = static_cast<PngInput*>(png_get_io_ptr(png));
  if (n > input->rest.size()) png_error(png, "it ends within the image");
  std::memcpy(to, input->rest.data(), n);
  input->rest.remove_prefix(n);
}

const std::string& error_in(const PngInput& input) {
  if (input.lacks_memory) throw std::bad_alloc();
  return input.error;
}

class PngReader {
 public:
  explicit PngReader(std::string_view text) : input_{text, {}} {
    png_ = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &input_, png_failed, png_warned, &input_, png_allocated, png_freed);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) throw std::bad_alloc();
    png_set_read_fn(png_, &input_, png_take);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;

  // Reads up to the pixels, which will be 8 bits per channel. Returns false after an error.
  bool read_header(PngHeader& header) {
    const size_t bytes = input_.rest.size();
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_info(png_, info_);
    // A byte of a deflated stream makes at most 1032 bytes. Compared before libpng allocates rows.
    const uint64_t pixels = uint64_t(png_get_image_width(png_, info_)) * png_get_image_height(png_, info_);
    const auto bits = uint64_t(png_get_bit_depth(png_, info_)) * png_get_channels(png_, info_);
    if (pixels / (8 * 1032) > bytes / bits) png_error(png_, "its bytes are too few for an image of its width and height");
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    header = {png_get_image_width(png_, info_), png_get_image_height(png_, info_), png_get_channels(png_, info_)};
    return true;
  }
  bool read_rows(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }
  // After an error. Throws std::bad_alloc if memory was exhausted.
  const std::string& error() const { return error_in(input_); }

 private:
  PngInput input_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

std::vector<int64_t> png_extents(const PngHeader& header) {
  std::vector<int64_t> extents{header.height, header.width};
  if (header.channels > 1) extents.push_back(header.channels);
  return extents;
}

std::vector<png_bytep> rows_of(std::byte* data, const PngHeader& header) {
  std::vector<png_bytep> rows(header.height);
  const size_t pitch = size_t(header.width) * size_t(header.channels);
  for (size_t y = 0; y < rows.size(); y++) rows[y] = reinterpret_cast<png_bytep>(data) + y * pitch;
  return rows;
}

class PngWriter {
 public:
  PngWriter() {
    png_ = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &input_, png_failed, png_warned, &input_, png_allocated, png_freed);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) throw std::bad_alloc();
    png_set_write_fn(png_, this, append, nullptr);
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;

  bool write(const PngHeader& header, png_bytepp rows) {
    constexpr int color_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png_, info_, header.width, header.height, 8, color_types[header.channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    png_write_image(png_, rows);
    png_write_end(png_, nullptr);
    return true;
  }
  const std::string& error() const { return error_in(input_); }
  Bytes bytes() const { return {reinterpret_cast<const std::byte*>(file_.data()), file_.size(), nullptr}; }

 private:
  static void append(png_structp png, png_bytep data, png_size_t n) {
    auto& writer = *static_cast<PngWriter*>(png_get_io_ptr(png));
    try {
      writer.file_.append(reinterpret_cast<const char*>(data), n);
    } catch (const std::bad_alloc&) { writer.input_.lacks_memory = true; }
    if (writer.input_.lacks_memory) png_error(png, "memory is exhausted");
  }

  PngInput input_;
  std::string file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

PngHeader png_header_of(const ArrayToWrite& array) {
  const auto& e = array.extents;
  const bool has_channels = e.size() == 3 && e[2] >= 1 && e[2] <= 4;
  if (array.type != Type::U8)
    throw TypeError("the array has type " + std::string(name(array.type)) + "; expected u8: cast it, after * 255 if 1 is white");
  if ((e.size() != 2 && !has_channels) || e[0] < 1 || e[1] < 1 || e[0] > PNG_UINT_31_MAX || e[1] > PNG_UINT_31_MAX)
    throw SizeError("the array has shape " + text_of(e) +
                    "; expected height x width, or height x width x channels with 1 to 4 channels, and at least one pixel");
  return {png_uint_32(e[1]), png_uint_32(e[0]), has_channels ? int(e[2]) : 1};
}

}  // namespace

FileArray read_png(const ReadRequest& request) {
  const Bytes file = map_file(request.path);
  PngReader reader(file.text());
  PngHeader header{};
  const auto fail = [&](const std::string& what) { throw IoError(quoted(request.path) + " is not a valid PNG file: " + what); };
  if (!reader.read_header(header)) fail(reader.error());
  const std::vector<int64_t> extents = png_extents(header);
  const std::optional<int64_t> n = element_count(extents, Type::U8);
  if (!n) fail("the size of its image " + text_of(extents) + " overflows 64 bits");
  FileArray image{Type::U8, extents, Buffer::make(request.pool, size_t(*n))};
  std::vector<png_bytep> rows = rows_of(image.elements->host_for_writing(), header);
  if (!reader.read_rows(rows.data())) fail(reader.error());
  return image;
}

void write_png(const std::string& path, std::span<const ArrayToWrite> arrays) {
  const PngHeader header = png_header_of(arrays[0]);
  std::vector<png_bytep> rows = rows_of(const_cast<std::byte*>(arrays[0].elements.data), header);
  PngWriter writer;
  if (!writer.write(header, rows.data())) throw IoError(quoted(path) + " cannot be written as PNG: " + writer.error());
  const Bytes bytes = writer.bytes();
  write_file(path, {&bytes, 1});
}

#else

[[noreturn]] static void no_libpng() {
  throw UnsupportedError("this build of the library has no support for PNG: install libpng-dev, and configure and build the library again");
}
FileArray read_png(const ReadRequest&) { no_libpng(); }
void write_png(const std::string&, std::span<const ArrayToWrite>) { no_libpng(); }

#endif

}  // namespace wf
