#include "cpu/native/search.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "cpu/native/element_body.h"
#include "cpu/native/operations.h"

namespace wf::cpu::native {
namespace {

// Results of the program.
constexpr uint32_t may_replace = 0, replaces = 1, first_column = 2;

// The instructions of phase 0 that the results depend on. Several may write one location: a result is the last that does.
std::vector<Instruction> needed_for(const BlockProgram::Impl& program, std::span<const uint32_t> results) {
  std::vector<bool> needed(program.locations.size());
  std::vector<Instruction> chosen;
  for (uint32_t r : results) needed[program.results[r]] = true;
  const std::vector<Instruction>& code = program.phases[0].code;
  for (size_t k = code.size(); k-- > 0;) {
    const LocationId out = program.operands[code[k].outs];
    if (!needed[out]) continue;
    needed[out] = false;
    chosen.push_back(code[k]);
    for (uint32_t o = 0; o < code[k].operand_count; o++) needed[program.operands[code[k].operands + o]] = true;
  }
  std::ranges::reverse(chosen);
  return chosen;
}

// The selected element's columns, in all lanes, and the number of elements that have replaced it.
struct Selected {
  std::vector<Value> columns;
  Value replaced;
};

// entry        loads the selected element
// tiles        its dependent values; i: the first tile that it is compared with
// tile         does an element of the tile at i pass the cheap test? vectors : next
// next         the next tile: tile or leave
// vectors      the vectors of the tile
// vector       does an element of the vector at v, from `floor` on, replace the selected one? select : next_vector
// select       the first that does is the selected one: vector again for those after it, or leave after most_replaced
// next_vector  vector or next_tile
// next_tile    tiles or leave
// leave        stores the selected element and the number of elements examined
class SearchWriter : public ElementBody {
 public:
  SearchWriter(Lanes& lanes, const BlockProgram::Impl& program, bool wide_masks) : ElementBody(lanes, program), wide_masks_(wide_masks) {
    for (size_t k = first_column; k < program.results.size(); k++) types_.push_back(program.locations[program.results[k]].type);
  }

