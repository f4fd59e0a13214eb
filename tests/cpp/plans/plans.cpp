// The number of kernels of programs.
#include "../common.h"

using namespace warpfold;

TEST(parentheses_are_one_kernel) {
  Seq s(numbers(1000));
  auto [prefix, last] = scan_incl_total(plus, 0, s);
  auto matched = last == 0 && reduce(min, 0, prefix) >= 0;
  CHECK_EQ(kernels(matched), "1 kernel");
  CHECK(explain(matched).find("4000 B read, 0 B written") != std::string::npos);
  CHECK(!s.context().name().empty());
}

TEST(chains_of_maps_are_one_kernel) {
  Seq s(numbers<float>(1000));
  for (int k = 0; k < 8; k++) s = map([](auto x) { return x * 1.0001 + 0.5; }, s);
  CHECK_EQ(kernels(reduce(plus, 0.0f, s)), "1 kernel");
  CHECK_EQ(kernels(s), "1 kernel");
}

TEST(filter_map_reduce_is_one_kernel) {
  Seq s(numbers(1000));
  auto kept = map([](auto x) { return x * x; }, filter([](auto x) { return x > 0; }, s));
  CHECK_EQ(kernels(reduce(plus, 0, kept)), "1 kernel");
  CHECK_EQ(kernels(reduce(plus, 0, kept), length(kept)), "1 kernel");
}

TEST(sinks_share_a_kernel) {
  Seq s(numbers(1000));
  auto sum = reduce(plus, 0, s), most = reduce(max, 0, s);
  CHECK_EQ(kernels(sum, most), "1 kernel");
  force(sum, most);
  CHECK(sum.is_manifest() && most.is_manifest());
}

TEST(brackets_of_a_text_are_one_kernel) {
  Seq<uint8_t> text(std::string("(a [b] {c})\n"));
  auto [prefix, last] = scan_incl_total(plus, 0, map([](auto c) { return (c == '(') - (c == ')'); }, text));
  auto lines = reduce(plus, 0, map([](auto c) { return cast<int>(c == '\n'); }, text));
  CHECK_EQ(kernels(last, reduce(min, 0, prefix), reduce(max, 0, prefix), lines), "1 kernel");
}

TEST(looking_runs_nothing) {
  auto s = tabulate([](auto i) { return i; }, 10);
  CHECK_EQ(s.size(), 10);
  CHECK(explain_dot(s).starts_with("digraph"));
  CHECK(!s.is_manifest());
  s.force();
  const std::string head = "digraph plan {\n  node [shape=box, fontname=monospace];\n";
  CHECK_EQ(explain_dot(s), head + "  c0 [label=\"computed by store(1)\\ni < 10\", shape=ellipse];\n}\n");
  CHECK_EQ(explain_dot(Seq<int>{1, 2}), head + "  c0 [label=\"2 elements from outside\", shape=ellipse];\n}\n");
}
