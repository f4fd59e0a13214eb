// The main function of a program that generates a page of docs from tables.
#pragma once

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

// Without an argument, prints the page; with a file's name, fails if the file differs from it.
inline int print_or_compare(const std::string& page, const char* tables, int argc, char** argv) {
  if (argc == 1) {
    std::cout << page;
    return 0;
  }
  std::ifstream file(argv[1]);
  std::ostringstream written;
  written << file.rdbuf();
  const bool same = written.str() == page;
  if (!same)
    std::cout << argv[1] << " is out of date; expected the page for " << tables << ": regenerate it with " << argv[0] << " > " << argv[1]
              << "\n";
  std::cout << (same ? "1 passed, 0 failed, 0 skipped\n" : "0 passed, 1 failed, 0 skipped\n");
  return same ? 0 : 1;
}
