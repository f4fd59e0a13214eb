// The generator: known answers, and the words of a block in the order of their counters.
#include "ops/random/philox.h"

#include <array>
#include <cstdint>
#include <set>

#include "check.h"
#include "ops/ops.h"

using namespace wf;

namespace {

using Words = std::array<uint32_t, 4>;

Words block(uint64_t key, uint64_t number, uint64_t stream) {
  const meaning::PhiloxBlock b = meaning::philox_block(key, number, stream);
  return {b.word[0], b.word[1], b.word[2], b.word[3]};
}

constexpr uint64_t top = uint64_t(1) << 63;

uint64_t word32(uint64_t key, uint64_t counter, uint64_t stream) { return evaluate(Op::philox32_, Type::U64, key, counter, stream); }
uint64_t word64(uint64_t key, uint64_t counter, uint64_t stream) { return evaluate(Op::philox64_, Type::U64, key, counter, stream); }

}  // namespace

// The vectors that the authors publish with their library Random123 for philox4x32 with 10 rounds.
TEST(known_answers) {
  CHECK((block(0, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  CHECK((block(~uint64_t(0), ~uint64_t(0), ~uint64_t(0)) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  CHECK((block(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e) == Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(counters_number_the_words_of_blocks) {
  for (uint64_t number : {uint64_t(0), uint64_t(5), uint64_t(1) << 40, (uint64_t(1) << 62) - 1}) {
    const Words narrow = block(77, number, 3), wide = block(77, number, 3 | top);
    for (uint64_t k = 0; k < 4; k++) {
      CHECK_EQ(word32(77, 4 * number + k, 3), narrow[k]);
      CHECK_EQ(word32(77, 4 * number + k, 3 | top), narrow[k]);
    }
    for (uint64_t k = 0; k < 2; k++) {
      CHECK_EQ(word64(77, 2 * number + k, 3), uint64_t(wide[2 * k + 1]) << 32 | wide[2 * k]);
      CHECK_EQ(word64(77, 2 * number + k, 3 | top), word64(77, 2 * number + k, 3));
    }
  }
}

TEST(narrow_types_truncate) {
  for (uint64_t k = 0; k < 100; k++) {
    CHECK_EQ(evaluate(Op::philox32_, Type::U8, 7, k, 1), word32(7, k, 1) & 0xff);
    CHECK_EQ(evaluate(Op::philox64_, Type::U32, 7, k, 1), word64(7, k, 1) & 0xffffffff);
    CHECK_EQ(evaluate(Op::philox64_, Type::I64, 7, k, 1), word64(7, k, 1));
  }
}

TEST(words_of_keys_streams_and_counters_differ) {
  std::set<uint64_t> seen;
  for (uint64_t key = 0; key < 20; key++)
    for (uint64_t stream = 0; stream < 20; stream++)
      for (uint64_t counter = 0; counter < 20; counter++) seen.insert(word64(key, counter, stream));
  CHECK_EQ(seen.size(), size_t(8000));
}
