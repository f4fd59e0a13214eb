// match_parens FILE...: do the brackets of these files balance?
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "brackets.h"
#include "progress.h"

using namespace brackets;

static constexpr const char* usage = R"(usage: match_parens [--context NAME] [--explain] FILE...

Tells of each FILE whether its brackets ( [ { and } ] ) balance, and if not, the line and column of the first closing
bracket too many, or how many are left open; then the greatest depth and where it is first reached.

What is checked: every ( [ { deepens by one and every } ] ) lowers by one, whatever their kind and wherever they stand, in
comments and strings too. A file balances if the depth is never below zero and ends at zero. That the kinds match pairwise
is not checked. Lines end at a newline; columns count bytes from 1.

  --context NAME  where it runs: cpu, cuda:0, auto (the default)
  --explain       shows the plan first: the one pass over a file's bytes
  --help          this text

Exit status: 0 if all files balance, 1 if one does not, 2 for errors, such as a file that cannot be read.
)";

// Files are memory-mapped and read in pieces of this many bytes, so that large files need little memory, too.
static constexpr int64_t piece_size = 32 << 20;

struct Options {
  std::string context;
  bool explain = false;
  std::vector<std::string> files;
};

static int wrong_use(const std::string& why) {
  std::fprintf(stderr, "match_parens: %s\ntry match_parens --help\n", why.c_str());
  return 2;
}

static std::string describe(const Position& p) { return std::to_string(p.line) + ":" + std::to_string(p.column); }

static std::string describe(const Report& report) {
  std::string text;
  if (report.surplus) text = "NOT balanced: a closing bracket too many at " + describe(*report.surplus);
  else if (report.left_open == 1) text = "NOT balanced: 1 bracket left open";
  else if (report.left_open > 1) text = "NOT balanced: " + std::to_string(report.left_open) + " brackets left open";
  else text = "balanced";
  text += "; depth " + std::to_string(report.depth);
  if (report.deepest) text += " at " + describe(*report.deepest);
  return text;
}

// The files' sizes, for the progress bar. A file that cannot be read is reported later.
static int64_t total_size(const std::vector<std::string>& files) {
  int64_t total = 0;
  for (const auto& file : files) {
    std::error_code error;
    auto size = std::filesystem::file_size(file, error);
    if (!error) total += static_cast<int64_t>(size);
  }
  return total;
}

static int match_files(const Options& options) {
  Context context(options.context.empty() ? default_context() : Context(options.context));
  Progress progress(total_size(options.files));
  int64_t bytes = 0, unbalanced = 0, errors = 0;
  bool is_explained = !options.explain;
  for (const auto& file : options.files) {
    try {
      Text text = from_file<uint8_t>(file, context);
      if (!is_explained) std::printf("%s\n", Piece(take(text, std::min(text.size(), piece_size))).plan().c_str());
      is_explained = true;
      Report report = match(text, piece_size, [&](int64_t done) { progress.update(bytes + done); });
      bytes += text.size();
      unbalanced += !report.balanced();
      progress.clear();
      std::printf("%s: %s\n", file.c_str(), describe(report).c_str());
    } catch (const Error& error) {
      errors++;
      progress.clear();
      std::fprintf(stderr, "match_parens: %s: %s\n", file.c_str(), error.what());
    }
  }
  double seconds = progress.seconds();
  size_t n = options.files.size();
  std::printf("%zu file%s, %lld bytes, %lld not balanced, %lld error%s; %.3f s, %.2f GB/s\n", n, n == 1 ? "" : "s",
              static_cast<long long>(bytes), static_cast<long long>(unbalanced), static_cast<long long>(errors), errors == 1 ? "" : "s",
              seconds, static_cast<double>(bytes) * 1e-9 / seconds);
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fprintf(stderr, "match_parens: the results cannot be written\n");
    return 2;
  }
  return errors ? 2 : unbalanced ? 1 : 0;
}

int main(int argc, char** argv) try {
  Options options;
  bool only_files = false;
  for (int k = 1; k < argc; k++) {
    std::string argument = argv[k];
    if (only_files || argument[0] != '-') {
      options.files.push_back(argument);
    } else if (argument == "--") {
      only_files = true;
    } else if (argument == "--help" || argument == "-h") {
      std::fputs(usage, stdout);
      return 0;
    } else if (argument == "--explain") {
      options.explain = true;
    } else if (argument == "--context") {
      if (++k == argc) return wrong_use("--context takes a name, such as cpu");
      options.context = argv[k];
    } else {
      return wrong_use("unknown option " + argument);
    }
  }
  if (options.files.empty()) return wrong_use("no files given");
  return match_files(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "match_parens: %s\n", error.what());
  return 2;
}
