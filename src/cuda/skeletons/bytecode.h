// The instructions and the argument of interpreter.cuh, as the host writes them and the device reads them.
#pragma once

namespace wf {

struct Counters;

namespace interpreter {

// Instructions are numbered by the order of ops.def and types.def: an operation in a type is op * types + type, and casts to a
// type are operations that follow those of ops.def.
enum : unsigned {
#define TYPE(id, name, ctype, klass) type_##id,
#include "ops/types.def"
  types
};
enum : unsigned {
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) number_##name,
#include "ops/ops.def"
#define TYPE(id, name, ctype, klass) number_to_##id,
#include "ops/types.def"
  operations
};
enum : unsigned {
  code_end = unsigned(operations) * types,
  code_jump,            // to extra
  code_jump_unless,     // x, to extra
  code_check,           // x is in [0, y) where z holds
  code_result,          // x is the extra-th scalar
  code_store_1,         // y, of that many bytes, to index x of the column at word extra, where z holds
  code_store_4,
  code_store_8,
  code_select,          // out = x ? y : z
  code_move,            // out = x
  code_load_1,          // out = element x of the column at word extra, whose length is the next word
  code_load_4,
  code_load_8,
  code_word,            // out = the extra-th of the words that found no room in the argument
  code_fold_min_4,      // of floats: fold_min and fold_max of ops.cuh
  code_fold_min_8,
  code_fold_max_4,
  code_fold_max_8,
};

// A register, or a word of the argument. In the code that the device reads, where it lies in shared memory, in units of 8 bytes: a
// word for all threads, a register for the first one.
using Operand = unsigned short;
constexpr Operand is_word = 0x8000;

struct Instruction {
  unsigned short code;
  Operand out, x, y, z, unused;
  unsigned extra;
};

constexpr int most_columns = 8, most_words = 120, most_threads = 512, most_rows = 6;

// Which skeleton takes the elements: small.cuh, interpreter_strided.cuh in the order of reduce.cuh, or scan.cuh.
enum Order : unsigned { by_one_block, by_strides, by_tiles };

// Instructions up to code_end, and the registers where its results are then.
struct Segment {
  unsigned begin;
  Operand results[most_columns];
};

struct Arguments {
  long long n;
  unsigned long long code, results, fault, more_words;  // addresses
  Counters* counters;                                  // these two where several blocks reduce
  void* partials;
  unsigned long long *tile_words, *group_words;        // these five of look_back.cuh
  void *tile_values, *group_values, *total;
  unsigned instructions;                               // that are copied to shared memory, behind the registers; 0: too many
  unsigned registers;                                  // of a thread
  Order order;
  unsigned pack, rows, rolled, ordered;                // as in those skeletons
  unsigned sums, locals;                               // columns; those of a Local are the scan's, then counts
  unsigned sums_identity, locals_identity;             // the first of their words
  Operand sums_left, sums_right, locals_left, locals_right, before, after, scanned;  // the first of their registers
  Operand has_finish;
  Segment early, late, join, combine, finish;
  unsigned long long words[most_words];
};

}  // namespace interpreter
}  // namespace wf
