// The text of straight-line code on vectors, in LLVM's language. All vectors of a function have the same number of lanes.
//
// A value is a name or a constant. Its type is the caller's knowledge: that of a scalar type of types.def, where a bool is one bit. In memory
// a bool is a byte.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "ops/ops.h"

namespace wf::cpu::native {

using Value = std::string;

// The type of one lane: i1, i8, i32, i64, float or double.
const char* lane_type(Type type);

class Lanes {
 public:
  // typed_pointers: LLVM 14 has pointers to each type.
  Lanes(int width, bool typed_pointers, bool reads_ahead) : width_(width), typed_(typed_pointers), reads_ahead_(reads_ahead) {}

  int width() const { return width_; }
  // Returns true if elements that are read in order are prefetched.
  bool reads_ahead() const { return reads_ahead_; }
  std::string vector(Type type) const { return vector(lane_type(type)); }
  std::string vector(std::string_view lane) const;
  const char* pointer() const { return typed_ ? "i8*" : "ptr"; }

  // Directs the text that follows to the end of `text`. Returns the string that it was directed to.
  std::string* write_to(std::string* text);
  void line(std::string_view text);
  Value emit(std::string_view instruction);  // %n = instruction
  Value fresh();                             // a new name
  // Begins a basic block; a block before it must have ended by a branch.
  void begin_block(const std::string& label);
  const std::string& block() const { return block_; }

  Value constant(Type type, Bits64 bits) const;  // in all lanes
  template <class T> Value number(T x) const { return constant(type_of<T>, to_bits(x)); }
  Value numbers() const;  // the lanes' numbers: 0, 1, 2, ... of type i64
  Value splat(std::string_view lane, const Value& scalar);
  Value address(const Value& pointer, const Value& bytes);  // pointer + bytes
  Value reserve(int bytes);                                 // memory of the function; only in its first block
  // Calls a function that rarely runs and returns nothing.
  void call(const Value& function, const std::string& types, const std::string& values);
  void prefetch(const Value& address);
  // A load or a store of one value of the named type.
  Value load(std::string_view type, const Value& address, int align);
  void store(std::string_view type, const Value& value, const Value& address, int align, std::string_view suffix = {});
  // The same of one vector, whose elements are contiguous.
  Value load(Type type, const Value& address);
  void store(Type type, const Value& value, const Value& address);
  // The same past the caches. The address of element 0 of the memory is aligned to 64 bytes, and the vector's first element is a multiple of width().
  void store_past_caches(Type type, const Value& value, const Value& address);
  // The elements in the mask's lanes, which alone are read, and those of `others` in the other lanes. The type is not Bool.
  Value masked_load(Type type, const Value& address, const Value& mask, const Value& others);

  Value two(std::string_view instruction, Type type, const Value& a, const Value& b);
  Value compare(std::string_view predicate, Type type, const Value& a, const Value& b);
  Value select(const Value& mask, Type type, const Value& a, const Value& b);
  Value change(std::string_view instruction, std::string_view from, const Value& x, std::string_view to);  // of each lane's type
  // An integer of one bit per lane, of the type word().
  std::string word() const { return "i" + std::to_string(width_); }
  Value bits(const Value& mask) { return emit("bitcast " + vector(Type::Bool) + " " + mask + " to " + word()); }
  Value any(const Value& mask) { return emit("icmp ne " + word() + " " + bits(mask) + ", 0"); }
  // Calls the intrinsic llvm.NAME of vectors of one type. `extra` is a further argument, such as "i1 false".
  Value intrinsic(std::string_view name, Type type, std::initializer_list<Value> operands, std::string_view extra = {});

  // Values of floats that are never NaNs.
  void note_number(const Value& x) { numbers_.insert(x); }
  bool is_number(const Value& x) const { return numbers_.contains(x); }

  void declare(const std::string& function) { declarations_.insert("declare " + function + "\n"); }
  // The declarations of the intrinsics called so far.
  const std::set<std::string>& declarations() const { return declarations_; }

 private:
  int width_;
  bool typed_, reads_ahead_;
  int names_ = 0;
  std::string block_ = "entry";
  std::string* text_ = nullptr;
  std::set<std::string> declarations_, numbers_;
};

}  // namespace wf::cpu::native
