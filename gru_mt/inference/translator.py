"""Text in, text out: what `gru-mt translate`, `gru-mt eval` and validation share."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

from gru_mt.config.decoding import Decoding, check_number
from gru_mt.corrections.memory import CorrectionMemory
from gru_mt.data.text.terms.dates import date_rules
from gru_mt.data.text.terms.glossary import Glossary
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError, as_path, as_paths, as_texts, short_repr
from gru_mt.inference.confidence import Calibration
from gru_mt.inference.engines.engine import Engine
from gru_mt.inference.engines.ensemble import Ensemble
from gru_mt.inference.engines.onnx_engine import is_export, load_export
from gru_mt.inference.preprocessing.messages import arms, with_arms
from gru_mt.inference.preprocessing.reader import Reader, readable
from gru_mt.inference.published import local_folder
from gru_mt.inference.sentence_translator import MapBatches, Options, SentenceTranslator
from gru_mt.inference.translation import Languages, Translation

MAX_BYTES = 4  # of a character; a token has at least one byte
DEEPEST_MESSAGE = 5  # plurals and selects in one another, whose arms are translated


class Keywords(TypedDict, total=False):
    """The keywords of `Translator.translate`."""

    beam_size: int | None
    length_penalty: float | None
    n_best: int
    batch_size: int
    attention: bool
    split: bool
    glossary: Glossary | Mapping[str, str] | None


@dataclass(eq=False)
class Translator:
    """A trained model and its tokenizer, ready to translate.

    `decoding` has the settings of the search that a call does not override, `languages` what it
    translates. A process that is forked after a translation, as `multiprocessing` does, can
    translate too. It uses one thread with torch, and threads of its own with an export.

    Example:
        >>> from gru_mt import Translator
        >>> translator = Translator.load("runs/small")
        >>> print(translator.translate("I see a cat."))
        Je vois un chat.
        >>> translator.languages.target, translator.decoding.beam_size
        ('fr', 5)
    """

    engine: Engine[Any]
    tokenizer: Tokenizer
    decoding: Decoding
    languages: Languages = field(default_factory=Languages)
    calibration: Calibration | None = None  # without one, translations have no confidence
    map_batches: MapBatches = map  # training on several processes divides the batches
    threads: int | None = None  # that compute batches; None is as many as suit the engine
    corrections: CorrectionMemory | None = None  # without them all is the model's: for scores

    @classmethod
    def load(cls, path: str | Path, *, device: str = "auto") -> "Translator":
        """Return the translator in a folder, an archive or a repository.

        Args:
            path: The folder of a run, of its model, or of an export; the file of an archive; or
                hf:owner/name, a repository of the Hugging Face hub, perhaps with @revision.
            device: cpu, cuda or cuda:1; auto is cuda where it works, else cpu. An export runs on
                the CPU, whatever this is, and does not import torch.

        Raises:
            UserError: If there is no translator there, or it is damaged.

        Example:
            >>> from gru_mt import Translator
            >>> translator = Translator.load("runs/small", device="cpu")
        """
        path = local_folder(as_path(path, "path"))
        corrections = CorrectionMemory(path)
        if is_export(path):
            return cls(*load_export(path), corrections=corrections)
        from gru_mt.bundle import load_bundle
        from gru_mt.inference.engines.torch_engine import TorchEngine
        from gru_mt.model.device import resolve_device

        bundle = load_bundle(path, resolve_device(str(device), field="device"))
        config, calibration = bundle.config, Calibration.of_bundle(bundle.provenance)
        data, bleu_tokenizer = config.data, config.evaluation.bleu_tokenizer
        languages = Languages(data.source, data.target, bleu_tokenizer)
        found = TorchEngine(bundle.model), bundle.tokenizer, config.decoding, languages, calibration
        return cls(*found, corrections=corrections)

    @classmethod
    def averaging(cls, paths: Iterable[str | Path], *, device: str = "auto") -> "Translator":
        """Return the translator that averages what several models expect next.

        It reads and decodes as the first does, and has no confidence.

        Args:
            paths: The models, as `load` takes them.
            device: As in `load`.

        Raises:
            UserError: As in `load`; if there are no folders, and if two models have not the same
                vocabularies and languages.

        Example:
            >>> from gru_mt import Translator
            >>> translator = Translator.averaging(["runs/small", "runs/small/model"])
        """
        known = as_paths(paths, "paths")
        if not known:
            raise UserError("paths must name a model, got none")
        first, *others = [cls.load(path, device=device) for path in known]
        if not others:
            return first
        for path, other in zip(known[1:], others, strict=True):
            languages = replace(other.languages, bleu_tokenizer=first.languages.bleu_tokenizer)
            same_words = other.tokenizer.same_vocabularies(first.tokenizer)
            if languages != first.languages or not same_words:
                raise UserError(
                    f"{path}: another vocabulary or other languages than {known[0]}; models are "
                    "averaged that one corpus and tokenizer were trained for"
                )
        engines = [translator.engine for translator in (first, *others)]
        engine = Ensemble(engines, first.tokenizer.target.size)
        return replace(first, engine=engine, calibration=None)

    @overload
    def translate(  # type: ignore[overload-overlap]  # a string is a sequence of strings too
        self, sources: str, **keywords: Unpack[Keywords]
    ) -> Translation: ...

    @overload
    def translate(
        self, sources: Iterable[str], **keywords: Unpack[Keywords]
    ) -> list[Translation]: ...

    def translate(
        self,
        sources: str | Iterable[str],
        *,
        beam_size: int | None = None,
        length_penalty: float | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
        split: bool = True,
        glossary: Glossary | Mapping[str, str] | None = None,
    ) -> Translation | list[Translation]:
        """Translate a line, or each line of an iterable.

        Addresses, code, long numbers, emoji and unknown names are copied: each stands in the
        translation exactly as often as in the line. Neither the batch size nor the order of the
        lines changes a translation. A blank line gives an empty text.

        Args:
            sources: A line of text, or an iterable of lines.
            beam_size: Hypotheses that the search keeps; None is the model's own setting.
            length_penalty: Exponent p of log-probability / length ** p, by which hypotheses are
                ranked; None is the model's own setting.
            n_best: Translations of each sentence. Above 1 the search does not prune: it is slower,
                and may find a better first translation.
            batch_size: Sentences that are translated together, at most.
            attention: Whether candidates have the attention of their tokens over the source.
            split: Whether a line is split into its sentences.
            glossary: Terms and the translations that they must have, as a dict or a `Glossary`.

        Returns:
            A Translation for a line, a list of them for an iterable. `str(translation)` is its
            text; `texts`, `confidence`, `warnings` and `sentences` have more.

        Raises:
            UserError: If an argument is of another type or out of range, if `n_best` is larger than
                the beam, and if there is no attention to show.

        Example:
            >>> from gru_mt import Translator
            >>> translator = Translator.load("runs/small")
            >>> [str(line) for line in translator.translate(["I see a cat.", ""], beam_size=1)]
            ['Je vois un chat.', '']
            >>> len(translator.translate("I see a key.", n_best=3).texts)
            3
            >>> "matou" in str(translator.translate("I see a cat.", glossary={"cat": "matou"}))
            True
        """
        decoding = self.decoding.overridden(beam_size=beam_size, length_penalty=length_penalty)
        terms = None if glossary is None else Glossary.of(glossary)
        options = Options(decoding, n_best, batch_size, attention, split, terms)
        if isinstance(sources, str):
            return self._translate_lines([sources], options)[0]
        return self._translate_lines(as_texts(sources, "sources"), options)

    def translate_iterable(
        self, sources: Iterable[str], *, chunk: int = 1_000, **keywords: Unpack[Keywords]
    ) -> Iterator[Translation]:
        """Translate a stream of lines, of any length, and hold `chunk` of them at a time.

        Args:
            sources: An iterable of lines, such as an open file or a generator.
            chunk: Lines that are read before they are translated together.
            **keywords: The keywords of `translate`.

        Returns:
            An iterator of a Translation for each line, in order.

        Raises:
            UserError: As in `translate`.

        Example:
            >>> from gru_mt import Translator
            >>> lines = (f"I see a {animal}." for animal in ["cat", "dog"])
            >>> for translation in Translator.load("runs/small").translate_iterable(lines):
            ...     print(translation)
            Je vois un chat.
            Je vois un chien.
        """
        check_number("chunk", chunk, 1)
        if (terms := keywords.get("glossary")) is not None:
            keywords["glossary"] = Glossary.of(terms)  # once for all chunks
        self.translate([], **keywords)  # it checks them now, not at the first line
        if isinstance(sources, str | bytes | Mapping) or not isinstance(sources, Iterable):
            raise UserError(f"sources must be an iterable of texts, got {short_repr(sources)}")
        lines = iter(sources)

        def translations() -> Iterator[Translation]:
            while some := [*islice(lines, chunk)]:
                yield from self.translate(some, **keywords)

        return translations()

    def _translate_lines(
        self, lines: list[str], options: Options, depth: int = 0
    ) -> list[Translation]:
        tokenizer, most_tokens = self.tokenizer, options.decoding.max_source_tokens

        def fits(text: str, parts: int) -> bool:
            most = most_tokens // parts
            return MAX_BYTES * len(text) <= most or len(tokenizer.source.encode(text)) <= most

        languages, glossary = self.languages, options.glossary
        dates = date_rules(languages.source, languages.target)
        reader = Reader(tokenizer.truecaser, languages.source, fits, glossary, options.split, dates)
        sentences_of = [[*reader.sentences(line)] for line in lines]
        if self.corrections and self.corrections.refresh(
            replace(reader, glossary=None, split=True)
        ):
            correct = partial(self.corrections.correct, memory=tokenizer.memory)
            sentences_of = [[*correct(sentences)] for sentences in sentences_of]
        translator = SentenceTranslator(
            self.engine,
            tokenizer,
            self.calibration,
            self.map_batches,
            options,
            self.threads or self.engine.threads,
        )
        found = iter(translator.translate([*chain.from_iterable(sentences_of)]))
        translations = [
            Translation(line, [*islice(found, len(sentences))])
            for line, sentences in zip(lines, sentences_of, strict=True)
        ]
        # The arms of ICU messages in the lines. They are translated together, to share batches.
        plain = {row: readable(line) for row, line in enumerate(lines) if "{" in line}
        messages = [(row, each) for row, line in plain.items() for each in arms(line)]
        if messages and depth < DEEPEST_MESSAGE:
            texts = [arm.text for _, message in messages for arm in message]
            alone = replace(options, n_best=1, attention=False)
            left = iter(self._translate_lines(texts, alone, depth + 1))
            for row, message in messages:
                new = [each.text for each in islice(left, len(message))]
                translations[row] = with_arms(translations[row], plain[row], message, new)
        return translations
