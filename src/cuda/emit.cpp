#include "cuda/emit.h"

#include <algorithm>

#include "cuda/literals.h"
#include "cuda/source.h"
#include "cuda/statements.h"

namespace wf::cuda {
namespace {

std::string str(uint64_t k) { return std::to_string(k); }
std::string yes_or_no(bool b) { return b ? "true" : "false"; }

bool has_checks(const Fn& fn) {
  for (const Term& t : fn.terms)
    if (t.kind == Kind::Check) return true;
  return std::ranges::any_of(fn.loops, [](const Fn::LoopInfo& loop) { return has_checks(*loop.body); });
}

// A column of Sums, Local or Carry.
struct Column {
  Type type;
  std::string name;
};

class Emitter {
 public:
  Emitter(const Kernel& kernel, const Form& form)
      : kernel_(kernel), form_(form), literals_(literals_of(kernel)), body_(*kernel.body),
        columns_(kernel.has_scan() ? uint32_t(kernel.scan[0].values.size()) : 0), chained_(form.skeleton == Skeleton::Scan) {
    for (const Reduction& r : kernel.reductions) by_law_.push_back(form.by_law && r.by_law);
    collect_columns();
  }

  Emitted run() {
    std::string program = "struct Program {\n  using Args = wf::Args;\n";
    constants(program);
    program += structures();
    program += folds();
    if (chained_) program += chain();
    program += moves();
    program += chained_ ? early() + late() + flush() : visit();
    if (form_.skeleton != Skeleton::Map) program += finish();
    program += "};\n";
    const char* skeleton = form_.skeleton == Skeleton::Map ? "map" : form_.skeleton == Skeleton::Reduce ? "reduce" : "scan";
    emitted_.text = std::string("#include \"") + (chained_ ? "scan.cuh" : "reduce.cuh") + "\"\n" + source_definitions(kernel_) + "\nnamespace wf {\n\n" + arguments() + "\n" + program +
                    "\n}  // namespace wf\n\nextern \"C\" __global__ void __launch_bounds__(" + launch_bounds() +
                    ") warpfold(const __grid_constant__ wf::Args a) {\n  wf::" + skeleton + "<wf::Program>(a);\n}\n";
    return std::move(emitted_);
  }

 private:
  // Threads of a block; for a scan also how many blocks its shared memory lets a multiprocessor hold, so that registers do not
  // hold fewer, nor are spared for more.
  std::string launch_bounds() const {
    const std::string threads = str(uint64_t(form_.threads));
    if (!chained_) return threads;
    constexpr uint32_t shared_memory = 220 << 10;
    return threads + ", " + str(std::clamp<uint32_t>(shared_memory / emitted_.shared_bytes, 1, 5));
  }

  // ---- columns ------------------------------------------------------------------------------------------------------------

  void collect_columns() {
    if (form_.by_law) {
      const Type type = scan_type(0);
      sums_.push_back({type, "total"});
      sums_.push_back({magnitude_type(type), "magnitude"});
    }
    for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
      const std::vector<Type> types = kernel_.reductions[r].combine->result_types();
      for (uint32_t c = 0; c < types.size(); c++) sums_.push_back({types[c], sum_name(r, c)});
    }
    if (!chained_) return;
    for (uint32_t c = 0; c < columns_; c++) local_.push_back({scan_type(c), "c" + str(c)});
    carry_ = local_;
    for (uint32_t k = 0; k < kernel_.compactions.size(); k++) {
      local_.push_back({Type::U32, "n" + str(k)});
      carry_.push_back({Type::I64, "n" + str(k)});
    }
  }

  Type scan_type(uint32_t c) const { return kernel_.scan[0].combine->params[c].type; }
  static std::string sum_name(uint32_t r, uint32_t c) { return "r" + str(r) + "_" + str(c); }
  Type result_type(uint32_t value) const { return body_[body_.results[value]].type; }

  static uint32_t bytes_of(const std::vector<Column>& columns) { return uint32_t(8 * columns.size() + 8); }

