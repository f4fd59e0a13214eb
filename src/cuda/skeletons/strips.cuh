// Maps of neighbourhoods: packs of columns, each down a strip of rows, and the elements at the borders one by one.
#pragma once

#include "grid.cuh"
#include "rounded.cuh"

namespace wf {

// Stores a pack whose address is aligned to that many elements.
template <int aligned, int count, class T> WF_FN void store_row(T* to, const T (&from)[count]) {
#pragma unroll
  for (int k = 0; k < count; k += aligned) store_elements<aligned>(to + k, [&](int p) { return from[k + p]; });
}

// Visits the rows from `begin` to `end` in columns x, ..., x + pack - 1. Several rows' elements are loaded at once, so that enough loads are in flight.
template <class Program>
WF_FN void visit_strip(const typename Program::Args& a, const typename Program::Fixed& fixed, int x, int begin, int end) {
  constexpr int together = Program::together;
  const int first = begin + Program::lag, last = end + Program::lag - 1;
  typename Program::Kept kept;
#pragma unroll 1
  for (int y = first - Program::depth; y <= last; y += together) {
    typename Program::Row rows[together];
#pragma unroll
    for (int r = 0; r < together; r++) Program::load_row(a, x, y + r < last ? y + r : last, rows[r]);
    if constexpr (Program::depth > 2) {
#pragma unroll
      for (int r = 0; r < together; r++) {
        const int next = y + r + together;
        Program::prefetch_row(a, x, next < last ? next : last);
      }
    }
#pragma unroll
    for (int r = 0; r < together; r++) Program::step(a, x, y + r, fixed, rows[r], kept, y + r >= first && y + r <= last);
  }
}

// Visits the elements outside strips: `margin` whole rows above and below, and the ends of the other rows.
template <class Program> WF_FN void visit_border(const typename Program::Args& a, int height) {
  constexpr int width = Program::width, margin = Program::margin, wide = Program::packs * Program::pack, ends = width - wide;
  const int rows = 2 * margin * width, all = rows + (height - 2 * margin) * ends;
#pragma unroll 1
  for (int k = int(blockIdx.x * blockDim.x + threadIdx.x); k < all; k += int(gridDim.x * blockDim.x)) {
    const bool is_row = k < rows;
    const int place = is_row ? k : k - rows, extent = is_row ? width : ends;
    int x = place % extent, y = place / extent;
    if (is_row && y >= margin) y += height - 2 * margin;
    if (!is_row) y += margin;
    if (!is_row && x >= Program::first) x += wide;
    Program::visit_element(a, x, y);
  }
}

template <class Program> WF_FN void strips(const typename Program::Args& a) {
  constexpr int margin = Program::margin, packs = Program::packs, high = Program::high;
  const int height = int(a.n / Program::width), inner = height - 2 * margin, all = (inner + high - 1) / high * packs;
  typename Program::Fixed fixed;
  Program::load_fixed(a, fixed);
  visit_border<Program>(a, height);
#pragma unroll 1
  for (int k = int(blockIdx.x * blockDim.x + threadIdx.x); k < all; k += int(gridDim.x * blockDim.x)) {
    const int begin = margin + k / packs * high, left = height - margin - begin;
    visit_strip<Program>(a, fixed, Program::first + k % packs * Program::pack, begin, begin + (left < high ? left : high));
  }
}

}  // namespace wf
