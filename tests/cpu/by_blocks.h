// Programs run block by block and compared with their terms.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "by_terms.h"
#include "check.h"
#include "cpu/native/library.h"
#include "cpu/native/native_program.h"
#include "cpu/native/tier.h"
#include "cpu/program/block_program.h"

namespace by_blocks {

using namespace wf;
using by_terms::Column;
using by_terms::column;

// The columns of a function over domain indices, computed in blocks of `block` elements.
struct Run {
  std::vector<Column> results;
  cpu::RangeFault fault;
};

inline bool same(Type type, Bits64 a, Bits64 b) {
  if (type == Type::F32 && std::isnan(from_bits<float>(a)) && std::isnan(from_bits<float>(b))) return true;
  if (type == Type::F64 && std::isnan(from_bits<double>(a)) && std::isnan(from_bits<double>(b))) return true;
  return a == b;
}

inline std::vector<cpu::InputView> views(const std::vector<Column>& inputs) {
  std::vector<cpu::InputView> all;
  for (const Column& c : inputs) all.push_back({c.bytes.data(), c.length()});
  return all;
}

// `program` is f compiled.
inline Run run_program(const Fn& f, const std::shared_ptr<const cpu::BlockProgram>& program, const std::vector<Column>& inputs,
                       int64_t start, int64_t n, int64_t block) {
  cpu::Frame frame(program);
  frame.bind_inputs(views(inputs));
  Run run;
  for (Type type : f.result_types()) run.results.push_back({type, {}});
  block = std::min(block, program->block());
  for (int64_t at = start; at < start + n; at += block) {
    int64_t count = std::min(block, start + n - at);
    for (int phase : {0, 1}) frame.run(phase, at, count);
    for (uint32_t k = 0; k < run.results.size(); k++) {
      auto* from = static_cast<const std::byte*>(frame.result(k));
      auto& to = run.results[k].bytes;
      to.insert(to.end(), from, from + count * int64_t(size_of(run.results[k].type)));
    }
  }
  run.fault = frame.fault();
  return run;
}

inline Run run_blocks(const FnRef& f, const std::vector<Column>& inputs, int64_t start, int64_t n, int64_t block,
                      std::vector<uint32_t> early = {}) {
  const auto program = cpu::BlockProgram::compile(*f, early, true);
  if (cpu::native::interpretation() == cpu::native::Setting::off && cpu::native::llvm()) cpu::native::compile({&program, 1});
  return run_program(*f, program, inputs, start, n, block);
}

// The function agrees with its terms on [start, start + n) for every block size, up to the first fault.
inline void agrees(const FnRef& f, const std::vector<Column>& inputs, int64_t start, int64_t n, std::vector<uint32_t> early = {}) {
  std::vector<std::vector<Bits64>> expected;
  std::optional<int64_t> index;
  int64_t at = -1;
  for (int64_t i = start; i < start + n; i++) {
    expected.push_back(by_terms::evaluate(*f, {Bits64(i)}, inputs, index));
    if (index && at < 0) at = i;
  }
  for (int64_t block : {int64_t(64), int64_t(1) << 20}) {
    Run run = run_blocks(f, inputs, start, n, block, early);
    CHECK_EQ(run.fault.at, at);
    for (size_t k = 0; k < run.results.size(); k++)
      for (int64_t i = 0; i < (at < 0 ? n : at - start); i++)
        if (!same(run.results[k].type, run.results[k][i], expected[size_t(i)][k])) {
          check::fail(__FILE__, __LINE__,
                      "element " + std::to_string(start + i) + " of result " + std::to_string(k) + ": " +
                          print_literal(run.results[k].type, run.results[k][i]) + ", not " +
                          print_literal(run.results[k].type, expected[size_t(i)][k]) + " in " + print(*f));
          return;
        }
  }
}

inline std::vector<Column> some_inputs(int64_t n) {
  std::vector<int32_t> a;
  std::vector<float> b;
  std::vector<uint8_t> c;
  std::vector<double> d;
  for (int64_t i = 0; i < n; i++) {
    a.push_back(int32_t(i * 7919 % 1000));
    b.push_back(float(i) * 0.25f - 100);
    c.push_back(uint8_t(i * 31));
    d.push_back(std::sqrt(double(i)));
  }
  return {column(a), column(b), column(c), column(d)};
}
inline const CaptureTypes capture_types = {{Type::I32}, {Type::F32}, {Type::U8}, {Type::F64}};

}  // namespace by_blocks
