// parse_cached: a known text is not parsed again, and neither is a text that differs from an earlier one only in its numbers.
#include <memory>
#include <mutex>

#include "expr/lift.h"
#include "expr/of_thread.h"
#include "expr/recent.h"

namespace wf {

namespace {

constexpr size_t most_texts = 4096, most_families = 1024;
constexpr size_t longest_text = 16384;  // bytes; longer texts are parsed and planned again in each call
constexpr size_t most_numbers = 64;     // in a text whose numbers may be lifted

// Texts that differ only in their numbers, and the lock that guards their family.
struct SharedFamily {
  explicit SharedFamily(std::vector<Number> first) : family(std::move(first)) {}
  std::mutex mutex;
  Family family;
};

struct Caches {
  Recent<std::string, FnRef> texts{most_texts};
  Recent<std::string, std::shared_ptr<SharedFamily>> families{most_families};
};

// Scratch memory of one call. Each thread keeps it, since small calls would spend most of their time in the allocator.
struct Scratch {
  std::string key, rest;
  std::vector<Number> numbers;
};

// The captures' column types, then the text: everything that the function depends on.
void write_key(std::string& key, std::string_view text, const CaptureTypes& captures) {
  key.clear();
  for (const auto& columns : captures) {
    key += '$';
    for (Type t : columns) key += char('a' + int(t));
  }
  key.append(text);
}

std::optional<Lifted> find_or_lift(SharedFamily& shared, std::string_view text, const CaptureTypes& captures,
                                   const std::vector<Number>& numbers) {
  std::lock_guard lock(shared.mutex);
  if (auto lifted = shared.family.find(numbers)) return lifted;
  if (!shared.family.note(numbers)) return std::nullopt;
  return shared.family.lift(text, captures, numbers, *parse(text, captures));
}

uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

Lifted parse_cached(std::string_view text, const CaptureTypes& captures) {
  if (text.size() > longest_text) return {parse(text, captures), {}};
  static Caches& caches = *new Caches;  // never destroyed: finalizers of other languages may still call at exit
  static constinit thread_local OfThread<Scratch> scratch;
  auto& [key, rest, numbers] = scratch.get();
  write_key(key, text, captures);
  const uint64_t hash = hash_of(key);
  if (auto known = caches.texts.find(hash, key)) return {std::move(*known), {}};

  rest.assign(key, 0, key.size() - text.size());
  numbers.clear();
  split_numbers(text, rest, numbers);
  const bool may_lift = !numbers.empty() && numbers.size() <= most_numbers;
  const uint64_t family_hash = hash_of(rest);
  auto family = may_lift ? caches.families.find(family_hash, rest) : std::nullopt;
  if (family)
    if (auto lifted = find_or_lift(**family, text, captures, numbers); lifted && lifted->fn) return std::move(*lifted);
  FnRef fn = parse(text, captures);  // throws if the text is wrong: a wrong text is not stored
  if (may_lift && !family) caches.families.keep(family_hash, rest, std::make_shared<SharedFamily>(numbers));
  caches.texts.keep(hash, key, fn);
  return {std::move(fn), {}};
}

}  // namespace wf
