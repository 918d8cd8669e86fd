"""One annotator at work: true mentions in, the tags of a fallible person out."""

from dataclasses import dataclass, field

from demo_corpus.characters import AMBIGUOUS_IS_HARDER, MISC_IS_HARDER, Character
from demo_corpus.dice import Dice
from demo_corpus.markup import TYPES, MarkedSentence, Mention, tags_of

Tags = list[str | None]
NameTypes = dict[tuple[str, ...], set[str]]

ALL_TAGS = ("O", *(f"{prefix}-{type}" for type in TYPES for prefix in "BI"))


@dataclass
class Reader:
    """One annotator at work on one document, remembering how names were treated further up."""

    character: Character
    dice: Dice
    other_types: NameTypes
    treated: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def label(self, sentence: MarkedSentence) -> Tags:
        """The tags this annotator gives; None where they left a token blank."""
        length = len(sentence.tokens)
        tags: Tags
        if self.character.manner == "outside":
            tags = ["O"] * length
        elif self.character.manner == "random":
            tags = [self._any_tag() for _ in range(length)]
        else:
            tags = self._read(sentence)
        return self._with_blanks(tags)

    def _read(self, sentence: MarkedSentence) -> Tags:
        marked = [
            Mention(m.start, m.end, given) for m in sentence.mentions if (given := self._judge(sentence, m))
        ]
        taken = {place for mention in sentence.mentions for place in range(mention.start, mention.end)}
        if self.dice.hit(self.character.invents):
            marked += self._invention(sentence.tokens, taken)
        length = len(sentence.tokens)
        tags: Tags = list(tags_of(length, tuple(self._shifted(m, length, taken) for m in marked)))
        return [self._unopened(tags, place) for place in range(length)]

    def _judge(self, sentence: MarkedSentence, mention: Mention) -> str | None:
        """The type given to a mention, None when it is overlooked; names are known again by any word."""
        words = [(word, mention.type) for word in sentence.name(mention)]
        earlier = [self.treated[word] for word in words if word in self.treated]
        if not earlier:
            verdict = self._first_sight(sentence.name(mention), mention.type)
        elif self.dice.hit(self.character.slips):
            verdict = self.dice.pick([None, *(type for type in TYPES if type != mention.type)])
        elif self.dice.hit(self.character.loyalty):
            verdict = earlier[-1]
        else:
            verdict = self._first_sight(sentence.name(mention), mention.type)
        # A slip is forgotten at once; the first impression of a name is what stays.
        for word in words:
            self.treated.setdefault(word, verdict)
        return verdict

    def _first_sight(self, name: tuple[str, ...], truth: str) -> str | None:
        rivals = sorted(self.other_types[name] - {truth})
        harder = (AMBIGUOUS_IS_HARDER if rivals else 1.0) * (MISC_IS_HARDER if truth == "MISC" else 1.0)
        if self.dice.hit(min(self.character.misses * harder, 0.8)):
            return None
        swapped, how_often = self.character.swaps.get(truth, (truth, 0.0))
        if self.dice.hit(how_often):
            return swapped
        if self.dice.hit(self.character.mistypes * harder):
            return self.dice.pick(rivals or [type for type in TYPES if type != truth])
        return truth

    def _shifted(self, mention: Mention, length: int, taken: set[int]) -> Mention:
        """The mention with one edge moved by a word, never into another mention."""
        if not self.dice.hit(self.character.shifts):
            return mention
        start, end = mention.start, mention.end
        choices = [(start + 1, end), (start, end - 1)] if end - start > 1 else []
        choices += [(start - 1, end)] if start > 0 and start - 1 not in taken else []
        choices += [(start, end + 1)] if end < length and end not in taken else []
        start, end = self.dice.pick(choices or [(start, end)])
        taken.update(range(start, end))
        return Mention(start, end, mention.type)

    def _invention(self, tokens: tuple[str, ...], taken: set[int]) -> list[Mention]:
        """At most one mention of nothing, on a word with a capital if there is one."""
        free = [place for place, token in enumerate(tokens) if place not in taken and token[0].isalpha()]
        tempting = [place for place in free if tokens[place][0].isupper()]
        if not free:
            return []
        place = self.dice.pick(tempting or free)
        taken.add(place)
        return [Mention(place, place + 1, self.dice.pick(TYPES))]

    def _unopened(self, tags: Tags, place: int) -> str | None:
        tag = tags[place]
        if tag and tag.startswith("B-") and self.dice.hit(self.character.unopened):
            return f"I{tag[1:]}"
        return tag

    def _any_tag(self) -> str:
        return self.dice.pick(ALL_TAGS) if self.dice.hit(self.character.scatter) else "O"

    def _with_blanks(self, tags: Tags) -> Tags:
        if not self.dice.hit(self.character.leaves_blank):
            return tags
        start = self.dice.below(len(tags))
        end = min(start + 1 + self.dice.below(3), len(tags))
        return [None if start <= place < end else tag for place, tag in enumerate(tags)]
