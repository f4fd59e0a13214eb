// The scalar types of types.def as C++: enum, sizes, names, and a visitor from a run-time type to a compile-time one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wf {

enum class Type : uint8_t {
#define TYPE(id, name, ctype, klass) id,
#include "ops/types.def"
};

constexpr int type_count = 0
#define TYPE(id, name, ctype, klass) +1
#include "ops/types.def"
    ;

// Sets of types, one bit per class; Num, Bits and Any are unions.
enum TypeClass : uint8_t { Truth = 1, Int = 2, Float = 4, Num = Int | Float, Bits = Truth | Int, Any = 7 };

struct TypeInfo {
  std::string_view name;
  size_t size;
  TypeClass klass;
};

inline constexpr TypeInfo type_table[type_count] = {
#define TYPE(id, name, ctype, klass) {name, sizeof(ctype), TypeClass::klass},
#include "ops/types.def"
};

constexpr const TypeInfo& info(Type t) { return type_table[static_cast<int>(t)]; }
constexpr std::string_view name(Type t) { return info(t).name; }
constexpr size_t size_of(Type t) { return info(t).size; }
constexpr bool is_in(Type t, TypeClass set) { return (info(t).klass & set) != 0; }

template <class T> struct Tag { using type = T; };

// visit(t, [](auto tag) { using T = typename decltype(tag)::type; ... })
template <class F> constexpr decltype(auto) visit(Type t, F&& f) {
  switch (t) {
#define TYPE(id, name, ctype, klass) \
  case Type::id: {                   \
    return f(Tag<ctype>{});          \
  }
#include "ops/types.def"
  }
  __builtin_unreachable();
}

template <class T> struct TypeOf;
#define TYPE(id, name, ctype, klass) \
  template <> struct TypeOf<ctype> { static constexpr Type value = Type::id; };
#include "ops/types.def"
template <class T> constexpr Type type_of = TypeOf<T>::value;

}  // namespace wf
