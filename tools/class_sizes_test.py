#!/usr/bin/env python3
"""Tests of class_sizes.py: what counts as a member, what as a function, and of which class."""
import unittest

import class_sizes


def cxx(text):
    return {size.name: (size.members, size.functions) for size in class_sizes.of_cxx(text)}


class OfCxx(unittest.TestCase):
    def counts(self, body, members, functions):
        self.assertEqual(cxx("class X {" + body + "};"), {"X": (members, functions)}, body)

    def test_members_are_declared_one_by_one_or_several_at_once(self):
        self.counts("int a_; double b_ = 1; std::map<int, std::set<int>> c_, d_; Moment e_{}; int f_ : 3; T g_[4];", 7, 0)
        self.counts("const char* a_ = \"; int b_;\"; char c_ = ';'; std::array<int, (1 < 2)> d_;", 3, 0)
        self.counts("alignas(64) int a_; [[maybe_unused]] int b_; decltype(f()) c_; int (*d_)(int); mutable T e_;", 5, 0)
        self.counts("std::function<void(int)> a_; std::vector<int> b_ = {1, 2}; T c_ = f(1, 2), d_;", 4, 0)

    def test_functions_count_wherever_their_bodies_are(self):
        self.counts("X(); ~X(); void f() const; int g() { if (x) { y(); } return 1; } virtual int h() = 0;", 0, 5)
        self.counts("explicit X(int a) : a_{a}, b_(a), c_{std::vector<int>{1}} { go(); } int a_;", 1, 1)
        self.counts("auto f() -> std::vector<int> { return {}; } template <class T> requires C<T> void g(T);", 0, 2)
        self.counts("bool operator<(X) const; void operator()(int); explicit operator bool() const; "
                    "auto operator<=>(const X&) const = default; X& operator=(X&&);", 0, 4)
        self.counts("std::map<int, int> f(int a = 1, std::pair<int, int> b = {1, 2}) noexcept(true) override;", 0, 1)
        self.counts("void f() try { } catch (...) { } ", 0, 1)

    def test_what_is_not_written_by_hand_is_not_counted(self):
        self.counts("X() = default; X(const X&) = delete; using A = int; friend class Y; friend void f(X) { } "
                    "enum class E { kA, kB }; typedef int B; static constexpr int kC = 1, kD = 2; static_assert(true);", 0, 0)
        self.counts("public: int a_; private: protected: int b_; ;", 2, 0)
        self.counts("SOME_MACRO(X) int a_; // int b_;\n/* int c_; */ int d_;", 2, 0)
        self.counts("\n#if A\nint a_;\n#else\nint b_;\n#endif\n", 2, 0)

    def test_classes_in_classes_count_on_their_own(self):
        self.assertEqual(cxx("struct A { struct B { int x, y; void f(); }; B b; union { int c; int d; } e; };"),
                         {"A::B": (2, 1), "A::(unnamed)": (2, 0), "A": (2, 0)})
        self.assertEqual(cxx("void f() { struct L { int x; }; } namespace n { class C final : public D<int> { int x; }; }"),
                         {"L": (1, 0), "C": (1, 0)})

    def test_what_only_looks_like_a_class_is_none(self):
        self.assertEqual(cxx("template <class T, class U> class A; enum class E { k }; struct S s; class B; "
                             'auto t = R"(class C { int x; };)"; const char* u = "struct D {";'), {})
        self.assertEqual(cxx("template <> struct hash<convoy::Slot> { int x; };"), {"hash": (1, 0)})

    def test_a_digit_separator_opens_no_text(self):
        self.counts("int a_ = 1'000'000; int b_;", 2, 0)

    def test_lines_are_those_of_the_file(self):
        self.assertEqual(class_sizes.of_cxx("/* 1\n2 */\n#define A \\\n 4\nclass X {};")[0].line, 5)


class OfPython(unittest.TestCase):
    def test_attributes_of_self_and_methods(self):
        text = ("class A:\n  kind: int = 0\n  LIMIT = 3\n  def f(self):\n    self.x, self.y = 1, 2\n    self.x = 3\n"
                "  class B:\n    def g(self): pass\n")
        self.assertEqual([(s.name, s.members, s.functions) for s in class_sizes.of_python(text)],
                         [("A", 3, 1), ("A::B", 0, 1)])


if __name__ == "__main__":
    unittest.main()
