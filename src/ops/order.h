// The order in which keys are sorted, as the order of unsigned words: false before true, numbers by value, -0 before 0, and all NaNs, as
// one, after every number. Both engines compile it.
#pragma once

#include "ops/meaning.h"

namespace wf {

template <int bytes> struct OrderWord;
template <> struct OrderWord<1> { using type = unsigned char; };
template <> struct OrderWord<4> { using type = unsigned; };
template <> struct OrderWord<8> { using type = unsigned long long; };
template <class T> using WordOf = typename OrderWord<sizeof(T)>::type;

// A value and its bits; gcc, clang and NVRTC define access to either.
template <class T> union ValueBits {
  T value;
  WordOf<T> word;
};

// Descending order is that of the complements.
template <class T> WF_FN WordOf<T> order_word(T x, bool descending) {
  using Word = WordOf<T>;
  constexpr Word sign = Word(Word(1) << (8 * sizeof(T) - 1));
  Word word = ValueBits<T>{x}.word;
  if constexpr (meaning::IsFloat<T>::value) word = x != x ? Word(~Word(0)) : (word & sign) != 0 ? Word(~word) : Word(word | sign);
  else if constexpr (T(-1) < T(0)) word = Word(word ^ sign);
  return descending ? Word(~word) : word;
}

// The value of which order_word made the word; a quiet NaN for any NaN.
template <class T> WF_FN T from_order_word(WordOf<T> word, bool descending) {
  using Word = WordOf<T>;
  constexpr Word sign = Word(Word(1) << (8 * sizeof(T) - 1));
  if (descending) word = Word(~word);
  if constexpr (meaning::IsFloat<T>::value) {
    constexpr Word quiet = sizeof(T) == 4 ? Word(0x7fc00000) : Word(0x7ff8000000000000);
    word = word == Word(~Word(0)) ? quiet : (word & sign) != 0 ? Word(word ^ sign) : Word(~word);
  } else if constexpr (T(-1) < T(0)) {
    word = Word(word ^ sign);
  }
  ValueBits<T> bits;
  bits.word = word;
  return bits.value;
}

}  // namespace wf
