// Maps that read neighbourhoods: which kernels are computed in strips, and that a strip has the values of the body.
#include "cuda/window.h"

#include "check.h"
#include "cuda/strip.h"
#include "cuda/text/emit.h"
#include "expr/interpreter.h"
#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"
#include "oracle/graph.h"
#include "plan/plan.h"

using wf::NodeRef;
using wf::cuda::Form;

namespace {

using std::string;

wf::Kernel kernel_of(const NodeRef& node) {
  const wf::Plan plan = wf::make_plan({&node, 1}, {});
  CHECK_EQ(plan.steps.size(), 1u);
  return plan.steps[0]->kernel;
}

std::vector<float> floats(int64_t n) {
  std::vector<float> all;
  for (int64_t i = 0; i < n; i++) all.push_back(float(i * 7919 % 10007));
  return all;
}

// Columns and rows of an array of `width` columns and n elements.
string column(int64_t width) { return "(rem i " + std::to_string(width) + ":i64)"; }
string row(int64_t width) { return "(div i " + std::to_string(width) + ":i64)"; }
string literal(int64_t x) { return std::to_string(x) + ":i64"; }
string limited(const string& x, int64_t offset, int64_t extent) {
  return "(max (min (add " + x + " " + literal(offset) + ") " + literal(extent - 1) + ") 0:i64)";
}
string around(const string& x, int64_t offset, int64_t extent) {
  const int64_t border = offset < 0 ? 0 : extent - 1, other = offset < 0 ? extent - 1 : 0;
  return offset == 0 ? x : "(where (eq " + x + " " + literal(border) + ") " + literal(other) + " (add " + x + " " + literal(offset) + "))";
}

// The sum of the neighbours of each element, each times a number of its own.
template <class Index> string weighted(int64_t height, int64_t width, int reach, const Index& index) {
  string sum = "0.5:f32";
  for (int p = -reach; p <= reach; p++)
    for (int q = -reach; q <= reach; q++) {
      const string at = "(add (mul " + index(row(width), p, height) + " " + literal(width) + ") " + index(column(width), q, width) + ")";
      sum = "(fma (at $0 " + at + ") " + std::to_string(10 * p + q) + ".0:f32 " + sum + ")";
    }
  return sum;
}
NodeRef map_of(const string& value, int64_t n, const NodeRef& s) { return graph::tabulate("(fn ((i i64)) " + value + ")", n, {s}); }

std::optional<Form> form_of(const wf::Kernel& kernel, int64_t n, int64_t length) {
  Form form;
  const std::vector<wf::cuda::InputView> views(kernel.inputs.size(), {0, length});
  return wf::cuda::choose_window(kernel, views, n, form) ? std::optional(form) : std::nullopt;
}

// Compares strips and elements at the borders with the body.
void check_strips(const wf::Kernel& kernel, int64_t n, const interpreter::Data& data) {
  const std::optional<Form> form = form_of(kernel, n, int64_t(data[0][0].size()));
  CHECK(form.has_value());
  if (!form) return;
  const wf::cuda::Window& w = *form->window;
  const int64_t height = n / w.width;
  const auto value = [&](const wf::Fn& f, const std::vector<wf::Bits64>& args) { return interpreter::strict(f, args, data).results; };
  const auto expected = [&](int64_t x, int64_t y) { return value(*kernel.body, {wf::Bits64(y * w.width + x)}); };
  const wf::FnRef element = wf::body_of_pack(*kernel.body, w.width, 1, {0, w.width - 1}, {0, height - 1});
  for (int64_t y : {int64_t(0), int64_t(1), height / 2, height - 2, height - 1})
    for (int64_t x : {int64_t(0), int64_t(1), w.width / 2, w.width - 2, w.width - 1})
      CHECK(value(*element, {wf::Bits64(x), wf::Bits64(y)}) == expected(x, y));
  const std::optional<wf::cuda::Strip> strip = wf::cuda::strip_of(*wf::cuda::body_of_strip(*kernel.body, w, w.pack));
  CHECK(strip.has_value());
  if (!strip) return;
  const size_t results = size_t(w.pack) * kernel.body->results.size();
  const int64_t lowest = w.margin, highest = height - w.margin, last = w.first() + (w.packs() - 1) * w.pack;
  for (int64_t begin : {lowest, (lowest + highest) / 2, highest - 5})
    for (int64_t x : {w.first(), w.first() + w.packs() / 2 * w.pack, last}) {
      std::vector<wf::Bits64> arguments(strip->step->params.size(), 0);
      for (int64_t y = begin + strip->lag - strip->depth; y < begin + 5 + strip->lag; y++) {
        arguments[0] = wf::Bits64(x), arguments[1] = wf::Bits64(y);
        const std::vector<wf::Bits64> found = value(*strip->step, arguments);
        std::copy(found.begin() + int64_t(results), found.end(), arguments.begin() + 2);
        if (y < begin + strip->lag) continue;
        std::vector<wf::Bits64> right;
        for (int64_t p = 0; p < w.pack; p++)
          for (wf::Bits64 bits : expected(x + p, y - strip->lag)) right.push_back(bits);
        CHECK(std::vector(found.begin(), found.begin() + int64_t(results)) == right);
      }
    }
}

interpreter::Data data_of(const std::vector<float>& all) {
  interpreter::Data data{{{}}, {{}}};
  for (float x : all) data[0][0].push_back(wf::to_bits(x));
  for (float x : floats(100)) data[1][0].push_back(wf::to_bits(x));
  return data;
}

}  // namespace

