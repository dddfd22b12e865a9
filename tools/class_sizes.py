"""How large the classes of C++ and Python sources are: their data members and member functions, each class on its own.

C++ is cut into tokens, and these into the declarations of each class body; no compiler is asked. Not counted: what a
class inherits, types, aliases, friends, `static constexpr` constants, and functions that are defaulted or deleted.
"""
import ast
import re
from typing import NamedTuple

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*(?:\\\n[^\n]*)*|/\*.*?\*/)
      | (?P<raw>(?:u8|u|U|L)?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")
      | (?P<text>(?:u8|u|U|L)?"(?:[^"\\\n]|\\.)*"|(?:u8|u|U|L)?'(?:[^'\\\n]|\\.)*')
      | (?P<number>\.?[0-9](?:'?[0-9a-zA-Z_.]|[eEpP][+-])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<mark>::|->|\.\.\.|&&|\|\||<=>|==|!=|<=|>=|.)""",
    re.X | re.S,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M | re.S)
CLOSING = {"(": ")", "{": "}", "[": "]"}
CLASS_KEYS = ("class", "struct", "union")
NO_MEMBERS = ("using", "typedef", "friend", "static_assert", "enum", "concept", "namespace", "extern", "template")


class Size(NamedTuple):
    name: str  # with the classes around it: "Conductor::Source"
    line: int
    members: int
    functions: int

    @property
    def total(self):
        return self.members + self.functions


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def tokens_of(text):
    # Directives go, but their lines stay: numbers of lines are reported. All branches of an #if are read.
    text = DIRECTIVE.sub(lambda found: "\n" * found[0].count("\n"), text)
    out, line = [], 1
    for found in TOKEN.finditer(text):
        if found.lastgroup != "skip" and not found["skip"]:
            kind = "word" if found["word"] else "mark" if found["mark"] else "value"
            out.append(Token(kind, found[0], line))
        line += found[0].count("\n")
    return out


def beyond(tokens, at):
    """The index after the bracket that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        depth += tokens[at].text in CLOSING
        depth -= tokens[at].text in CLOSING.values()
        at += 1
        if depth == 0:
            break
    return at


def beyond_angles(tokens, at):
    """The index after the `>` for the `<` at `at`; `>>` is two tokens here."""
    depth = 0
    while at < len(tokens):
        text = tokens[at].text
        if text in CLOSING:
            at = beyond(tokens, at)
            continue
        depth += (text == "<") - (text == ">")
        at += 1
        if depth == 0:
            break
    return at


def class_head(tokens, at):
    """For the key of a class at `at`: (name, index of the `{`), or None if no body follows."""
    name, at = "", at + 1
    while at < len(tokens):
        text = tokens[at].text
        if text == "{":
            return name or "(unnamed)", at
        if text == ":":  # bases
            while at < len(tokens) and tokens[at].text not in ("{", ";"):
                at = beyond_angles(tokens, at) if tokens[at].text == "<" else at + 1
            return (name, at) if at < len(tokens) and tokens[at].text == "{" else None
        if text in ("[", "("):  # attributes, alignas(...)
            at = beyond(tokens, at)
        elif text == "<":  # a specialisation
            at = beyond_angles(tokens, at)
        elif tokens[at].kind == "word":
            if text not in ("final", "alignas"):
                name = text
            at += 1
        elif text == "::":
            at += 1
        else:
            return None  # "struct X y", "class T>", "class X;"
    return None


class Scan:
    """Finds the classes in tokens, and counts what is in them."""

    def __init__(self, text):
        self.tokens, self.found = tokens_of(text), []

    def outside(self, at, end, scope):
        """Namespaces and functions: only classes matter, wherever they are."""
        while at < end:
            at = self.nested(at, scope) or at + 1

    def nested(self, at, scope):
        """A class with its body at `at`: the index after the body, else None."""
        if self.tokens[at].text not in CLASS_KEYS or (at > 0 and self.tokens[at - 1].text in ("enum", "friend", "<", ",")):
            return None
        head = class_head(self.tokens, at)
        if head is None:
            return None
        name, body = head
        self.body(self.tokens[at].line, [*scope, name], body)
        return beyond(self.tokens, body)

    def body(self, line, scope, opening):
        members = functions = 0
        at, end = opening + 1, beyond(self.tokens, opening) - 1
        while at < end:
            at, kind, count = self.declaration(at, end, scope)
            members += count if kind == "member" else 0
            functions += count if kind == "function" else 0
        self.found.append(Size("::".join(scope), line, members, functions))

    def declaration(self, at, end, scope):
        """One declaration of a class body: (index after it, "member", "function" or "", how many)."""
        tokens, first = self.tokens, at
        text = tokens[at].text
        if text == ";":
            return at + 1, "", 0
        if text in ("public", "protected", "private") and tokens[at + 1].text == ":":
            return at + 2, "", 0
        if text == "template":
            at = beyond_angles(tokens, at + 1)
            if at < end and tokens[at].text == "requires":
                at = self.beyond_requires(at, end)
            return self.declaration(at, end, scope)
        if text in NO_MEMBERS:
            return self.beyond_declaration(at, end), "", 0
        if tokens[at].kind == "word" and re.fullmatch(r"[A-Z][A-Z0-9_]+", text) and tokens[at + 1].text == "(":
            return beyond(tokens, at + 1), "", 0  # a macro: what it makes is not seen
        return self.declarators(first, end, scope)

    def beyond_requires(self, at, end):
        """Behind a requires clause in front of a declaration: `requires (...)`, or `requires Concept<T>`."""
        at += 1
        while at < end:
            if self.tokens[at].text == "(":
                at = beyond(self.tokens, at)
            elif at + 1 < end and self.tokens[at + 1].text == "<":
                at = beyond_angles(self.tokens, at + 1)
            else:
                at += 1
            if at < end and self.tokens[at].text not in ("&&", "||", "::"):
                return at
            at += 1
        return at

    def beyond_declaration(self, at, end):
        """Behind the `;`, or a body that ends without one."""
        while at < end and self.tokens[at].text != ";":
            if self.tokens[at].text == "{":
                at = beyond(self.tokens, at)
                return at + 1 if at < end and self.tokens[at].text == ";" else at
            at = beyond(self.tokens, at) if self.tokens[at].text in CLOSING else at + 1
        return at + 1

    def declarators(self, at, end, scope):
        tokens, count = self.tokens, 1
        function = constant = initialiser = in_list = False
        while at < end:
            text = tokens[at].text
            if text == ";":
                at += 1
                break
            after = self.nested(at, scope) if not function else None
            if after:
                if tokens[after].text == ";":  # a type, and no member of it
                    return after + 1, "", 0
                at = after
                continue
            if text in ("constexpr", "constinit"):
                constant = True
            elif text == "operator" and not initialiser:
                function = True
                at += 1
                while at < end and tokens[at].text != "(":  # operator<, operator bool, operator std::span<int>
                    at += 1
                if at + 1 < end and tokens[at + 1].text == ")" and tokens[at - 1].text == "operator":
                    at = beyond(tokens, at)  # operator()
                continue
            elif text == "[" and tokens[at + 1].text == "[":
                at = beyond(tokens, at)
                continue
            elif text == "=" and not initialiser:
                if function and at + 1 < end and tokens[at + 1].text in ("default", "delete"):
                    count = 0
                initialiser = True
            elif text == "," and not function:
                count += 1
                initialiser = False
            elif text == ":" and function:
                in_list = True
            elif text == "<" and not initialiser and not function:
                at = beyond_angles(tokens, at)
                continue
            elif text == "(":
                pointer = at + 1 < end and (tokens[at + 1].text in ("*", "&"))
                named = tokens[at - 1].kind == "word" and tokens[at - 1].text not in ("alignas", "decltype", "noexcept", "explicit", "requires")
                if not initialiser and not pointer and named:
                    function = True
                at = beyond(tokens, at)
                continue
            elif text == "{":
                initialises = in_list and (tokens[at - 1].kind == "word" or tokens[at - 1].text == ">")
                at = beyond(tokens, at)
                caught = at < end and tokens[at].text == "catch"
                if function and not initialiser and not initialises and not caught:
                    break  # its body
                continue
            elif text == "[":
                at = beyond(tokens, at)
                continue
            at += 1
        if function:
            return at, "function", count
        return at, "" if constant else "member", count


def of_cxx(text):
    scan = Scan(text)
    scan.outside(0, len(scan.tokens), [])
    return scan.found


def of_python(text):
    """Methods, and attributes that the class or its methods set on `self`."""
    def sizes(node, scope):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                methods = [c for c in child.body if isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef))]
                names = {t.id for c in child.body if isinstance(c, (ast.Assign, ast.AnnAssign))
                         for t in (c.targets if isinstance(c, ast.Assign) else [c.target]) if isinstance(t, ast.Name)}
                names -= {n for n in names if n.isupper()}  # constants
                names |= {n.attr for m in methods for n in ast.walk(m)
                          if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
                          and isinstance(n.value, ast.Name) and n.value.id == "self"}
                inner = [*scope, child.name]
                yield Size("::".join(inner), child.lineno, len(names - {m.name for m in methods}), len(methods))
                yield from sizes(child, inner)
            else:
                yield from sizes(child, scope)

    return list(sizes(ast.parse(text), []))