  static std::string structure(const std::string& name, const std::vector<Column>& columns) {
    size_t align = 4;
    for (const Column& c : columns) align = std::max(align, size_of(c.type));
    std::string text = "  struct alignas(" + str(align) + ") " + name + " {\n";
    for (const Column& c : columns) text += "    " + type_text(c.type) + " " + c.name + ";\n";
    return text + "  };\n";
  }

  static std::string literal(uint32_t argument) {
    return "a.k" + str(argument);
  }

  // ---- constants and types ---------------------------------------------------------------------------------------------------

  bool is_exact(const Reduction& r) const {
    std::optional<Op> op = as_op(*r.combine);
    return op && (info(*op).laws & Comm) && (!is_in(r.combine->params[0].type, Float) || (info(*op).laws & Idem));
  }

  void constants(std::string& text) {
    const bool ordered = reduces_in_order(kernel_, form_.by_law);
    const bool exact = std::ranges::all_of(kernel_.reductions, [&](auto& r) { return is_exact(r); });
    emitted_.has_finish = kernel_.finish != nullptr || !kernel_.compactions.empty();
    auto constant = [&](const char* name, const std::string& value) { text += std::string("  static constexpr ") + name + " = " + value + ";\n"; };
    constant("int threads", str(uint64_t(form_.threads)));
    constant("int pack", str(uint64_t(form_.pack)));
    constant("int rows", str(uint64_t(form_.rows)));
    constant("bool ordered", yes_or_no(ordered));
    constant("bool has_sums", yes_or_no(!sums_.empty()));
    constant("bool has_finish", yes_or_no(emitted_.has_finish));
    if (!chained_) return;
    constant("int stages", str(uint64_t(form_.stages)));
    constant("bool bulk", yes_or_no(form_.bulk));
    constant("bool per_tile", yes_or_no(!sums_.empty() && !exact));
    constant("bool compacts", yes_or_no(!kernel_.compactions.empty()));
  }

  Type stream_type(size_t s) const { return body_[form_.streams[s].term].type; }

  std::string structures() {
    std::string text = "  struct Row {\n";
    for (size_t s = 0; s < form_.streams.size(); s++) text += "    Pack<" + type_text(stream_type(s)) + ", pack> s" + str(s) + ";\n";
    text += "  };\n  struct Out {\n";
    for (const Store& s : kernel_.stores) text += "    Pack<" + type_text(kernel_.outputs[s.output]) + ", pack> o" + str(s.output) + ";\n";
    text += "  };\n" + structure("Sums", sums_);
    emitted_.sums_bytes = bytes_of(sums_);
    if (!chained_) return text;
    const std::string tile = str(uint64_t(form_.tile()));
    text += structure("Local", local_) + structure("Carry", carry_);
    emitted_.local_bytes = bytes_of(local_);
    emitted_.carry_bytes = bytes_of(carry_);
    size_t stage = 0, kept = 0;
    text += "  struct alignas(128) Stage {\n";
    for (size_t s = 0; s < form_.streams.size(); s++) {
      text += "    " + type_text(stream_type(s)) + " s" + str(s) + "[" + tile + "];\n";
      stage += size_t(form_.tile()) * size_of(stream_type(s));
    }
    text += "  };\n  struct alignas(128) Kept {\n";
    for (const Compact& c : kernel_.compactions)
      for (uint32_t output : c.outputs) {
        text += "    " + type_text(kernel_.outputs[output]) + " k" + str(output) + "[" + tile + "];\n";
        kept += size_t(form_.tile()) * size_of(kernel_.outputs[output]);
      }
    text += "  };\n";
    auto round = [](size_t bytes) { return (std::max<size_t>(bytes, 1) + 127) / 128 * 128; };
    emitted_.shared_bytes = uint32_t(size_t(form_.stages) * round(stage) + round(kept) + 128);
    return text;
  }

  // ---- folds -----------------------------------------------------------------------------------------------------------------

  static std::string member(const std::string& object, const std::string& name) { return object + "." + name; }

