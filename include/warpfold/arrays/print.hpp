// std::cout << a: rows and columns aligned; long axes are shortened in the middle.
//
//     [ 0  1  2  3 ...  96  97  98  99]
//     [ 1  2  3  4 ...  97  98  99 100]
//     ...
//     [99 98 97 96 ...   3   2   1   0]
#pragma once

#include <iomanip>

#include "warpfold/arrays/slicing.hpp"
#include "warpfold/print.hpp"

namespace warpfold {
namespace arrays {

// The positions of an axis that are printed; -1 for the gap.
inline std::vector<int64_t> printed_positions(int64_t n) {
  constexpr int64_t most = 10, side = 4;
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < n; i++)
    if (n <= most || i < side || i >= n - side) positions.push_back(i);
    else if (i == side) positions.push_back(-1);
  return positions;
}

// The printed elements, row by row; "..." in a gap.
template <class T, int R> class Printed {
 public:
  Printed(std::ostream& out, const Array<T, R>& a) : out_(out), shape_(a.shape()) {
    for (size_t k = 0; k < R; k++) positions_[k] = printed_positions(shape_[k]);
    read(a);
    print<0>(0);
  }

 private:
  // Reads the printed positions only: the first and the last ones of each axis.
  void read(const Array<T, R>& a) {
    a.force();
    const auto steps = strides_of<R>(shape_);
    Seq<T> flat = a.flat();
    std::ostringstream text;
    text.copyfmt(out_);
    text.width(0);
    auto visit = [&](auto& self, size_t axis, int64_t offset) -> void {
      for (int64_t i : positions_[axis]) {
        const int64_t at = offset + i * steps[axis];
        if (axis + 1 < R) {
          if (i >= 0) self(self, axis + 1, at);
          continue;
        }
        text.str(i < 0 ? "..." : "");
        if (i >= 0) detail::print_value(text, static_cast<T>(flat[at].get()));
        texts_.push_back(text.str());
      }
    };
    visit(visit, 0, 0);
    const size_t columns = positions_[R - 1].size();
    widths_.assign(columns, 0);
    for (size_t k = 0; k < texts_.size(); k++) widths_[k % columns] = std::max(widths_[k % columns], texts_[k].size());
  }

  // Prints the part from texts_[from] on of the axes from `axis` on; returns the end of the part.
  template <size_t axis> size_t print(size_t from) {
    const auto& positions = positions_[axis];
    if constexpr (axis + 1 < R) {
      for (size_t k = 0; k < positions.size(); k++) {
        if (k > 0) out_ << std::string(R - 1 - axis, '\n');
        if (positions[k] >= 0) from = print<axis + 1>(from);
        else out_ << "...";
      }
      return from;
    } else {
      out_ << '[';
      for (size_t k = 0; k < positions.size(); k++) {
        const std::string& text = texts_[from + k];
        out_ << (k > 0 ? " " : "") << std::string(widths_[k] - text.size(), ' ') << text;
      }
      out_ << ']';
      return from + positions.size();
    }
  }

  std::ostream& out_;
  const Shape<R> shape_;
  std::array<std::vector<int64_t>, R> positions_;
  std::vector<std::string> texts_;
  std::vector<size_t> widths_;
};

// Forces the array. One without elements is printed as its shape.
template <class T, int R> std::ostream& operator<<(std::ostream& out, const Array<T, R>& a) {
  if (a.empty()) return out << "[] " << text_of(a.shape());
  Printed<T, R>(out, a);
  return out;
}
template <class T, int R> std::string to_string(const Array<T, R>& a) {
  std::ostringstream out;
  out << a;
  return out.str();
}

}  // namespace arrays
}  // namespace warpfold
