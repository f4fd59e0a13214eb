// Cases for the tests of native code: functions whose results the interpreter has computed.
#pragma once

#include "../by_blocks.h"
#include "cpu/native/library.h"
#include "cpu/native/native_program.h"

namespace native_cases {

using namespace wf;
using namespace by_blocks;

using Program = std::shared_ptr<const cpu::BlockProgram>;

inline void require_llvm() {
  if (!cpu::native::llvm()) throw check::Skip{cpu::native::reason_without_llvm()};
}

// A program and its function's results as the interpreter computes them. `native` compares them with those of the native form.
struct Case {
  FnRef f;
  std::vector<by_terms::Column> inputs;
  int64_t start, n, block;
  Program program;
  Run expected;

  Case(FnRef function, std::vector<by_terms::Column> columns, int64_t first, int64_t count, int64_t most, std::vector<uint32_t> early = {})
      : f(std::move(function)), inputs(std::move(columns)), start(first), n(count), block(most) {
    program = cpu::BlockProgram::compile(*f, early, true);
    expected = run_program(*f, program, inputs, start, n, block);
  }

  void native() const {
    const Run got = run_program(*f, program, inputs, start, n, block);
    CHECK_EQ(got.fault.at, expected.fault.at);
    CHECK_EQ(got.fault.index, expected.fault.index);
    const int64_t computed = expected.fault.at < 0 ? n : expected.fault.at - start;  // after a fault, values do not matter
    for (size_t k = 0; k < got.results.size(); k++)
      for (int64_t i = 0; i < computed; i++)
        if (!same(got.results[k].type, got.results[k][i], expected.results[k][i]))
          return check::fail(__FILE__, __LINE__,
                             "element " + std::to_string(start + i) + " of result " + std::to_string(k) + ": " +
                                 print_literal(got.results[k].type, got.results[k][i]) + ", not " +
                                 print_literal(got.results[k].type, expected.results[k][i]) + " in " + print(*f));
  }
};

inline void compare(const std::vector<Case>& cases) {
  std::vector<Program> programs;
  for (const Case& c : cases) programs.push_back(c.program);
  cpu::native::compile(programs);
  for (const Case& c : cases) c.native();
}

}  // namespace native_cases