  // The statements that set target's columns of one combine function.
  void combine(Statements& s, const Site& site, const std::vector<std::string>& left, const std::vector<std::string>& right,
               const std::vector<std::string>& target) {
    Scope scope{.site = &site, .params = left, .loaded = {}};
    scope.params.insert(scope.params.end(), right.begin(), right.end());
    const std::vector<std::string> results = s.call(scope);
    for (size_t k = 0; k < target.size(); k++) s.line(target[k] + " = " + results[k] + ";");
  }

  std::vector<std::string> sum_members(const std::string& object, uint32_t r) const {
    std::vector<std::string> names;
    for (uint32_t c = 0; c < kernel_.reductions[r].values.size(); c++) names.push_back(member(object, sum_name(r, c)));
    return names;
  }

  static std::string function(const std::string& head, const std::string& body) {
    return "  static WF_MEMBER " + head + " {\n" + body + "  }\n";
  }

  std::string folds() {
    Statements none("    ");
    none.line("Sums r;");
    if (form_.by_law) {
      none.line("r.total = " + literal(literals_.scan_identity[0]) + ";");
      none.line("r.magnitude = 0;");
    }
    for (uint32_t r = 0; r < kernel_.reductions.size(); r++)
      for (uint32_t c = 0; c < kernel_.reductions[r].values.size(); c++)
        none.line("r." + sum_name(r, c) + " = " + reduction_identity(r, c) + ";");
    none.line("return r;");

    return function("Sums none(const Args& a)", none.text()) + join("join", true) + join("join_one", false);
  }

  // x then y; y may be of no elements, or is of one.
  std::string join(const char* name, bool may_be_none) {
    Statements s("    ");
    s.line("Sums r;");
    for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
      std::vector<std::string> right = sum_members("y", r);
      // By the law, what the right part found is moved by the left part's total; where it is of no elements it stays as it is.
      if (by_law_[r]) {
        const std::string best = moved(s, right[0]);
        right[0] = may_be_none && needs_guard() ? "(" + right[0] + " == " + reduction_identity(r, 0) + " ? " + right[0] + " : " + best + ")" : best;
      }
      combine(s, literals_.reductions[r], sum_members("x", r), right, sum_members("r", r));
    }
    if (form_.by_law) {
      combine(s, literals_.scan[0], {"x.total"}, {"y.total"}, {"r.total"});
      s.line("r.magnitude = op_max(x.magnitude, y.magnitude);");
    }
    s.line("return r;");
    return function(std::string("Sums ") + name + "(const Args& a, const Sums& x, const Sums& y)", s.text());
  }

  std::string moved(Statements& s, const std::string& best) {
    const std::vector<std::string> result = s.call({.site = &literals_.scan[0], .params = {"x.total", best}, .loaded = {}});
    return result[0];
  }

  std::string reduction_identity(uint32_t r, uint32_t c) const {
    return literal(literals_.reduction_identity[r][c]);
  }

  // ---- the look-back's folds -------------------------------------------------------------------------------------------------

  std::string chain_fold(const std::string& head, const std::string& result, const char* x, const char* y) {
    Statements s("    ");
    s.line(result + " r;");
    if (columns_ > 0) {
      std::vector<std::string> left, right, target;
      for (uint32_t c = 0; c < columns_; c++) {
        left.push_back(std::string(x) + ".c" + str(c));
        right.push_back(std::string(y) + ".c" + str(c));
        target.push_back("r.c" + str(c));
      }
      combine(s, literals_.scan[0], left, right, target);
    }
    for (size_t k = 0; k < kernel_.compactions.size(); k++) s.line("r.n" + str(k) + " = " + x + ".n" + str(k) + " + " + y + ".n" + str(k) + ";");
    s.line("return r;");
    return function(head, s.text());
  }

  std::string chain_identity(const std::string& name) {
    Statements s("    ");
    s.line(name + " r;");
    for (uint32_t c = 0; c < columns_; c++) s.line("r.c" + str(c) + " = " + literal(literals_.scan_identity[c]) + ";");
    for (size_t k = 0; k < kernel_.compactions.size(); k++) s.line("r.n" + str(k) + " = 0;");
    s.line("return r;");
    return s.text();
  }

