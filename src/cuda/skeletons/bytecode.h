// The instructions and the argument of interpreter.cuh: the host writes them, and the device reads them.
#pragma once

namespace wf {

struct Counters;

namespace interpreter {

// Instructions are numbered by the order of ops.def and types.def: the code of an operation in a type is op * types + type. Casts to a
// type are operations after those of ops.def.
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
  code_jump,         // to extra
  code_jump_unless,  // x, to extra
  code_check,        // x must be in [0, y) if z
  code_result,       // x is the extra-th scalar
  code_store_1,      // stores y, of that many bytes, to index x of the column at word extra if z
  code_store_4,
  code_store_8,
  code_select,  // out = x ? y : z
  code_move,    // out = x
  code_load_1,  // out = element x of the column at word extra, whose length is the next word
  code_load_4,
  code_load_8,
  code_load_more_1,  // the same; address and length are the extra-th and the next of the words that do not fit in the argument
  code_load_more_4,
  code_load_more_8,
  code_word,        // out = the extra-th of the words that do not fit in the argument
  code_fold_min_4,  // of floats: fold_min and fold_max of ops.cuh
  code_fold_min_8,
  code_fold_max_4,
  code_fold_max_8,
};

// A register, or a word of the argument. In the code that the device reads, it is an offset in shared memory, in units of 8 bytes. A word
// is shared by all threads; a register's offset is that of the first thread.
using Operand = unsigned short;
constexpr Operand is_word = 0x8000;

struct Instruction {
  unsigned short code;
  Operand out, x, y, z, unused;
  unsigned extra;
};

constexpr int most_columns = 8, most_words = 120, most_threads = 512, most_rows = 6;

// The skeleton that visits the elements: small.cuh, interpreter_strided.cuh in the order of reduce.cuh, or scan.cuh.
enum Order : unsigned { by_one_block, by_strides, by_tiles };

// Instructions up to code_end, and the registers of their results.
struct Segment {
  unsigned begin;
  Operand results[most_columns];
};

struct Arguments {
  long long n;
  unsigned long long code, results, fault, more_words;  // addresses
  Counters* counters;                                   // these two if several blocks reduce
  void* partials;
  unsigned long long *tile_words, *group_words;  // these five for look_back.cuh
  void *tile_values, *group_values, *total;
  unsigned instructions;  // copied to shared memory after the registers; 0: too many
  unsigned registers;     // per thread
  Order order;
  unsigned pack, rows, rolled, ordered;                                              // as in those skeletons
  unsigned sums, locals;                                                             // columns; a Local has the scan's, then counts
  unsigned sums_identity, locals_identity;                                           // the first of their words
  Operand sums_left, sums_right, locals_left, locals_right, before, after, scanned;  // the first of their registers
  Operand has_finish;
  Segment early, late, join, combine, finish;
  unsigned long long words[most_words];
};

}  // namespace interpreter
}  // namespace wf
