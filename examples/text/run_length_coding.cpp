// run_length_coding FILE: how far run-length coding shrinks a file, after decoding it again to check.
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

// Runs of a byte and their lengths, which are coded in 9 bytes each.
using Code = Seq<std::pair<uint8_t, int64_t>>;

static Seq<uint8_t> decoded(const Code& code) {
  const auto [bytes, lengths] = unzip(code);
  const auto runs = Segments<int64_t>::of_lengths(iota(sum(lengths).get()), lengths);
  return gather(bytes, segment_ids(runs));
}

int main(int argc, char** argv) try {
  if (argc != 2) return std::cerr << "usage: run_length_coding FILE\n", 2;
  const auto text = from_file<uint8_t>(argv[1]);
  const Timing timing;
  const Code code = run_lengths(text);
  const int64_t runs = code.size();
  timing.report(static_cast<double>(text.size()), "bytes");
  const bool same = equal(decoded(code), text).get();
  std::cout << text.size() << " bytes, " << runs << " runs" << (same ? "\n" : "; decoded to ANOTHER text\n");
  return same ? 0 : 1;
} catch (const Error& error) {
  std::cerr << "run_length_coding: " << error.what() << "\n";
  return 2;
}
