#include "cuda/window.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "cuda/strip.h"
#include "cuda/text/literals.h"
#include "expr/indices/neighbours.h"
#include "expr/recent.h"
#include "expr/terms.h"

namespace wf::cuda {
namespace {

// Operations whose results on integers of 64 bits are those on the same integers of 32 bits, if they fit.
bool is_narrow(Op op) {
  switch (op) {
    case Op::add_:
    case Op::sub_:
    case Op::mul_:
    case Op::div_:
    case Op::rem_:
    case Op::min_:
    case Op::max_:
    case Op::neg_:
    case Op::where_:
    case Op::eq_:
    case Op::ne_:
    case Op::lt_:
    case Op::le_:
    case Op::gt_:
    case Op::ge_: return true;
    default: return false;
  }
}

// Indices of at most this magnitude, and a constant more or less, fit into 32 bits.
constexpr int64_t most_magnitude = int64_t(1) << 30;

}  // namespace

bool fits_32_bits(const Fn& body, std::span<const Range> known) {
  const Range fits{-most_magnitude, most_magnitude};
  for (Id id = 0; id < body.terms.size(); id++) {
    const Term& t = body[id];
    if (t.kind == Kind::Check || (t.type == Type::I64 && !known[id].is_in(fits))) return false;
    if (t.kind == Kind::Apply && (t.type == Type::I64 || body[body.args(t)[t.count - 1]].type == Type::I64) && !is_narrow(t.op))
      return false;
  }
  return true;
}

FnRef body_of_strip(const Fn& body, const Window& window, int64_t pack) {
  return body_of_pack(body, window.width, pack, window.columns(pack), window.rows());
}

namespace {

// Returns true if the strips of these rows and columns read inputs alone, in range. Sets the elements to which all their rows are aligned.
bool strips_fit(const Fn& body, std::span<const InputView> inputs, int64_t height, Window& window) {
  const std::optional<Strip> strip = strip_of(*body_of_strip(body, window, 1));
  if (!strip) return false;
  const Range rows{window.margin, height - window.margin - 1}, columns = window.columns(1);
  const std::vector<Plane> all = planes(*strip->step);
  for (const Term& t : strip->step->terms) {
    if (t.kind != Kind::At) continue;
    const InputView& input = inputs[t.slot];
    const Plane& plane = all[strip->step->args(t)[0]];
    const Range index = indices_of(plane, columns, {rows.low + strip->lag - strip->depth, rows.high + strip->lag});
    if (!index.is_in({0, Wide(input.length) - 1})) return false;
    if (plane.y == 0) continue;
    if (plane.x != 1 || input.address % 16 != 0 || input.length % plane.y != 0) window.alignment = 1;
    window.alignment = std::gcd(window.alignment, std::abs(plane.y));
  }
  return true;
}

// The operations per element of strips of that width.
double operations(const Fn& body, const Window& window, int64_t pack) {
  const Strip strip = *strip_of(*body_of_strip(body, window, pack));
  return double(std::ranges::count(strip.step->terms, Kind::Apply, &Term::kind)) / double(pack);
}

// Chooses the shape of strips. Wider ones compute less twice, and higher ones take fewer steps that store nothing: deep ones are bound by instructions.
// Shallow ones wait for memory: short ones, of which many rows are loaded at once, read it in a better order. The steps are whole groups of such rows.
void choose_shape(const Fn& body, int64_t n, Window& window) {
  constexpr int64_t lowest = 16, highest = 128, fewest_threads = int64_t(1) << 17;
  constexpr double gain = 0.9;
  const int64_t depth = strip_of(*body_of_strip(body, window, 1))->depth, wider = 2 * window.pack;
  window.together = depth <= 2 ? 9 : 4;
  if (wider <= 16 && window.packs() > 1 && operations(body, window, wider) < gain * operations(body, window, window.pack)) {
    window.pack = wider;
    window.together = depth <= 2 ? 4 : 3;
  }
  window.high = std::clamp(int64_t(std::bit_ceil(uint64_t(2 * depth * depth))), lowest, highest);
  while (window.high > lowest && n / (window.pack * window.high) < fewest_threads) window.high /= 2;
  const int64_t rest = (window.high + depth) % window.together;
  if (rest != 0) window.high += window.together - rest;
}

std::optional<Window> find_window(const Kernel& kernel, int64_t width, std::span<const InputView> inputs, int64_t n) {
  const Fn& body = *kernel.body;
  const Range index{0, n - 1};
  const std::vector<Range> known = ranges(body, {&index, 1});
  if (!fits_32_bits(body, known)) return std::nullopt;
  for (const Term& t : body.terms)
    if (t.kind == Kind::At && !known[body.args(t)[0]].is_in({0, Wide(inputs[t.slot].length) - 1})) return std::nullopt;
  size_t widest = 1;
  for (Type type : kernel.outputs) widest = std::max(widest, size_of(type));
  const auto pack = int64_t(std::min<size_t>(8, 16 / widest));
  const int64_t height = n / width;
  for (int64_t margin : {0, 1, 2, 4, 8}) {
    Window window{width, margin > 0 ? height : 0, margin, 0, 0, pack, pack};
    if (window.packs() < 1 || height <= 2 * margin) break;
    if (!strips_fit(body, inputs, height, window)) continue;
    choose_shape(body, n, window);
    return window.packs() > 0 ? std::optional(window) : std::nullopt;
  }
  return std::nullopt;
}

// Everything on which a window depends.
struct Question {
  Kernel kernel;
  std::vector<Bits64> in_text;  // literals of the text, as those of indices
  std::vector<int64_t> inputs;  // n, and the lengths and alignments
  bool operator==(const Question& other) const {
    return in_text == other.in_text && inputs == other.inputs && same_structure(kernel, other.kernel, false);
  }
};

std::optional<Window> known_window(const Kernel& kernel, int64_t width, std::span<const InputView> inputs, int64_t n) {
  constexpr size_t most = 64;
  static auto& known = *new Recent<Question, std::optional<Window>>(most);  // never destroyed: threads may still run while the process ends
  Question question{kernel, literals_of(kernel).in_text, {n}};
  for (const InputView& input : inputs) {
    question.inputs.push_back(input.length);
    question.inputs.push_back(int64_t(input.address % 16));
  }
  Hash hash;
  hash(structure_hash(kernel, false));
  hash(question.in_text);
  hash(question.inputs);
  if (const auto found = known.find(hash.value, question)) return *found;
  const std::optional<Window> window = find_window(kernel, width, inputs, n);
  known.keep(hash.value, std::move(question), window);
  return window;
}

}  // namespace

bool choose_window(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, Form& form) {
  constexpr int64_t fewest = 1 << 18;  // fewer elements take less time than choosing this form
  if (n < fewest || n > most_magnitude || kernel.outputs.empty()) return false;
  const std::optional<int64_t> width = neighbourhood_width(*kernel.body);
  if (!width || n % *width != 0) return false;
  form.window = known_window(kernel, *width, inputs, n);
  if (!form.window) return false;
  form.pack = int(form.window->pack);
  form.rows = int(form.window->high);
  return true;
}

bool shares_neighbours(const Kernel& kernel, std::span<const int64_t> lengths, int64_t n) {
  if (!only_stores(kernel) || has_folds(*kernel.body)) return false;
  std::vector<InputView> inputs;
  for (int64_t length : lengths) inputs.push_back({0, length});
  Form form;
  return choose_window(kernel, inputs, n, form);
}

std::shared_ptr<const Kernel> unrolled_window(const Kernel& kernel) {
  constexpr size_t most_terms = 1000;
  const bool has_columns =
      std::ranges::any_of(kernel.body->terms, [&](const Term& t) { return is_digit_of_index(*kernel.body, t, Op::rem_); });
  if (!only_stores(kernel) || !has_columns) return nullptr;
  auto unrolled = std::make_shared<Kernel>(kernel);
  unrolled->body = unroll_folds(kernel.body, most_terms);
  return unrolled->body && neighbourhood_width(*unrolled->body) ? unrolled : nullptr;
}

}  // namespace wf::cuda
