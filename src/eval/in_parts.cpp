#include "eval/in_parts.h"

#include <algorithm>
#include <cstring>

#include "dist/parted.h"

namespace wf {
namespace {

std::shared_ptr<const Parted> parted(const InputBuffer& input) {
  return input.buffer ? std::static_pointer_cast<const Parted>(input.buffer->elsewhere()) : nullptr;
}

// Returns true if a function of the kernel reads the input.
bool reads(const Kernel& kernel, uint32_t slot) {
  bool found = false;
  for_each_function(kernel, [&](const FnRef& function) {
    for_each_body(*function, [&](const Fn& fn, bool) {
      found |=
          std::ranges::any_of(fn.terms, [&](const Term& t) { return (t.kind == Kind::At || t.kind == Kind::Length) && t.slot == slot; });
    });
  });
  return found;
}

class InParts {
 public:
  InParts(const Step& step, Launch& whole, Context& context)
      : split_(*step.split),
        kernel_(step.kernel),
        whole_(whole),
        context_(context),
        communicator_(*context.communicator),
        borders_(borders()) {
    for (size_t part = 0; part + 1 < borders_.size(); part++)
      if (borders_[part] < borders_[part + 1]) parts_.push_back(int(part));
    inputs_.resize(borders_.size() - 1);
  }

  Few<BufferRef> run() {
    find_inputs();
    if (split_.totals) find_starts();
    make_outputs();
    std::vector<Few<Bits64>> scalars(borders_.size() - 1);
    counts_.resize((borders_.size() - 1) * kernel_.compactions.size());
    for_parts([&](int part) { scalars[size_t(part)] = run_local(part); });
    if (split_.combination) combine(scalars);
    return joined();
  }

 private:
  // An input in parts over the same indices decides, so that elements stay where they are.
  std::vector<int64_t> borders() const {
    for (const InputBuffer& input : whole_.inputs)
      if (const auto elements = parted(input); elements && input.offset == 0 && elements->borders().back() == whole_.n)
        return elements->borders();
    return even_borders(whole_.n, communicator_.parts());
  }
  int64_t begin_of(int part) const { return borders_[size_t(part)]; }
  int64_t length_of(int part) const { return borders_[size_t(part) + 1] - borders_[size_t(part)]; }

  // run(part) for each part of this process that has indices.
  template <class F> void for_parts(const F& run) const {
    for (int part : parts_)
      if (communicator_.is_local(part)) run(part);
  }

  // Each part gets the elements that it reads, or all of them if that is not much more.
  void find_inputs() {
    std::vector<int64_t> lengths;
    for (const InputBuffer& input : whole_.inputs) lengths.push_back(input.length);
    std::vector<std::vector<Interval>> reached(borders_.size() - 1, std::vector<Interval>(lengths.size()));
    for (int part : parts_) reached[size_t(part)] = reaches(kernel_, whole_.arguments, lengths, begin_of(part), borders_[size_t(part) + 1]);
    for (size_t k = 0; k < lengths.size(); k++) {
      const InputBuffer& input = whole_.inputs[k];
      std::vector<Interval> intervals;
      int64_t wanted = 0;
      for (const auto& of_part : reached) {
        wanted += of_part[k].end - of_part[k].begin;
        intervals.push_back({input.offset + of_part[k].begin, input.offset + of_part[k].end});
      }
      auto elements = wanted <= lengths[k] + lengths[k] / 2 ? parted(input) : nullptr;
      if (elements) elements->provide(intervals);
      else if (wanted > 0) input.buffer->host();  // collected by all processes, also by one whose parts have no indices
      for (size_t part = 0; part < inputs_.size(); part++)
        inputs_[part].push_back(elements ? InputBuffer{elements->memory(int(part)), input.length, input.offset} : input);
    }
  }

  // The scalars of all parts that have indices, a buffer per column. scalars: by part, those of this process.
  Few<InputBuffer> gather(const std::vector<Few<Bits64>>& scalars, const std::vector<Type>& types) const {
    const size_t m = types.size();
    std::vector<Bits64> all(m * scalars.size());
    for (size_t part = 0; part < scalars.size(); part++) std::ranges::copy(scalars[part], all.begin() + int64_t(m * part));
    communicator_.all_gather(reinterpret_cast<std::byte*>(all.data()), m * sizeof(Bits64));
    Few<InputBuffer> columns;
    for (size_t c = 0; c < m; c++) {
      const size_t size = size_of(types[c]);
      BufferRef column = Buffer::make(context_.pool, parts_.size() * size);
      for (size_t k = 0; k < parts_.size(); k++) std::memcpy(column->host_for_writing() + k * size, &all[m * size_t(parts_[k]) + c], size);
      columns.push_back({std::move(column), int64_t(parts_.size())});
    }
    return columns;
  }

  Launch launch_of(const Kernel& kernel, int part) const {
    Launch launch{&kernel, length_of(part), inputs_[size_t(part)], {}};
    launch.arguments = whole_.arguments;
    launch.begin = begin_of(part);
    return launch;
  }

  // The prefixes before each part. A fault is found again by the kernel, which looks at all checks of an index.
  void find_starts() {
    const std::vector<Type> types = kernel_.scan[0].combine->result_types();
    std::vector<Few<Bits64>> totals(inputs_.size());
    try {
      for_parts([&](int part) {
        Launch launch = launch_of(*split_.totals, part);
        context_.engine->run(launch);
        totals[size_t(part)] = launch.scalars;
      });
    } catch (const IndexFault&) {
      for (Few<Bits64>& total : totals) total.resize(types.size());
    }
    Few<BufferRef> prefixes;
    for (const Type type : types) prefixes.push_back(Buffer::make(context_.pool, parts_.size() * size_of(type)));
    run_over_parts(*split_.carries, gather(totals, types), prefixes);
    starts_.resize(inputs_.size());
    for (size_t k = 1; k < parts_.size(); k++)
      for (size_t c = 0; c < types.size(); c++) {
        Bits64 bits = 0;
        std::memcpy(&bits, prefixes[c]->host() + k * size_of(types[c]), size_of(types[c]));
        starts_[size_t(parts_[k])].push_back(bits);
      }
  }