TEST(strips_have_the_values_of_their_elements) {
  for (const auto& [height, width] : {std::pair(4099, 64), {2050, 130}, {1025, 257}, {24, 20000}}) {
    const std::vector<float> all = floats(int64_t(height) * width);
    const NodeRef s = graph::source(all);
    for (int reach : {1, 2})
      for (const auto& index : {limited, around}) {
        if (reach == 2 && index == around) continue;  // its indices differ by one
        const wf::Kernel kernel = kernel_of(map_of(weighted(height, width, reach, index), int64_t(all.size()), s));
        check_strips(kernel, int64_t(all.size()), data_of(all));
      }
  }
}

// A step reads one row: the elements of a pack and their neighbours.
TEST(steps_load_each_element_once) {
  const auto reads = [](const wf::Kernel& kernel, int64_t n, int64_t length) {
    const std::optional<Form> form = form_of(kernel, n, length);
    if (!form) return -1;
    const wf::FnRef step = wf::cuda::strip_of(*wf::cuda::body_of_strip(*kernel.body, *form->window, form->window->pack))->step;
    CHECK(wf::cuda::emit(kernel, *form).text.find(" element(") == string::npos);
    return int(std::ranges::count_if(step->terms, [](const wf::Term& t) { return t.kind == wf::Kind::At; }));
  };
  constexpr int64_t n = 4096 * 64;
  const NodeRef s = graph::source(floats(n));
  CHECK_EQ(reads(kernel_of(map_of(weighted(4096, 64, 1, limited), n, s)), n, n), 6);
  CHECK_EQ(reads(kernel_of(map_of(weighted(4096, 64, 2, limited), n, s)), n, n), 8);
  CHECK_EQ(reads(kernel_of(map_of(weighted(4096, 64, 1, around), n, s)), n, n), 6);
  // The nine weights as well.
  const NodeRef image = wf::reshape(graph::source(floats(600 * 512)), std::vector<int64_t>{600, 512});
  const NodeRef weights = wf::reshape(graph::source(floats(9)), std::vector<int64_t>{3, 3});
  CHECK_EQ(reads(*wf::cuda::unrolled_window(kernel_of(wf::convolve(image, weights))), 598 * 510, 600 * 512), 6 + 9);
}