  std::string write(const std::string& name) {
    Lanes& l = lanes();
    const Selected first = load(), outer = fresh(), inner = fresh(), last = fresh();
    Selected chosen;
    const std::string step = std::to_string(tile);
    std::string tiles, tile_text, vector, leave;

    l.write_to(&tiles);
    l.begin_block("tiles");
    const Invariants invariants = invariants_of(outer);
    l.line("br label %tile");
    const std::string after_tiles = l.block();

    l.write_to(&tile_text);
    l.begin_block("tile");
    Value any;
    for (int at = 0; at < int(tile); at += l.width()) {
      const Value mask = widened(compute(invariants, std::array{may_replace}, l.emit("add i64 %i, " + std::to_string(at))));
      any = any.empty() ? mask : l.two("or", mask_type(), any, mask);
    }
    l.line("br i1 " + l.any(narrowed(any)) + ", label %vectors, label %next");
    l.begin_block("next");
    l.line("%i_next = add i64 %i, " + step);
    l.line("%more = icmp slt i64 %i_next, %count");
    l.line("br i1 %more, label %tile, label %leave");
    l.begin_block("vectors");
    l.line("%end = add i64 %i, " + step);
    l.line("br label %vector");

    l.write_to(&vector);
    l.begin_block("vector");
    std::vector<uint32_t> results{replaces};
    for (size_t k = 0; k < types_.size(); k++) results.push_back(first_column + uint32_t(k));
    const Value mask = compute(invariants_of(inner), results, "%v");
    const Value ahead = l.emit("sub i64 %floor, %v");
    const Value passed = l.emit("select i1 " + l.emit("icmp sgt i64 " + ahead + ", 0") + ", i64 " + ahead + ", i64 0");
    const Value open = l.emit("trunc i64 " + l.emit("shl i64 -1, " + passed) + " to " + l.word());  // at most `width` lanes have passed
    const Value hits = l.emit("and " + l.word() + " " + l.bits(mask) + ", " + open);
    l.line("br i1 " + l.emit("icmp ne " + l.word() + " " + hits + ", 0") + ", label %select, label %next_vector");

    l.begin_block("select");
    l.declare(l.word() + " @llvm.cttz." + l.word() + "(" + l.word() + ", i1)");
    const Value zeros = l.emit("call " + l.word() + " @llvm.cttz." + l.word() + "(" + l.word() + " " + hits + ", i1 true)");
    const Value lane = l.emit("zext " + l.word() + " " + zeros + " to i64");
    l.line("%after = add i64 " + l.emit("add i64 %v, " + lane) + ", 1");
    for (size_t k = 0; k < types_.size(); k++) {
      const Value column = read(program().results[first_column + k], types_[k]);
      chosen.columns.push_back(
          l.splat(lane_type(types_[k]), l.emit("extractelement " + l.vector(types_[k]) + " " + column + ", i64 " + lane)));
    }
    chosen.replaced = l.emit("add i64 " + inner.replaced + ", 1");
    const Value stops = l.emit("icmp sge i64 " + chosen.replaced + ", " + std::to_string(most_replaced));
    l.line("br i1 " + stops + ", label %leave, label %vector");
    l.begin_block("next_vector");
    l.line("%v_next = add i64 %v, " + std::to_string(l.width()));
    l.line("%more_vectors = icmp slt i64 %v_next, %end");
    l.line("br i1 %more_vectors, label %vector, label %next_tile");
    l.begin_block("next_tile");
    l.line("%more_tiles = icmp slt i64 %end, %count");
    l.line("br i1 %more_tiles, label %tiles, label %leave");

    l.write_to(&leave);
    store(last);
    const std::string p = l.pointer();
    return "define void @" + name + "(" + p + " %memory, i64 %begin, i64 %count) #0 {\nentry:\n" + entry() + "  br label %tiles\n" +
           with_phis(tiles, phi("%i_first", "i64", {{"0", "entry"}, {"%end", "next_tile"}}) +
                                phis(outer, {{first, "entry"}, {inner, "next_tile"}})) +
           with_phis(tile_text, phi("%i", "i64", {{"%i_first", after_tiles}, {"%i_next", "next"}})) +
           with_phis(vector, phi("%v", "i64", {{"%i", "vectors"}, {"%v", "select"}, {"%v_next", "next_vector"}}) +
                                 phi("%floor", "i64", {{"%i", "vectors"}, {"%after", "select"}, {"%floor", "next_vector"}}) +
                                 phis(inner, {{outer, "vectors"}, {chosen, "select"}, {inner, "next_vector"}})) +
           "leave:\n" + phi("%examined", "i64", {{"%count", "next"}, {"%after", "select"}, {"%count", "next_tile"}}) +
           phis(last, {{outer, "next"}, {chosen, "select"}, {inner, "next_tile"}}) + leave + "  ret void\n}\n";
  }

 private:
  struct Invariant {
    LocationId location;
    Type type;
    Value value;  // of a bool: widened, since LLVM computes a comparison again in each block that uses it
  };
  using Invariants = std::vector<Invariant>;
  using Sources = std::vector<std::pair<Value, std::string>>;

  static std::string phi(const Value& name, const std::string& type, const Sources& sources) {
    std::string text = "  " + name + " = phi " + type;
    for (const auto& [value, block] : sources) text += (&value == &sources[0].first ? " [ " : ", [ ") + value + ", %" + block + " ]";
    return text + "\n";
  }

  std::string phis(const Selected& to, const std::vector<std::pair<Selected, std::string>>& from) {
    std::string text;
    Sources sources;
    auto add = [&](const Value& name, const std::string& type, auto value_of) {
      sources.clear();
      for (const auto& [selected, block] : from) sources.emplace_back(value_of(selected), block);
      text += phi(name, type, sources);
    };
    for (size_t k = 0; k < types_.size(); k++)
      add(to.columns[k], lanes().vector(types_[k]), [&](const Selected& s) { return s.columns[k]; });
    add(to.replaced, "i64", [](const Selected& s) { return s.replaced; });
    return text;
  }

  // The text of blocks with phis after the first label.
  static std::string with_phis(std::string text, const std::string& all) { return text.insert(text.find('\n') + 1, all); }

  Selected fresh() {
    Selected names{{}, lanes().fresh()};
    for (size_t k = 0; k < types_.size(); k++) names.columns.push_back(lanes().fresh());
    return names;
  }

