#include "cpu/native/lanes.h"

#include <cstdio>
#include <utility>

namespace wf::cpu::native {
namespace {

// The name of a vector type in the name of an intrinsic.
std::string suffix(Type type, int width) {
  const char* lane = type == Type::F32 ? "f32" : type == Type::F64 ? "f64" : lane_type(type);
  return ".v" + std::to_string(width) + lane;
}

// A float is written as the double of the same value.
std::string literal(Type type, Bits64 bits) {
  if (type == Type::F32) bits = convert(Type::F32, Type::F64, bits);
  if (is_in(type, Float)) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(bits));
    return text;
  }
  if (type == Type::Bool) return bits & 1 ? "true" : "false";
  return std::to_string(from_bits<int64_t>(convert(type, Type::I64, bits)));
}

}  // namespace

const char* lane_type(Type type) {
  switch (type) {
    case Type::Bool: return "i1";
    case Type::U8: return "i8";
    case Type::I32:
    case Type::U32: return "i32";
    case Type::I64:
    case Type::U64: return "i64";
    case Type::F32: return "float";
    case Type::F64: return "double";
  }
  return "";
}

std::string Lanes::vector(std::string_view lane) const {
  std::string type = "<" + std::to_string(width_) + " x ";
  return type.append(lane).append(">");
}

std::string* Lanes::write_to(std::string* text) { return std::exchange(text_, text); }

void Lanes::line(std::string_view text) { text_->append("  ").append(text).append("\n"); }

Value Lanes::fresh() { return "%v" + std::to_string(names_++); }

void Lanes::begin_block(const std::string& label) {
  text_->append(label).append(":\n");
  block_ = label;
}

Value Lanes::emit(std::string_view instruction) {
  Value name = fresh();
  text_->append("  ").append(name).append(" = ").append(instruction).append("\n");
  return name;
}

Value Lanes::constant(Type type, Bits64 bits) const {
  const std::string one = std::string(lane_type(type)) + " " + literal(type, bits);
  std::string all = "<" + one;
  for (int k = 1; k < width_; k++) all.append(", ").append(one);
  return all + ">";
}

Value Lanes::numbers() const {
  std::string all = "<i64 0";
  for (int k = 1; k < width_; k++) all += ", i64 " + std::to_string(k);
  return all + ">";
}

Value Lanes::splat(std::string_view lane, const Value& scalar) {
  const std::string type = vector(lane);
  const Value first = emit("insertelement " + type + " undef, " + std::string(lane) + " " + scalar + ", i32 0");
  return emit("shufflevector " + type + " " + first + ", " + type + " undef, " + vector("i32") + " zeroinitializer");
}

Value Lanes::address(const Value& pointer_value, const Value& bytes) {
  return emit("getelementptr i8, " + std::string(pointer()) + " " + pointer_value + ", i64 " + bytes);
}

Value Lanes::reserve(int bytes) {
  const std::string array = "[" + std::to_string(bytes) + " x i8]";
  const Value memory = emit("alloca " + array + ", align 64");
  return typed_ ? emit("bitcast " + array + "* " + memory + " to i8*") : memory;
}

void Lanes::call(const Value& function, const std::string& types, const std::string& values) {
  const Value callee = typed_ ? emit("bitcast i8* " + function + " to void (" + types + ")*") : function;
  line("call void " + callee + "(" + values + ") cold");
}

void Lanes::prefetch(const Value& address) {
  const std::string function = typed_ ? "@llvm.prefetch.p0i8" : "@llvm.prefetch.p0", type = pointer();
  declare("void " + function + "(" + type + ", i32, i32, i32)");
  line("call void " + function + "(" + type + " " + address + ", i32 0, i32 3, i32 1)");  // a read, into all caches, of data
}

Value Lanes::load(std::string_view type_name, const Value& address, int align) {
  const std::string type(type_name);
  const Value at = typed_ ? emit("bitcast i8* " + address + " to " + type + "*") : address;
  return emit("load " + type + ", " + (typed_ ? type + "* " : "ptr ") + at + ", align " + std::to_string(align));
}

void Lanes::store(std::string_view type_name, const Value& value, const Value& address, int align, std::string_view suffix) {
  const std::string type(type_name);
  const Value at = typed_ ? emit("bitcast i8* " + address + " to " + type + "*") : address;
  line("store " + type + " " + value + ", " + (typed_ ? type + "* " : "ptr ") + at + ", align " + std::to_string(align) +
       std::string(suffix));
}

Value Lanes::load(Type type, const Value& address) {
  if (type != Type::Bool) return load(vector(type), address, int(size_of(type)));
  return compare("ne", Type::U8, load(vector("i8"), address, 1), constant(Type::U8, 0));
}

void Lanes::store(Type type, const Value& value, const Value& address) {
  if (type != Type::Bool) return store(vector(type), value, address, int(size_of(type)));
  store(vector("i8"), change("zext", "i1", value, "i8"), address, 1);
}

void Lanes::store_past_caches(Type type, const Value& value, const Value& address) {
  const bool is_bool = type == Type::Bool;
  const int align = std::min(64, width_ * int(size_of(type)));
  store(vector(is_bool ? "i8" : lane_type(type)), is_bool ? change("zext", "i1", value, "i8") : value, address, align, ", !nontemporal !0");
}

Value Lanes::masked_load(Type type, const Value& address, const Value& mask, const Value& others) {
  const std::string v = vector(type), pointer_type = typed_ ? v + "*" : "ptr", name = suffix(type, width_);
  const std::string function = "@llvm.masked.load" + name + (typed_ ? ".p0" + name.substr(1) : ".p0");
  declare(v + " " + function + "(" + pointer_type + ", i32, " + vector(Type::Bool) + ", " + v + ")");
  const Value at = typed_ ? emit("bitcast i8* " + address + " to " + pointer_type) : address;
  return emit("call " + v + " " + function + "(" + pointer_type + " " + at + ", i32 " + std::to_string(size_of(type)) + ", " +
              vector(Type::Bool) + " " + mask + ", " + v + " " + others + ")");
}

Value Lanes::two(std::string_view instruction, Type type, const Value& a, const Value& b) {
  return emit(std::string(instruction) + " " + vector(type) + " " + a + ", " + b);
}

Value Lanes::compare(std::string_view predicate, Type type, const Value& a, const Value& b) {
  return two((is_in(type, Float) ? "fcmp " : "icmp ") + std::string(predicate), type, a, b);
}

Value Lanes::select(const Value& mask, Type type, const Value& a, const Value& b) {
  const std::string v = vector(type);
  return emit("select " + vector("i1") + " " + mask + ", " + v + " " + a + ", " + v + " " + b);
}

Value Lanes::change(std::string_view instruction, std::string_view from, const Value& x, std::string_view to) {
  return emit(std::string(instruction) + " " + vector(from) + " " + x + " to " + vector(to));
}

Value Lanes::intrinsic(std::string_view name, Type type, std::initializer_list<Value> operands, std::string_view extra) {
  const std::string v = vector(type);
  const std::string function = "@llvm." + std::string(name) + suffix(type, width_);
  std::string types, values;
  for (const Value& operand : operands) {
    const char* separator = types.empty() ? "" : ", ";
    types += separator + v;
    values += separator + v + " " + operand;
  }
  if (!extra.empty()) {
    types.append(", ").append(extra.substr(0, extra.find(' ')));
    values.append(", ").append(extra);
  }
  declare(v + " " + function + "(" + types + ")");
  return emit("call " + v + " " + function + "(" + values + ")");
}

}  // namespace wf::cpu::native
