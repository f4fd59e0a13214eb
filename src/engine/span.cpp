#include "engine/span.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "engine/variables.h"

namespace wf {
namespace {

double microseconds() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// The file is closed when the process ends. It lacks its closing bracket, which the format permits. Null: it cannot be written.
std::FILE* trace_file() {
  static std::FILE* const file = [] {
    std::FILE* opened = std::fopen(environment_text(Variable::WARPFOLD_TRACE).c_str(), "we");
    if (opened) std::fputs("[\n", opened);
    return opened;
  }();
  return file;
}

}  // namespace

const bool is_tracing = !environment_text(Variable::WARPFOLD_TRACE).empty();

struct Span::Event {
  const char* stage;
  std::string detail;
  double start;
};

Span::Event* Span::begin(const char* stage, std::string detail) {
  for (char& c : detail)
    if (c == '"' || c == '\\' || c < ' ') c = '\'';
  return new Event{stage, std::move(detail), microseconds()};
}

void Span::end() noexcept {
  if (std::FILE* file = trace_file())
    std::fprintf(file,
                 R"({"name":"%s","ph":"X","ts":%.3f,"dur":%.3f,"pid":%d,"tid":%d,"args":{"detail":"%s"}},)"
                 "\n",
                 event_->stage, event_->start, microseconds() - event_->start, int(getpid()), int(gettid()), event_->detail.c_str());
  delete event_;
}

}  // namespace wf
