// A visitor made of one function per kind of a variant: a kind without a function does not compile.
//
//   std::visit(Overloads{[&](const Edit& edit) { ... }, [](const Input&) {}}, entry.what);
//
// The functions name their kinds; one that took `auto` would answer for kinds that no one has considered.
#pragma once

namespace convoy {

template <class... Functions>
struct Overloads : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloads(Functions...) -> Overloads<Functions...>;

}  // namespace convoy
