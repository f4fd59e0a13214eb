// PNG files in and out, by libpng's simplified interface.
#pragma once

#include <png.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Rows of pixels from the top; a pixel has one byte (grey) or three (red, green, blue).
struct Picture {
  uint32_t width, height;
  int channels;
  std::vector<uint8_t> bytes;
};

inline png_image header_of(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  return image;
}

inline void write_png(const std::string& name, const Picture& picture) {
  png_image image = header_of(picture);
  if (!png_image_write_to_file(&image, name.c_str(), 0, picture.bytes.data(), 0, nullptr))
    throw std::runtime_error(name + ": " + image.message);
}

// The picture in grey.
inline Picture read_grey_png(const std::string& name) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, name.c_str())) throw std::runtime_error(name + ": " + image.message);
  image.format = PNG_FORMAT_GRAY;
  Picture picture{image.width, image.height, 1, std::vector<uint8_t>(PNG_IMAGE_SIZE(image))};
  if (!png_image_finish_read(&image, nullptr, picture.bytes.data(), 0, nullptr)) throw std::runtime_error(name + ": " + image.message);
  return picture;
}