  std::string chain() {
    return function("Local local_identity(const Args& a)", chain_identity("Local")) +
           function("Carry carry_identity(const Args& a)", chain_identity("Carry")) +
           chain_fold("Local combine(const Args& a, const Local& x, const Local& y)", "Local", "x", "y") +
           chain_fold("Carry advance(const Args& a, const Carry& x, const Local& y)", "Carry", "x", "y") +
           chain_fold("Carry append(const Args& a, const Carry& x, const Carry& y)", "Carry", "x", "y");
  }

  // ---- loads and stores ------------------------------------------------------------------------------------------------------

  // i, i + c or c - i as the body writes it, in terms of `index`.
  std::string stream_index(Id at, const std::string& index) const {
    Id id = body_.args(at)[0];
    if (body_[id].kind == Kind::Check) id = body_.args(id)[0];
    const Term& t = body_[id];
    if (t.kind == Kind::Param) return index;
    auto leaf = [&](Id leaf_id) -> std::string {
      if (body_[leaf_id].kind == Kind::Param) return index;
      const uint32_t argument = literals_.body.literal_of[leaf_id];
      return argument == Site::in_text ? literal_text(Type::I64, body_[leaf_id].bits) : "a.k" + str(argument);
    };
    return "(" + leaf(body_.args(t)[0]) + (t.op == Op::add_ ? " + " : " - ") + leaf(body_.args(t)[1]) + ")";
  }

  std::string stream_address(size_t s, const std::string& index) const {
    const Id at = form_.streams[s].term;
    return "a.in" + str(body_[at].slot) + " + " + stream_index(at, index);
  }

  std::string moves() {
    std::string text;
    Statements whole("    "), one("    "), bulk("    "), rest("    ");
    std::string bytes_sum = "0";
    for (size_t s = 0; s < form_.streams.size(); s++) {
      const std::string place = ".s" + str(s), size = str(size_of(stream_type(s)));
      if (chained_) {
        // Bytes of this stream that come in bulk.
        const std::string bytes = "(unsigned(count) * " + size + "u & ~15u)";
        bytes_sum += " + " + bytes;
        whole.line("load_shared_pack(stage" + place + " + at, row" + place + ");");
        one.line("stage" + place + "[p] = load(" + stream_address(s, "i") + ");");
        bulk.line("if (" + bytes + " > 0) bulk_copy(stage" + place + ", " + stream_address(s, "i") + ", " + bytes + ", barrier);");
        rest.line("for (int p = int(" + bytes + " / " + size + ") + lane_of_thread(); p < count; p += 32) stage" + place + "[p] = load(" +
                  stream_address(s, "(i + p)") + ");");
      } else {
        if (form_.streams[s].load == Load::Packed) {
          whole.line("load_pack(" + stream_address(s, "i") + ", row" + place + ");");
        } else {
          for (int p = 0; p < form_.pack; p++)
            whole.line("row" + place + ".at[" + std::to_string(p) + "] = load(" + stream_address(s, "(i + " + std::to_string(p) + ")") + ");");
        }
        one.line("row" + place + ".at[0] = load(" + stream_address(s, "i") + ");");
      }
    }
    if (chained_) {
      text += function("void fetch(const Stage& stage, int at, Row& row)", whole.text());
      text += function("void copy_one(const Args& a, int64_t i, Stage& stage, int p)", one.text());
      text += function("unsigned bulk_bytes(int count)", "    return " + bytes_sum + ";\n");
      text += function("void copy_bulk(const Args& a, int64_t i, int count, Stage& stage, uint64_t* barrier)", form_.bulk ? bulk.text() : "");
      text += function("void copy_rest(const Args& a, int64_t i, int count, Stage& stage)", form_.bulk ? rest.text() : "");
    } else {
      text += function("void fetch(const Args& a, int64_t i, Row& row)", whole.text());
      text += function("void fetch_one(const Args& a, int64_t i, Row& row)", one.text());
    }
    Statements store("    "), store_one("    ");
    for (const Store& s : kernel_.stores) {
      const std::string out = "a.out" + str(s.output) + " + i", from = "out.o" + str(s.output);
      store.line("store_pack(" + out + ", " + from + ");");
      store_one.line("*(" + out + ") = " + from + ".at[p];");
    }
    return text + function("void store(const Args& a, int64_t i, const Out& out)", store.text()) +
           function("void store_one(const Args& a, int64_t i, const Out& out, int p)", store_one.text());
  }

