// word_count FILE...: lines, words and bytes, like wc; one pass over each file.
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

int main(int argc, char** argv) {
  int status = 0;
  for (int k = 1; k < argc; k++) try {
      auto text = from_file<uint8_t>(argv[k]);
      auto is_space = [](auto c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
      // A word starts after a space or at the beginning of the text.
      auto starts_word = [&](auto i) { return !is_space(text[i]) && is_space(where(i > 0, text[i - 1], ' ')); };

      auto lines = reduce(plus, 0, map([](auto c) { return cast<int64_t>(c == '\n'); }, text));
      auto words = reduce(plus, 0, map([](auto starts) { return cast<int64_t>(starts); }, tabulate(starts_word, text.size())));
      const Timing timing;
      force(lines, words);
      timing.report(static_cast<double>(text.size()), "bytes");
      std::cout << lines << " " << words << " " << text.size() << " " << argv[k] << "\n";
    } catch (const Error& error) {
      std::cerr << "word_count: " << argv[k] << ": " << error.what() << "\n";
      status = 2;
    }
  return status;
}
