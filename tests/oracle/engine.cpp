#include "oracle/engine.h"

#include <cstring>

#include "engine/index_error.h"
#include "oracle/interpreter.h"
#include "oracle/oracle.h"

namespace oracle {
namespace {

using wf::Kernel;

// f with only the results `which`.
wf::FnRef only(const wf::Fn& f, const std::vector<uint32_t>& which) {
  wf::Builder builder;
  std::vector<wf::Id> params, results;
  for (const auto& p : f.params) params.push_back(builder.param(p.type, p.name));
  const auto all = builder.inline_call(f, params);
  for (uint32_t k : which) results.push_back(all[k]);
  return builder.finish(results);
}

std::vector<Bits64> chosen(const std::vector<Bits64>& values, const std::vector<uint32_t>& which) {
  std::vector<Bits64> some;
  for (uint32_t k : which) some.push_back(values[k]);
  return some;
}

std::vector<Bits64> joined(std::vector<Bits64> left, const std::vector<Bits64>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

void write(wf::Launch& launch, uint32_t output, int64_t place, Bits64 value) {
  const size_t size = wf::size_of(launch.kernel->outputs[output]);
  std::memcpy(launch.outputs[output]->host_for_writing() + place * size, &value, size);
}

Value read_input(wf::Type type, const wf::InputBuffer& input) {
  Value value({type}, input.length);
  value.columns[0] = bits_of(type, input.buffer->host(), input.offset, input.length);
  return value;
}

Value read_part(wf::Type type, const std::vector<wf::InputPart>& parts, size_t k) {
  Value value({type}, parts[k].end - (k == 0 ? 0 : parts[k - 1].end));
  value.columns[0] = bits_of(type, parts[k].buffer->host(), parts[k].offset, value.length);
  return value;
}

void require_offsets(const Value& offsets, int64_t n) {
  if (const auto wrong = first_wrong_offset(offsets, n)) wf::throw_index_error(wrong->fault.index, wrong->at, wrong->fault.length);
}

// An input of segments is read as the numbers that it stands for.
Value read_input(const wf::Input& input, const wf::InputBuffer& buffer, int64_t n) {
  if (buffer.parts) {
    Value value({input.type}, 0);
    for (size_t k = 0; k < buffer.parts->size(); k++) {
      const Value own = read_part(input.type, *buffer.parts, k);
      value.columns[0].insert(value.columns[0].end(), own.columns[0].begin(), own.columns[0].end());
      value.length = (*buffer.parts)[k].end;
    }
    return value;
  }
  if (!input.of_segments) return read_input(input.type, buffer);
  const Value offsets = offsets_of(read_input(wf::Type::I64, buffer), input.lacks_end, n);
  require_offsets(offsets, n);
  return segment_ids({input.type}, offsets, n);
}

class Slow : public wf::Engine {
 public:
  std::string name() const override { return "oracle"; }
  double copy_bandwidth() override { return 1; }
  bool scatters_in_kernels() const override { return true; }
  bool numbers_segments() const override { return true; }
  bool scans_along(const wf::ScanAxis&, int64_t, const wf::Fn&) const override { return true; }
  bool reads_parts() const override { return true; }

  void call(const wf::RoutineCall& call, wf::Launch& launch) override {
    const size_t columns = call.types.size();
    if (call.routine.kind == wf::Routine::Scatter) return scatter_all(call, launch);
    if (call.routine.kind == wf::Routine::Iterate) return iterate_all(call, launch);
    if (call.routine.kind == wf::Routine::Linear) return linear_all(call, launch);
    if (call.routine.kind == wf::Routine::SegmentIds) {
      if (launch.n == 0) return;
      const Value offsets = offsets_of(read_input(wf::Type::I64, launch.inputs[0]), call.routine.lacks_end, launch.n);
      require_offsets(offsets, launch.n);
      return write_all(launch, segment_ids(call.types, offsets, launch.n));
    }
    const auto of_parts = launch.inputs[0].parts;  // of a Join, unless the engine that delegates it to this one does not read them
    std::vector<Value> inputs;
    for (size_t k = 0; k < (of_parts ? of_parts->size() : launch.inputs.size() / columns); k++) {
      std::vector<Value> parts;
      std::vector<const Value*> all;
      for (size_t c = 0; c < columns; c++)
        parts.push_back(of_parts ? read_part(call.types[c], *launch.inputs[c].parts, k)
                                 : read_input(call.types[c], launch.inputs[k * columns + c]));
      for (const Value& part : parts) all.push_back(&part);
      inputs.push_back(zip(all));
    }
    std::vector<const Value*> all;
    for (const Value& input : inputs) all.push_back(&input);
    if (call.routine.kind == wf::Routine::Sort && !call.parameters.empty())
      return write_all(launch, sort_rows(call.routine, wf::from_bits<int64_t>(call.parameters[0]), *all[0]));
    if (call.routine.kind == wf::Routine::Join) return write_all(launch, join(all, wf::from_bits<int64_t>(call.parameters[0])));
    write_all(launch, sort(call.routine, call.fn, append(all)));
  }

  static void write_all(wf::Launch& launch, const Value& result) {
    for (uint32_t k = 0; k < result.types.size(); k++)
      for (int64_t i = 0; i < launch.n; i++) write(launch, k, i, result.columns[k][i]);
  }

  static void iterate_all(const wf::RoutineCall& call, wf::Launch& launch) {
    std::vector<Value> parts;
    for (size_t k = 0; k < launch.inputs.size(); k++) parts.push_back(read_input(launch.kernel->inputs[k].type, launch.inputs[k]));
    std::vector<const Value*> initial, elements;
    for (size_t k = 0; k < parts.size(); k++) (k < call.types.size() ? initial : elements).push_back(&parts[k]);
    write_all(launch, iterate(call.fn, zip(initial), zip(elements)));
  }

  static void scatter_all(const wf::RoutineCall& call, wf::Launch& launch) {
    const size_t columns = call.types.size();
    std::vector<Value> parts;
    for (size_t k = 0; k < launch.inputs.size(); k++) parts.push_back(read_input(launch.kernel->inputs[k].type, launch.inputs[k]));
    std::vector<const Value*> base, values;
    for (size_t k = 0; k < columns; k++) base.push_back(&parts[k]);
    for (size_t k = columns + 1; k < parts.size(); k++) values.push_back(&parts[k]);
    if (call.one_value) {
      Value all({call.types[0]}, parts[columns].length);
      std::ranges::fill(all.columns[0], parts.back().columns[0].at(0));
      parts.back() = std::move(all);
    }
    const Value rows = values.empty() ? Value() : zip(values);
    if (const auto outside = first_outside(parts[columns], launch.n)) wf::throw_index_error(outside->fault.index, outside->at, launch.n);
    write_all(launch, scatter(call.fn, zip(base), parts[columns], values.empty() ? nullptr : &rows));
  }

  static void linear_all(const wf::RoutineCall& call, wf::Launch& launch) {
    std::vector<Value> inputs;
    std::vector<const Value*> all;
    for (const wf::InputBuffer& input : launch.inputs) inputs.push_back(read_input(call.types[0], input));
    for (const Value& input : inputs) all.push_back(&input);
    write_all(launch, linear(wf::linear_routine(call.parameters), all, launch.n));
  }

  void run(wf::Launch& launch) override {
    const Kernel kernel = wf::with_values(*launch.kernel, launch.arguments);
    std::vector<Value> inputs;
    for (size_t k = 0; k < kernel.inputs.size(); k++) inputs.push_back(read_input(kernel.inputs[k], launch.inputs[k], launch.n));
    std::vector<const Value*> captures;
    for (const Value& input : inputs) captures.push_back(&input);

    Interpreter body(*kernel.body, captures);
    std::vector<Interpreter> element;
    for (const auto& elements : kernel.elements) element.emplace_back(*elements.value, captures);
    wf::FnRef scanned;
    std::vector<Interpreter> scan;  // the scanned values and the function that combines them; empty without a scan
    std::vector<Bits64> prefix;
    std::vector<std::vector<Bits64>> prefixes;  // of the vectors along an axis
    wf::ScanAxis axis;
    if (kernel.has_scan()) {
      scanned = only(*kernel.body, kernel.scan[0].values);
      scan.emplace_back(*scanned, captures);
      scan.emplace_back(*kernel.scan[0].combine);
      prefix = kernel.scan[0].identity;
      axis = kernel.scan[0].axis;
      if (axis.exists()) prefixes.resize(size_t(axis.inner));
    }
    std::vector<Interpreter> combine;
    std::vector<std::vector<Bits64>> reduced;
    for (const auto& reduction : kernel.reductions) {
      combine.emplace_back(*reduction.combine);
      reduced.push_back(reduction.identity);
    }
    launch.counts.assign(kernel.compactions.size(), 0);
    std::vector<wf::FnRef> operations;
    std::vector<Interpreter> joins;
    std::vector<std::vector<Bits64>> scattered;
    for (const auto& scatter : kernel.scatters) {
      operations.push_back(wf::op_fn(scatter.op, kernel.outputs[scatter.output]));
      joins.emplace_back(*operations.back());
      scattered.push_back(inputs[scatter.base].columns[0]);
    }

    for (int64_t i = 0; i < launch.n; i++) {
      const size_t vector = size_t(i % axis.inner);
      if (axis.exists()) prefix = i / axis.inner % axis.length == 0 ? kernel.scan[0].identity : prefixes[vector];
      try {
        std::vector<Bits64> args = joined({wf::to_bits(i)}, prefix);
        if (kernel.has_scan()) {
          std::vector<Bits64> blank = joined(args, prefix);  // the scanned values depend on no prefix
          prefix = scan[1](joined(prefix, scan[0](blank)));
          if (axis.exists()) prefixes[vector] = prefix;
        }
        const std::vector<Bits64> values = body(joined(args, prefix));
        for (const auto& store : kernel.stores) write(launch, store.output, i, values[store.value]);
        for (const auto& elements : kernel.elements)
          for (int64_t at = i * elements.count; at < (i + 1) * elements.count; at++) {
            const std::vector<Bits64> of_element = element[0](joined({wf::to_bits(at)}, chosen(values, elements.row)));
            for (const auto& store : elements.stores) write(launch, store.output, at, of_element[store.value]);
          }
        for (size_t k = 0; k < kernel.compactions.size(); k++) {
          const auto& compact = kernel.compactions[k];
          if (!values[compact.mask]) continue;
          for (size_t c = 0; c < compact.values.size(); c++) write(launch, compact.outputs[c], launch.counts[k], values[compact.values[c]]);
          launch.counts[k]++;
        }
        for (size_t k = 0; k < kernel.reductions.size(); k++) {
          const auto& reduction = kernel.reductions[k];
          if (reduction.mask == wf::no_mask || values[reduction.mask])
            reduced[k] = combine[k](joined(reduced[k], chosen(values, reduction.values)));
        }
        for (size_t k = 0; k < kernel.scatters.size(); k++) {
          const auto& scatter = kernel.scatters[k];
          const wf::Type type = (*kernel.body)[kernel.body->results[scatter.index]].type;
          const auto index = size_t(wf::convert(type, wf::Type::I64, values[scatter.index]));
          scattered[k].at(index) = joins[k](std::vector<Bits64>{scattered[k].at(index), values[scatter.value]})[0];
        }
      } catch (const Fault& fault) { wf::throw_index_error(fault.index, i, fault.length); }
    }
    for (size_t k = 0; k < scattered.size(); k++)
      for (size_t at = 0; at < scattered[k].size(); at++) write(launch, kernel.scatters[k].output, int64_t(at), scattered[k][at]);
    if (!kernel.finish) return;
    std::vector<Bits64> scalars;
    for (const auto& columns : reduced) scalars = joined(scalars, columns);
    scalars = joined(scalars, prefix);
    for (int64_t count : launch.counts) scalars.push_back(wf::to_bits(count));
    try {
      launch.scalars = Interpreter(*kernel.finish, captures)(scalars);
    } catch (const Fault& fault) { wf::throw_index_error(fault.index, 0, fault.length); }
  }
};

}  // namespace

std::unique_ptr<wf::Engine> make_engine() { return std::make_unique<Slow>(); }

}  // namespace oracle
