#include "convoy/ids.h"

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/altered.h"
#include "core/fields.h"

namespace ids_test {

using namespace convoy;

// What must not compile is checked here by requirements: allowing any of it later needs a change of this file first.

namespace {

using Ids = std::tuple<WorldNumber, Owner, Slot, ElementId>;
using Raws = std::tuple<bool, char, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, double>;

template <class A, class B>
concept Calculates = requires(A a, B b) {
  a + b;
}
|| requires(A a, B b) { a - b; }
|| requires(A a, B b) { a* b; }
|| requires(A a, B b) { a / b; }
|| requires(A a, B b) { a % b; }
|| requires(A a, B b) { a& b; }
|| requires(A a, B b) { a | b; }
|| requires(A a, B b) { a ^ b; }
|| requires(A a, B b) { a << b; }
|| requires(A a, B b) { a >> b; }
|| requires(A a, B b) { a += b; }
|| requires(A a, B b) { a -= b; };
template <class A, class B>
concept Compares = requires(A a, B b) {
  a == b;
}
|| requires(A a, B b) { a < b; }
|| requires(A a, B b) { a <=> b; };
template <class T>
concept Counts = requires(T a) {
  ++a;
}
|| requires(T a) { a++; }
|| requires(T a) { --a; }
|| requires(T a) { -a; }
|| requires(T a) { ~a; }
|| requires(T a) { !a; };

template <class A, class B>
constexpr bool strangers() {
  return !std::is_convertible_v<A, B> && !std::is_convertible_v<B, A> && !std::is_assignable_v<A&, B> &&
         !std::is_assignable_v<B&, A> && !Compares<A, B> && !Compares<B, A> && !Calculates<A, B> && !Calculates<B, A>;
}
template <class T>
constexpr bool is_plain() {
  return sizeof(T) == sizeof(typename T::Raw) && std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> &&
         std::totally_ordered<T> && !Counts<T> && !Calculates<T, T> && !std::is_constructible_v<bool, T>;
}
template <class A, class... B>
constexpr bool stranger_to_ids(std::tuple<B...>*) {
  return ((std::is_same_v<A, B> || (strangers<A, B>() && !std::is_constructible_v<A, B>)) && ...);
}
template <class A, class... B>
constexpr bool stranger_to_raws(std::tuple<B...>*) {
  return ((strangers<A, B>() && !std::is_constructible_v<B, A>)&&...);
}
template <class... A>
constexpr bool all_strangers(std::tuple<A...>*) {
  return ((is_plain<A>() && stranger_to_ids<A>(static_cast<Ids*>(nullptr)) &&
           stranger_to_raws<A>(static_cast<Raws*>(nullptr))) &&
          ...);
}

static_assert(all_strangers(static_cast<Ids*>(nullptr)));
static_assert(Calculates<std::uint32_t, int> && Compares<int, long> && Counts<int>);  // the questions are not empty
static_assert(std::is_constructible_v<Owner, std::uint32_t>);

struct Raw {
  std::uint32_t owner = 7;
  std::vector<std::uint32_t> all{1, 0x01020304};
};
template <class V, MaybeConst<Raw> T>
void fields(V& v, T& r) {
  v("owner", r.owner), v("all", r.all);
}
struct Typed {
  Owner owner{7};
  std::vector<Owner> all{Owner(1), Owner(0x01020304)};
};
template <class V, MaybeConst<Typed> T>
void fields(V& v, T& t) {
  v("owner", t.owner), v("all", t.all);
}

}  // namespace

TEST_CASE("an id has the bytes, texts and fields of its number") {
  const Typed typed;

  CHECK(save(typed) == save(Raw{}));
  CHECK(describe(typed) == describe(Raw{}));
  Typed back{Owner(9), {}};
  CHECK(load(save(typed), back));
  CHECK(back.owner == typed.owner);
  CHECK(back.all == typed.all);
  for (std::size_t n = 0; n < 4; ++n) {
    Typed changed;
    Raw other;
    CHECK(alter(changed, n) == alter(other, n));
    CHECK(save(changed) == save(other));
  }
}

TEST_CASE("ids are ordered as their numbers are, and the first is 0") {
  CHECK(Owner(2) < Owner(10));
  CHECK(Owner(~0u) > Owner(0));
  CHECK(Owner{} == kNobody);
  CHECK(Owner(5).value() == 5);
  CHECK(doctest::toString(Owner(5)) == "5");
}

}  // namespace ids_test
