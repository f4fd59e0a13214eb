#include "cpu/linear/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <memory>
#include <mutex>
#include <numbers>

#include <unsupported/Eigen/FFT>

#include "cpu/routines/words.h"
#include "engine/cancellation.h"

namespace wf::cpu {
namespace {

constexpr int64_t largest_radix = 32;  // a radix p takes p steps per element

int64_t largest_prime_factor(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; p++)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

// The least length from n on without a prime factor above 5.
int64_t smooth_length(int64_t n) {
  int64_t least = INT64_MAX;
  for (int64_t of_5 = 1; of_5 < 5 * n; of_5 *= 5)
    for (int64_t of_3 = of_5; of_3 < 3 * n; of_3 *= 3)
      least = std::min(least, of_3 * int64_t(std::bit_ceil(uint64_t((n + of_3 - 1) / of_3))));
  return least;
}

// Transforms of one length, with the tables that it needs.
template <class T> class Fourier {
 public:
  using Complex = std::complex<T>;

  explicit Fourier(int64_t n) : n_(n) {
    fft_.SetFlag(Eigen::FFT<T>::Unscaled);
    if (n <= 1 || largest_prime_factor(n) <= largest_radix) return;
    const int64_t m = smooth_length(2 * n - 1);
    for (int64_t k = 0; k < n; k++) {
      const double angle = -std::numbers::pi * double(k * k % (2 * n)) / double(n);
      chirp_.push_back(Complex(T(std::cos(angle)), T(std::sin(angle))));
    }
    padded_.assign(size_t(m), Complex());
    for (int64_t k = 0; k < n; k++) padded_[size_t(k)] = padded_[size_t((m - k) % m)] = std::conj(chirp_[size_t(k)]) / T(m);
    spectrum_.resize(size_t(m)), product_.resize(size_t(m));
    fft_.fwd(spectrum_.data(), padded_.data(), m);
  }
  int64_t length() const { return n_; }

  void operator()(const Complex* from, Complex* to) {
    if (n_ <= 1) return void(std::copy_n(from, n_, to));  // Eigen's does not take one element
    if (chirp_.empty()) return fft_.fwd(to, from, n_);
    const auto m = int64_t(padded_.size());
    for (int64_t k = 0; k < m; k++) padded_[size_t(k)] = k < n_ ? times(from[k], chirp_[size_t(k)]) : Complex();
    fft_.fwd(product_.data(), padded_.data(), m);
    for (int64_t k = 0; k < m; k++) product_[size_t(k)] = times(product_[size_t(k)], spectrum_[size_t(k)]);
    fft_.inv(padded_.data(), product_.data(), m);
    for (int64_t k = 0; k < n_; k++) to[k] = times(padded_[size_t(k)], chirp_[size_t(k)]);
  }

 private:
  // Without the search for infinities of std::complex.
  static Complex times(Complex x, Complex y) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }

  const int64_t n_;
  Eigen::FFT<T> fft_;
  std::vector<Complex> chirp_, padded_, spectrum_, product_;
};

// The transforms of lengths that were used recently, since their tables take longer than a transform. Each has one user at a time.
template <class T> class Kept {
 public:
  static std::unique_ptr<Fourier<T>> take(int64_t n) {
    {
      std::lock_guard lock(all().mutex_);
      for (std::unique_ptr<Fourier<T>>& one : all().kept_)
        if (one && one->length() == n) return std::move(one);
    }
    return std::make_unique<Fourier<T>>(n);
  }
  static void give_back(std::unique_ptr<Fourier<T>> one) {
    constexpr int64_t longest = 1 << 16;
    if (one->length() > longest) return;
    std::lock_guard lock(all().mutex_);
    std::swap(all().kept_[all().next_++ % most], one);
  }

 private:
  static constexpr size_t most = 16;
  // Never destroyed: a thread may compute while the process ends.
  static Kept& all() {
    static Kept& once = *new Kept;
    return once;
  }
  std::mutex mutex_;
  std::unique_ptr<Fourier<T>> kept_[most];
  size_t next_ = 0;
};

}  // namespace

template <class T> void transform(const LinearRoutine& r, const T* a, T* out) {
  using Complex = std::complex<T>;
  const bool is_inverse = r.op == LinearRoutine::InverseFourier;
  for_pieces(r.batch, 1, [&](int64_t begin, int64_t end) {
    std::unique_ptr<Fourier<T>> fourier = Kept<T>::take(r.n);
    std::vector<Complex> copy(size_t(r.n));
    for (int64_t matrix = begin; matrix < end; matrix++, stop_if_canceled()) {
      const T* const from = a + r.a.offset + matrix * r.a.batch;
      auto* const to = reinterpret_cast<Complex*>(out) + matrix * r.n;
      // The inverse without its factor is the conjugate of the transform of the conjugates.
      for (int64_t k = 0; k < r.n; k++) {
        const T re = from[k * r.a.row], im = from[k * r.a.row + r.a.column];
        copy[size_t(k)] = Complex(re, is_inverse ? -im : im);
      }
      (*fourier)(copy.data(), to);
      for (int64_t k = 0; is_inverse && k < r.n; k++) to[k] = std::conj(to[k]);
    }
    Kept<T>::give_back(std::move(fourier));
  });
}

template void transform(const LinearRoutine&, const float*, float*);
template void transform(const LinearRoutine&, const double*, double*);

}  // namespace wf::cpu
