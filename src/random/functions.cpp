#include "random/functions.h"

#include <cctype>
#include <map>
#include <mutex>
#include <string>

#include "expr/derivative/derivative.h"
#include "expr/library.h"
#include "random/texts/count_densities.h"
#include "random/texts/counts.h"
#include "random/texts/densities.h"
#include "random/texts/gamma.h"
#include "random/texts/gamma_densities.h"
#include "random/texts/generator.h"
#include "random/texts/inversion.h"

namespace wf::random {
namespace {

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; }

// The text with `type` for each word `real`.
std::string with_real(std::string_view text, std::string_view type) {
  constexpr std::string_view real = "real";
  std::string out;
  for (size_t k = 0; k < text.size();) {
    const bool is_word = text.substr(k, real.size()) == real && (k == 0 || !is_in_word(text[k - 1])) &&
                         (k + real.size() == text.size() || !is_in_word(text[k + real.size()]));
    out += is_word ? type : text.substr(k, 1);
    k += is_word ? real.size() : 1;
  }
  return out;
}

using Texts = std::map<std::string_view, std::string_view>;

const Texts& texts() {
  static const Texts& all = *[] {
    auto* made = new Texts;  // never destroyed: other static objects may use it
    auto add = [&](const auto& array) {
      for (const Text& each : array) made->emplace(each.name, each.text);
    };
    add(generator_texts);
    add(inversion_texts);
    add(gamma_texts);
    add(count_texts);
    add(density_texts);
    add(gamma_density_texts);
    add(count_density_texts);
    return made;
  }();
  return all;
}

// The parsed functions of one type.
class Library {
 public:
  explicit Library(Type real) : real_(real) {}

  const Fn* find(std::string_view name) {
    std::lock_guard lock(mutex_);
    return find_locked(name);
  }

 private:
  const Fn* find_locked(std::string_view name) {
    if (auto known = parsed_.find(name); known != parsed_.end()) return known->second.get();
    auto text = texts().find(name);
    if (text == texts().end()) text = texts().find(std::string(name) + "." + std::string(wf::name(real_)));
    if (text == texts().end()) return nullptr;
    FnRef f = parse_unsimplified(with_real(text->second, wf::name(real_)), [this](std::string_view callee) { return find_locked(callee); });
    const std::string own = std::string(name) + "-derivative";
    if (texts().contains(own)) find_locked(own), f = with_derivative(simplify(f), parsed_.find(own)->second);
    return parsed_.emplace(name, f).first->second.get();
  }

  const Type real_;
  std::mutex mutex_;
  std::map<std::string, FnRef, std::less<>> parsed_;
};

}  // namespace

const Fn* function(std::string_view name, Type real) {
  static Library& f32 = *new Library(Type::F32);
  static Library& f64 = *new Library(Type::F64);
  return (real == Type::F32 ? f32 : f64).find(name);
}

}  // namespace wf::random
