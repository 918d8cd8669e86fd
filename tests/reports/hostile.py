"""Texts that would do harm if a page took them for markup, and a corpus full of them."""

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus

# What each of them does where it runs: it leaves a mark on the document that can be looked for.
MARK = "owned"
_DO = "document.documentElement.setAttribute('data-owned',1)"
HOSTILE = (
    f"<script>{_DO}</script>",
    f"</script><script>{_DO}</script>",
    f"</style><script>{_DO}</script>",
    f"</title><script>{_DO}</script>",
    f"--><script>{_DO}</script>",
    f"]]><script>{_DO}</script>",
    f'"><img src=x onerror="{_DO}">',
    f"'><svg onload={_DO}>",
    f'" autofocus onfocus="{_DO}" x="',
    f"javascript:{_DO}",
    f"<iframe srcdoc='<script>parent.{_DO}</script>'></iframe>",
    f"<details open ontoggle={_DO}>",
    f"&lt;script&gt;{_DO}&lt;/script&gt;",
    f"<math><mtext><table><mglyph><style><img src=x onerror={_DO}>",
    "<!--",
    "<plaintext>",
    "<base href=//example.org/>",
    "<link rel=stylesheet href=//example.org/x.css>",
    "<style>*{display:none}</style>",
    "{{7*7}} ${7*7} #{7*7}",
    "\u202egnp.exe\u2066",
    "x" * 5000,
)
CONTROLS = ("\x1b[31mred\x1b[0m", "\x00\x07\x9b", "\ud800", "a\tb\nc", "\u2028\u2029\ufeff")


def hostile_corpus(kind: str = "IOB2") -> Corpus:
    """Every hostile text as token, label, annotator, document and sentence id; two who often disagree."""
    builder = CorpusBuilder()
    names = [text for text in HOSTILE if text.strip()]
    for number, text in enumerate(names):
        label = f"B-{text}" if kind != "plain" else text
        other = f"B-{names[number - 1]}" if kind != "plain" else names[number - 1]
        rest = "O" if kind != "plain" else names[0]
        tokens = [text, "and", *(CONTROLS if number == 0 else ())]
        filler = [rest] * (len(tokens) - 1)
        builder.add(
            Record(
                tokens,
                id=f"{text}{number}",
                doc=f"doc {text}",
                gold=[label, *filler],
                annotations={
                    text: [other, *filler],
                    "honest": [label, *filler],
                    f"2{text}": [other, *filler],
                },
            )
        )
    return builder.build("plain" if kind == "plain" else kind)