  void make_outputs() {
    parted_.resize(kernel_.outputs.size());
    for (uint32_t k = 0; k < kernel_.outputs.size(); k++) {
      if (is_compacted(k)) continue;
      std::vector<int64_t> borders = borders_;
      for (int64_t& border : borders) border *= elements_per_index(kernel_, k);
      parted_[k] = std::make_shared<Parted>(context_.communicator, context_.pool, std::move(borders), size_of(kernel_.outputs[k]));
    }
    compacted_.resize(inputs_.size());
  }
  bool is_compacted(uint32_t output) const {
    return std::ranges::any_of(kernel_.compactions, [&](const Compact& c) { return std::ranges::count(c.outputs, output) > 0; });
  }

  Few<Bits64> run_local(int part) {
    Few<BufferRef>& outputs = compacted_[size_t(part)];
    for (uint32_t k = 0; k < kernel_.outputs.size(); k++)
      outputs.push_back(parted_[k] ? parted_[k]->memory(part)
                                   : Buffer::make(context_.pool, size_t(length_of(part)) * size_of(kernel_.outputs[k])));
    Launch launch = launch_of(split_.local, part);
    launch.outputs = outputs;
    if (!starts_.empty()) launch.scan_start = starts_[size_t(part)];
    context_.engine->run(launch);
    std::ranges::copy(launch.counts, counts_.begin() + part * int64_t(launch.counts.size()));
    whole_.code = launch.code;
    whole_.rows = launch.rows;
    whole_.left_out += launch.left_out;
    return launch.scalars;
  }

  // Runs a kernel of one index per part on the kernel's inputs and these columns. An input in parts that it does not read is not collected.
  Few<Bits64> run_over_parts(const Kernel& kernel, const Few<InputBuffer>& columns, std::span<const BufferRef> outputs) const {
    std::vector<InputBuffer> inputs;
    for (uint32_t k = 0; k < whole_.inputs.size(); k++) {
      inputs.push_back(reads(kernel, k) ? whole_.inputs[k] : InputBuffer{columns[0].buffer, 0});
      inputs.back().buffer->host();
    }
    inputs.insert(inputs.end(), columns.begin(), columns.end());
    Launch launch{&kernel, int64_t(parts_.size()), inputs, outputs};
    launch.arguments = whole_.arguments;
    context_.engine->run(launch);
    return std::move(launch.scalars);
  }

  void combine(const std::vector<Few<Bits64>>& scalars) {
    std::vector<Type> types;
    for (size_t k = kernel_.inputs.size(); k < split_.combination->inputs.size(); k++) types.push_back(split_.combination->inputs[k].type);
    whole_.scalars = run_over_parts(*split_.combination, gather(scalars, types), {});
  }

  // The kept elements of the parts become a column in parts of uneven lengths.
  std::shared_ptr<const Parted> kept_by_parts(uint32_t output, const std::vector<int64_t>& borders) const {
    const size_t size = size_of(kernel_.outputs[output]);
    auto kept = std::make_shared<Parted>(context_.communicator, context_.pool, borders, size);
    for_parts([&](int part) {
      const int64_t begin = borders[size_t(part)], count = borders[size_t(part) + 1] - begin;
      if (count > 0)
        std::memcpy(kept->memory(part)->host_for_writing() + size_t(begin) * size, compacted_[size_t(part)][output]->host(),
                    size_t(count) * size);
    });
    return kept;
  }

  Few<BufferRef> joined() {
    const size_t filters = kernel_.compactions.size();
    communicator_.all_gather(reinterpret_cast<std::byte*>(counts_.data()), filters * sizeof(int64_t));
    for (size_t f = 0; f < filters; f++) {
      std::vector<int64_t> borders{0};
      for (size_t part = 0; part < inputs_.size(); part++) borders.push_back(borders.back() + counts_[part * filters + f]);
      whole_.counts.push_back(borders.back());
      for (uint32_t output : kernel_.compactions[f].outputs) parted_[output] = kept_by_parts(output, borders);
    }
    Few<BufferRef> outputs;
    for (uint32_t k = 0; k < parted_.size(); k++)
      outputs.push_back(
          Buffer::collected_from(context_.pool, size_t(parted_[k]->borders().back()) * size_of(kernel_.outputs[k]), parted_[k]));
    return outputs;
  }

  const Split& split_;
  const Kernel& kernel_;
  Launch& whole_;
  Context& context_;
  Communicator& communicator_;
  const std::vector<int64_t> borders_;                 // of the parts' indices
  std::vector<int> parts_;                             // those that have indices
  std::vector<Few<InputBuffer>> inputs_;               // by part
  std::vector<std::vector<Bits64>> starts_;            // by part: the prefix before it
  std::vector<std::shared_ptr<const Parted>> parted_;  // by output
  std::vector<Few<BufferRef>> compacted_;              // by part: its outputs
  std::vector<int64_t> counts_;                        // by part and compaction
};

}  // namespace

Few<BufferRef> run_in_parts(const Step& step, Launch& whole, Context& context) { return InParts(step, whole, context).run(); }

}  // namespace wf