  std::string row_element(Id id) const {
    for (size_t s = 0; s < form_.streams.size(); s++)
      if (form_.streams[s].term == id) return "row.s" + str(s) + ".at[p]";
    return {};
  }

  // The body's terms that those results need; names of all results, empty for others.
  std::vector<std::string> body(Statements& s, const std::vector<uint32_t>& wanted) {
    std::vector<Id> ids;
    for (uint32_t value : wanted) ids.push_back(body_.results[value]);
    const std::vector<bool> needed = needed_for(body_, ids);
    Scope scope{.site = &literals_.body, .params = {"i"}, .index = "i", .loaded = [this](Id id) { return row_element(id); }, .needed = &needed};
    for (const char* prefix : {"before", "after"})
      for (uint32_t c = 0; c < columns_; c++) scope.params.push_back(std::string(prefix) + ".c" + str(c));
    return s.call(scope);
  }

  // ---- one element -----------------------------------------------------------------------------------------------------------

  // Every result that a sink reads; by the law, prefixes are never computed.
  std::vector<uint32_t> sink_values() const {
    std::vector<uint32_t> values;
    for (const Store& s : kernel_.stores) values.push_back(s.value);
    for (const Compact& c : kernel_.compactions) {
      values.push_back(c.mask);
      values.insert(values.end(), c.values.begin(), c.values.end());
    }
    for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
      if (kernel_.reductions[r].mask != no_mask) values.push_back(kernel_.reductions[r].mask);
      if (by_law_[r]) continue;
      values.insert(values.end(), kernel_.reductions[r].values.begin(), kernel_.reductions[r].values.end());
    }
    if (form_.by_law) values.push_back(kernel_.scan[0].values[0]);
    return values;
  }

  void set_outputs(Statements& s, const std::vector<std::string>& results) {
    for (const Store& store : kernel_.stores) s.line("out.o" + str(store.output) + ".at[p] = " + results[store.value] + ";");
  }

  // The element's part in Sums, joined to `sums`.
  void add_to_sums(Statements& s, const std::vector<std::string>& results) {
    if (sums_.empty()) return;
    s.line("Sums one;");
    if (form_.by_law) {
      const std::string& x = results[kernel_.scan[0].values[0]];
      s.line("one.total = " + x + ";");
      s.line("one.magnitude = " + magnitude(x) + ";");
    }
    for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
      const Reduction& reduction = kernel_.reductions[r];
      for (uint32_t c = 0; c < reduction.values.size(); c++) {
        std::string value = by_law_[r] ? lawful_element(reduction, results) : results[reduction.values[c]];
        if (reduction.mask != no_mask) value = results[reduction.mask] + " ? " + value + " : " + reduction_identity(r, c);
        s.line("one." + sum_name(r, c) + " = " + value + ";");
      }
    }
    s.line("sums = join_one(a, sums, one);");
  }

  // The prefix of one element alone: itself, or nothing.
  std::string lawful_element(const Reduction& r, const std::vector<std::string>& results) const {
    const bool inclusive = body_[body_.results[r.values[0]]].slot > columns_;
    return inclusive ? results[kernel_.scan[0].values[0]] : literal(literals_.scan_identity[0]);
  }

  // Unsigned for integers: the smallest one has no positive counterpart.
  static Type magnitude_type(Type type) {
    return type == Type::Bool ? Type::U8 : type == Type::I32 ? Type::U32 : type == Type::I64 ? Type::U64 : type;
  }

  std::string magnitude(const std::string& x) const {
    const Type type = scan_type(0);
    if (type == Type::I32 || type == Type::I64 || is_in(type, Float)) return "op_abs<" + type_text(type) + ">(" + x + ")";
    return type == Type::Bool ? "uint8_t(" + x + ")" : x;
  }

  std::string visit() {
    Statements s("    ");
    const std::vector<std::string> results = body(s, sink_values());
    set_outputs(s, results);
    add_to_sums(s, results);
    return function("void visit(const Args& a, int64_t i, const Row& row, int p, Out& out, Sums& sums)", s.text());
  }

  std::string early() {
    std::vector<uint32_t> wanted;
    if (columns_ > 0) wanted = kernel_.scan[0].values;
    for (const Compact& c : kernel_.compactions) wanted.push_back(c.mask);
    Statements s("    ");
    const std::vector<std::string> results = body(s, wanted);
    s.line("Local r;");
    for (uint32_t c = 0; c < columns_; c++) s.line("r.c" + str(c) + " = " + results[kernel_.scan[0].values[c]] + ";");
    for (size_t k = 0; k < kernel_.compactions.size(); k++) s.line("r.n" + str(k) + " = " + results[kernel_.compactions[k].mask] + " ? 1 : 0;");
    s.line("return r;");
    return function("Local early(const Args& a, int64_t i, const Row& row, int p)", s.text());
  }

  std::string late() {
    Statements s("    ");
    const std::vector<std::string> results = body(s, sink_values());
    set_outputs(s, results);
    add_to_sums(s, results);
    for (size_t k = 0; k < kernel_.compactions.size(); k++) {
      const Compact& c = kernel_.compactions[k];
      if (c.outputs.empty()) continue;
      const std::string n = ".n" + str(k);
      s.line("if (" + results[c.mask] + ") {");
      s.line("  const int at = int(within" + n + ");");
      for (size_t v = 0; v < c.values.size(); v++) s.line("  kept.k" + str(c.outputs[v]) + "[at] = " + results[c.values[v]] + ";");
      s.line("}");
    }
    return function("void late(const Args& a, int64_t i, const Row& row, int p, const Carry& before, const Carry& after, "
                    "const Local& within, Kept& kept, Out& out, Sums& sums)", s.text());
  }

  std::string flush() {
    Statements s("    ");
    for (size_t k = 0; k < kernel_.compactions.size(); k++) {
      const std::string n = ".n" + str(k);
      for (uint32_t output : kernel_.compactions[k].outputs) {
        s.line("for (int j = int(threadIdx.x); j < int(end" + n + " - start" + n + "); j += threads)");
        s.line("  a.out" + str(output) + "[start" + n + " + j] = kept.k" + str(output) + "[j];");
      }
    }
    return function("void flush(const Args& a, const Kept& kept, const Carry& start, const Carry& end)", s.text());
  }

  // ---- scalars ---------------------------------------------------------------------------------------------------------------

  std::string finish() {
    Statements s("    ");
    if (kernel_.finish) {
      Scope scope{.site = &literals_.finish, .params = {}, .index = "0", .loaded = {}};
      for (uint32_t r = 0; r < kernel_.reductions.size(); r++)
        for (const std::string& name : sum_members("sums", r)) scope.params.push_back(name);
      for (uint32_t c = 0; c < columns_; c++) scope.params.push_back(chained_ ? "total.c" + str(c) : "sums.total");
      for (size_t k = 0; k < kernel_.compactions.size(); k++) scope.params.push_back("total.n" + str(k));
      const std::vector<std::string> results = s.call(scope);
      emitted_.scalars = uint32_t(results.size());
      for (size_t k = 0; k < results.size(); k++)
        s.line("a.results[" + str(k) + "] = bits_of<" + type_text((*kernel_.finish)[kernel_.finish->results[k]].type) + ">(" + results[k] + ");");
    }
    emitted_.counts = uint32_t(kernel_.compactions.size());
    for (size_t k = 0; k < emitted_.counts; k++) s.line("a.results[" + str(emitted_.scalars + k) + "] = total.n" + str(k) + ";");
    if (form_.by_law && needs_guard()) {
      emitted_.law_flag = true;
      s.line("a.results[" + str(emitted_.scalars + emitted_.counts) + "] = law_holds(a.n, sums.total, sums.magnitude);");
    }
    return function(std::string("void finish(const Args& a, const Sums& sums") + (chained_ ? ", const Carry& total)" : ")"), s.text());
  }

  // Sums may wrap or leave the finite numbers; the lattice operations cannot.
  bool needs_guard() const { return as_op(*kernel_.scan[0].combine) == Op::add_; }

  // ---- the argument ----------------------------------------------------------------------------------------------------------

  std::string arguments() {
    std::string text = "struct Args {\n";
    auto add = [&](Argument::Kind kind, const std::string& declaration, uint32_t index = 0) {
      text += "  alignas(8) " + declaration + ";\n";
      emitted_.arguments.push_back({kind, index});
    };
    using enum Argument::Kind;
    add(Count, "int64_t n");
    emitted_.has_checks = has_checks(body_) || (kernel_.finish && has_checks(*kernel_.finish));
    if (emitted_.has_checks) add(Fault, "wf::Fault* fault");
    if (emitted_.has_finish) add(Results, "uint64_t* results");
    if (form_.skeleton != Skeleton::Map) add(Counters, "wf::Counters* counters");
    if (form_.skeleton != Skeleton::Map) add(Partials, "void* partials");
    if (chained_) {
      add(TileWords, "uint64_t* tile_words");
      add(TileValues, "void* tile_values");
      add(GroupWords, "uint64_t* group_words");
      add(GroupValues, "void* group_values");
      add(Total, "void* total");
    }
    for (uint32_t k = 0; k < kernel_.inputs.size(); k++) {
      add(Input, "const " + type_text(kernel_.inputs[k].type) + "* in" + str(k), k);
      add(InputLength, "int64_t length" + str(k), k);
    }
    for (uint32_t k = 0; k < kernel_.outputs.size(); k++) add(Output, type_text(kernel_.outputs[k]) + "* out" + str(k), k);
    const std::vector<Type> types = literal_types();
    for (uint32_t k = 0; k < types.size(); k++) add(Literal, type_text(types[k]) + " k" + str(k), k);
    return text + "};\n";
  }

  // Of the arguments that are literals, in their order.
  std::vector<Type> literal_types() const {
    std::vector<Type> types(literals_.values.size());
    auto of_site = [&](auto& self, const Site& site) -> void {
      if (!site.fn) return;
      for (Id id = 0; id < site.literal_of.size(); id++)
        if (site.literal_of[id] != Site::in_text) types[site.literal_of[id]] = (*site.fn)[id].type;
      for (const Site& loop : site.loops) self(self, loop);
    };
    of_site(of_site, literals_.body);
    of_site(of_site, literals_.finish);
    for (const Site& site : literals_.scan) of_site(of_site, site);
    for (const Site& site : literals_.reductions) of_site(of_site, site);
    for (uint32_t c = 0; c < literals_.scan_identity.size(); c++) types[literals_.scan_identity[c]] = scan_type(c);
    for (uint32_t r = 0; r < literals_.reduction_identity.size(); r++)
      for (uint32_t c = 0; c < literals_.reduction_identity[r].size(); c++)
        types[literals_.reduction_identity[r][c]] = kernel_.reductions[r].combine->params[c].type;
    return types;
  }

  const Kernel& kernel_;
  const Form& form_;
  Literals literals_;
  const Fn& body_;
  const uint32_t columns_;
  const bool chained_;
  std::vector<bool> by_law_;
  std::vector<Column> sums_, local_, carry_;
  Emitted emitted_;
};

}  // namespace

Emitted emit(const Kernel& kernel, const Form& form) { return Emitter(kernel, form).run(); }

}  // namespace wf::cuda