// A sum over rows is kept as partial sums, not as its elements.
TEST(steps_keep_partial_sums) {
  constexpr int64_t n = 4096 * 64;
  const wf::Kernel kernel = kernel_of(map_of(weighted(4096, 64, 2, limited), n, graph::source(floats(n))));
  const std::optional<Form> form = form_of(kernel, n, n);
  const wf::cuda::Strip strip = *wf::cuda::strip_of(*wf::cuda::body_of_strip(*kernel.body, *form->window, 8));
  CHECK_EQ(strip.step->params.size() - 2, 8u * 4);
  CHECK_EQ(strip.lag, 2);
  CHECK_EQ(strip.depth, 4);
}

wf::Plan shared_plan(const NodeRef& node) {
  wf::PlanOptions options;
  options.shares_neighbours = wf::cuda::shares_neighbours;
  return wf::make_plan({&node, 1}, options);
}

// A sequence that is read at neighbours is stored if no strip computes the elements that read it.
TEST(sequences_are_not_stored_if_strips_compute_them) {
  const auto steps = [](int64_t height, int64_t width, int reach, const NodeRef& s) {
    const NodeRef once = map_of(weighted(height, width, reach, limited), height * width, s);
    return shared_plan(map_of(weighted(height, width, 1, limited), height * width, once)).steps.size();
  };
  const NodeRef s = graph::source(floats(4096 * 64));
  CHECK_EQ(steps(4096, 64, 1, s), 1u);
  CHECK_EQ(steps(4095, 64, 1, s), 2u);                                     // too few elements
  CHECK_EQ(steps(4096, 64, 1, graph::source(floats(4096 * 64 - 1))), 2u);  // an index may be out of range
  const NodeRef once = map_of(weighted(4096, 64, 1, limited), 4096 * 64, s),
                twice = map_of(weighted(4096, 64, 1, limited), 4096 * 64, once);
  const string add = "(fn ((a f32) (b f32)) (add a b))";
  CHECK_EQ(shared_plan(graph::reduce(add, "0.0:f32", twice)).steps.size(), 2u);  // strips store elements
  CHECK_EQ(shared_plan(graph::scan(add, "0.0:f32", twice, true).prefixes).steps.size(), 2u);
}

// Neighbours of neighbours are computed twice where packs meet, so that wider packs compute less.
TEST(packs_are_wide_where_they_save_operations) {
  constexpr int64_t n = 4096 * 64;
  const NodeRef s = graph::source(floats(n));
  const auto pack = [&](const NodeRef& node) {
    const wf::Plan plan = shared_plan(node);
    CHECK_EQ(plan.steps.size(), 1u);
    const std::optional<Form> form = form_of(plan.steps[0]->kernel, n, n);
    return form ? form->window->pack : -1;
  };
  const NodeRef once = map_of(weighted(4096, 64, 1, limited), n, s);
  CHECK_EQ(pack(once), 4);
  CHECK_EQ(pack(map_of(weighted(4096, 64, 1, limited), n, once)), 8);
}

TEST(rows_are_loaded_in_words) {
  const auto words = [](const wf::Kernel& kernel, int64_t n, uint64_t address, int64_t length) {
    Form form;
    const std::vector<wf::cuda::InputView> views(kernel.inputs.size(), {address, length});
    CHECK(wf::cuda::choose_window(kernel, views, n, form));
    const string text = wf::cuda::emit(kernel, form).text;
    int count = 0;
    for (size_t at = text.find("load_pack("); at != string::npos; at = text.find("load_pack(", at + 1)) count++;
    return count;
  };
  constexpr int64_t n = 4096 * 64;
  const wf::Kernel blurred = kernel_of(map_of(weighted(4096, 64, 2, limited), n, graph::source(floats(n))));
  CHECK_EQ(words(blurred, n, 256, n), 3);
  CHECK_EQ(words(blurred, n, 264, n), 8);      // not aligned
  CHECK_EQ(words(blurred, n, 256, n + 1), 8);  // the last word may be outside
  // Rows of 510 elements of an image of 512.
  const NodeRef image = wf::reshape(graph::source(floats(600 * 512)), std::vector<int64_t>{600, 512});
  const NodeRef weights = wf::reshape(graph::source(floats(9)), std::vector<int64_t>{3, 3});
  const std::shared_ptr<const wf::Kernel> convolution = wf::cuda::unrolled_window(kernel_of(wf::convolve(image, weights)));
  CHECK_EQ(words(*convolution, 598 * 510, 256, 600 * 512), 2);
}