  // The address of a pointer of Memory::lanes.
  Value address(size_t k) {
    Lanes& l = lanes();
    return l.load(l.pointer(), l.address(member(offsetof(Memory, lanes)), std::to_string(k * sizeof(void*))), alignof(void*));
  }

  Selected load() {
    Selected s;
    in_entry([&] {
      Lanes& l = lanes();
      for (size_t k = 0; k <= types_.size(); k++) addresses_.push_back(address(k));
      for (size_t k = 0; k < types_.size(); k++) s.columns.push_back(splat_at(addresses_[1 + k], types_[k]));
      return s.replaced = l.load("i64", l.address(addresses_[0], std::to_string(offsetof(Examined, replaced))), alignof(int64_t));
    });
    return s;
  }

  void store(const Selected& s) {
    Lanes& l = lanes();
    l.store("i64", "%examined", l.address(addresses_[0], std::to_string(offsetof(Examined, elements))), alignof(int64_t));
    l.store("i64", s.replaced, l.address(addresses_[0], std::to_string(offsetof(Examined, replaced))), alignof(int64_t));
    for (size_t k = 0; k < types_.size(); k++) {
      const std::string type = types_[k] == Type::Bool ? "i8" : lane_type(types_[k]);
      Value scalar = l.emit("extractelement " + l.vector(types_[k]) + " " + s.columns[k] + ", i64 0");
      if (types_[k] == Type::Bool) scalar = l.emit("zext i1 " + scalar + " to i8");
      l.store(type, scalar, addresses_[1 + k], int(size_of(types_[k])));
    }
  }

  // Before AVX-512, a vector of bools is a vector of integers, which LLVM makes as narrow as it can where bools meet. So they meet as integers as
  // wide as the floats whose comparison they are.
  Type mask_type() const { return wide_masks_ ? Type::I32 : Type::Bool; }
  Value widened(const Value& mask) { return wide_masks_ ? lanes().change("sext", "i1", mask, "i32") : mask; }
  Value narrowed(const Value& mask) { return wide_masks_ ? lanes().compare("slt", Type::I32, mask, lanes().constant(Type::I32, 0)) : mask; }

  // The values that depend on the selected element alone.
  Invariants invariants_of(const Selected& s) {
    forget();
    Invariants all;
    for (size_t k = 0; k < types_.size(); k++)
      if (const LocationId param = program().params[1 + k]; param != no_location) {
        set(param, types_[k], s.columns[k]);
        all.push_back({param, types_[k], types_[k] == Type::Bool ? widened(s.columns[k]) : s.columns[k]});
      }
    for (const Instruction& instruction : program().row_setup.code) {
      Body::write(instruction, {});
      const LocationId out = program().operands[instruction.outs];
      const Type type = type_of_value(out);
      const Value value = read(out, type);
      all.push_back({out, type, type == Type::Bool ? widened(value) : value});
    }
    return all;
  }

  // Computes results for the vector that begins at `at`. The first is a bool, which it returns.
  Value compute(const Invariants& invariants, std::span<const uint32_t> results, const Value& at) {
    place(at);
    for (const Invariant& i : invariants) set(i.location, i.type, i.type == Type::Bool ? narrowed(i.value) : i.value);
    for (const Instruction& instruction : needed_for(program(), results)) Body::write(instruction, position());
    return read(program().results[results[0]], Type::Bool);
  }

  const bool wide_masks_;
  std::vector<Type> types_;       // of the columns
  std::vector<Value> addresses_;  // of Examined and the columns
};

}  // namespace

bool covers_search(const BlockProgram::Impl& program, Isa isa) {
  auto is_covered = [&](const Instruction& i) { return i.predicate == always && !is_of_block(i) && covers(program, i, isa); };
  return std::ranges::all_of(program.phases[0].code, is_covered) && std::ranges::all_of(program.row_setup.code, is_covered);
}

void add_search(ModuleText& module, const std::string& name, const BlockProgram::Impl& program) {
  Lanes lanes = module.lanes(bytes_of_vector(module.isa()) / 4);
  module.add(SearchWriter(lanes, program, module.isa() != Isa::avx512).write(name), lanes);
}

}  // namespace wf::cpu::native
