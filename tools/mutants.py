"""Small wrong changes of C++ sources, for tools/mutate.py. Pure."""
import dataclasses
import random
import re

# What is not code: comments, string and character literals, preprocessor lines, includes.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*',
                      re.DOTALL | re.MULTILINE)
# Operators have blanks on both sides (clang-format), which tells them apart from templates and references.
SWAPS = {" == ": " != ", " != ": " == ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " && ": " || ", " || ": " && ",
         " + ": " - ", " - ": " + ", " += ": " -= ", " -= ": " += "}
RULES = [(re.compile(re.escape(old)), new) for old, new in SWAPS.items()] + [
    (re.compile(r"\btrue\b"), "false"), (re.compile(r"\bfalse\b"), "true"),
    (re.compile(r"\bstd::min\b"), "std::max"), (re.compile(r"\bstd::max\b"), "std::min"),
    (re.compile(r"\b(?:continue|break);"), ";"),
    (re.compile(r"(?<=[(\s])!(?=[a-zA-Z_(])"), ""),
]
NUMBER = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])")


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    offset: int
    old: str
    new: str

    def apply(self, text):
        assert text[self.offset:self.offset + len(self.old)] == self.old
        return text[:self.offset] + self.new + text[self.offset + len(self.old):]

    def line(self, text):
        return text.count("\n", 0, self.offset) + 1


def code_only(text):
    """The text with blanks in the place of everything that is not code."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def candidates(path, text):
    """Every mutant of one source."""
    code = code_only(text)
    for pattern, new in RULES:
        for match in pattern.finditer(code):
            # A literal beside an operator was blanked: take the bytes of the source.
            old = text[match.start():match.end()]
            if old == match[0]:
                yield Mutant(path, match.start(), old, new)
    for match in NUMBER.finditer(code):
        yield Mutant(path, match.start(), match[0], str(int(match[0]) + 1))


def draw(sources, count, seed):
    """`count` mutants; a source is drawn by its number of lines, and then one of its mutants."""
    rng = random.Random(seed)
    paths = sorted(path for path in sources if next(candidates(path, sources[path]), None))
    weights = [sources[path].count("\n") + 1 for path in paths]
    drawn = []
    while paths and len(drawn) < count:
        path = rng.choices(paths, weights)[0]
        mutant = rng.choice(sorted(candidates(path, sources[path]), key=lambda one: (one.offset, one.new)))
        if mutant not in drawn:
            drawn.append(mutant)
        elif all(one in drawn for path in paths for one in candidates(path, sources[path])):
            break
    return drawn