// Quotients by a literal, and roots, are computed together for all columns of a pack: those of the neighbours' neighbours, and then the last ones.
TEST(quotients_and_roots_are_computed_together) {
  constexpr int64_t n = 4096 * 64;
  const NodeRef once = map_of("(div " + weighted(4096, 64, 1, limited) + " 9.0:f32)", n, graph::source(floats(n)));
  const string root = "(sqrt " + weighted(4096, 64, 1, limited) + ")";
  const wf::Plan plan = shared_plan(map_of("(add (div " + root + " 9.0:f32) (div (at $0 i) i))", n, once));
  CHECK_EQ(plan.steps.size(), 1u);
  const std::optional<Form> form = form_of(plan.steps[0]->kernel, n, n);
  CHECK(form.has_value());
  const string text = wf::cuda::emit(plan.steps[0]->kernel, *form).text, step = text.substr(text.find(" void step("));
  const auto count = [](const string& from, const string& part) {
    int found = 0;
    for (size_t at = from.find(part); at != string::npos; at = from.find(part, at + 1)) found++;
    return found;
  };
  CHECK_EQ(count(step, "quotients("), 2);
  CHECK_EQ(count(step, "roots("), 1);
  CHECK_EQ(count(step, "op_sqrt"), 0);
  CHECK_EQ(count(step, "op_div<float>"), 8);  // their divisors are no literals
  CHECK_EQ(count(text, "divisor_of("), 1);
}

TEST(convolutions_are_unrolled) {
  for (const auto& [rows, columns] : {std::pair(3, 3), {7, 7}, {2, 5}}) {
    const std::vector<float> all = floats(1030 * 270);
    const NodeRef image = wf::reshape(graph::source(all), std::vector<int64_t>{1030, 270});
    const NodeRef weights = wf::reshape(graph::source(floats(rows * columns)), std::vector<int64_t>{rows, columns});
    const std::shared_ptr<const wf::Kernel> kernel = wf::cuda::unrolled_window(kernel_of(wf::convolve(image, weights)));
    CHECK(kernel != nullptr);
    if (kernel) check_strips(*kernel, int64_t(1030 - rows + 1) * (270 - columns + 1), data_of(all));
  }
  // Sums of rows are no neighbourhoods.
  const NodeRef rows =
      graph::tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (add a b) 0.0:f32 ((j 8:i64)) (at $0 (add (mul i 8:i64) j))))", 1000,
                      {graph::source(floats(8000))});
  CHECK(!wf::cuda::unrolled_window(kernel_of(rows)));
}

TEST(other_maps_are_not_computed_in_strips) {
  constexpr int64_t width = 512, n = width * 512;
  const NodeRef s = graph::source(floats(n));
  const auto is_window = [&](const string& value, int64_t count = 512 * 512, int64_t length = 512 * 512) {
    return form_of(kernel_of(map_of(value, n, s)), count, length).has_value();
  };
  const string blurred = weighted(512, width, 1, limited);
  CHECK(is_window(blurred));
  CHECK(!is_window(blurred, n - 1));
  CHECK(!is_window(blurred, 1 << 16));
  const auto read = [&](const string& y, const string& x) { return "(at $0 (add (mul " + y + " 512:i64) " + x + "))"; };
  const string x = column(width), y = row(width);
  CHECK(!is_window("(add " + read(x, y) + " (add " + read(x, limited(y, 1, 512)) + read(x, limited(y, -1, 512)) + "))"));  // transposed
  CHECK(!is_window("(add " + read(y, x) + read(limited(y, 1, 512), x) + ")"));                                             // few reads
  CHECK(!is_window("(add " + blurred + " (cast f32 (popcount i)))"));
  // An index that depends on an element.
  CHECK(!is_window("(add " + blurred + " (at $0 (max (min (cast i64 (at $0 i)) 5:i64) 0:i64)))"));
  CHECK(!is_window(blurred, n, n - 1));  // a read outside
}
