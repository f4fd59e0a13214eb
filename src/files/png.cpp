// PNG files by libpng. libpng reports errors by longjmp, so the functions that it jumps to own nothing: all memory belongs to their callers.
#include <algorithm>
#include <cstring>

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

void png_take(png_structp png, png_bytep to, png_size_t n) {
  auto* input = static_cast<PngInput*>(png_get_io_ptr(png));
  if (n > input->rest.size()) png_error(png, "it ends within the image");
  std::memcpy(to, input->rest.data(), n);
  input->rest.remove_prefix(n);
}

class PngReader {
 public:
  explicit PngReader(std::string_view text) : input_{text, {}} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &input_, png_failed, png_warned);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) throw std::bad_alloc();
    png_set_read_fn(png_, &input_, png_take);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;

  // Reads up to the pixels, which will be 8 bits per channel. Returns false after an error.
  bool read_header(PngHeader& header) {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_info(png_, info_);
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
  const std::string& error() const { return input_.error; }

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
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &input_, png_failed, png_warned);
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
  const std::string& error() const { return input_.error; }
  Bytes bytes() const { return {reinterpret_cast<const std::byte*>(file_.data()), file_.size(), nullptr}; }

 private:
  static void append(png_structp png, png_bytep data, png_size_t n) {
    std::string& file = static_cast<PngWriter*>(png_get_io_ptr(png))->file_;
    bool is_stored = true;
    try {
      file.append(reinterpret_cast<const char*>(data), n);
    } catch (const std::bad_alloc&) { is_stored = false; }
    if (!is_stored) png_error(png, "memory is exhausted");
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
  // A byte of a deflated stream makes at most 1032 bytes, and a byte of an image at most 8 pixels with 4 channels.
  if (!n || size_t(*n) / (32 * 1032) > file.size)
    fail("its " + std::to_string(file.size) + " bytes cannot contain an image of " + text_of(extents) + " bytes");
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
