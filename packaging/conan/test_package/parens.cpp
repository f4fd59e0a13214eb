// Do these parentheses match? Fails if not.
#include <warpfold/warpfold.hpp>

using namespace warpfold;

int main() {
  const Seq<int> s{1, 1, -1, 1, -1, -1};
  auto [depth, last] = scan_incl_total(plus, 0, s);
  return (last == 0 && reduce(min, 0, depth) >= 0).get() ? 0 : 1;
}
