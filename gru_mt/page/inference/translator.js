/**
 * From lines to their translations: gru_mt/inference/translator.py; and attention by words, as
 * gru_mt/report/samples.py has it.
 */

import { confidence, features, FOREIGN, isForeign, warningsOf } from "./confidence.js";
import { clausesOf, joinedClauses, quotationsOf, withQuotations } from "./clauses.js";
import { words } from "../text/normalize.js";
import { armsOf, withArms } from "./messages.js";
import { readable, readLine } from "./reader.js";
import { beamSearch } from "./search.js";
import { EOS } from "../tokenizer/special.js";
import { beginsCased, inWord, SENTENCE_END, size, SPACELESS } from "../text/normalize.js";

const DEEPEST_MESSAGE = 5; // plurals and selects in one another, whose arms are translated
// Of `beamSearch` where only the best translation is wanted, in nats: see translator.py.
const MARGIN = 2;
const MARGIN_PER_TOKEN = 1 / 24;
const WIDEST_MARGIN = 3;
const BYTES = 4; // of a character, at most; a token has at least one
const END = "<eos>";
const ENDING_SIGNS = [...`${SENTENCE_END}»”"')`]; // after which a sentence begins
const FIRST_SIGNS = /^[¿¡"'“‘«([ \u00a0\u202f]+/; // may stand before the first word of a sentence

/** A model, its vocabularies, its truecaser and its memory, ready to translate. */
export class Translator {
  /**
   * Take {model, source, target, truecaser, memory, splitLine, dates, decoding, calibration}.
   *
   * `splitLine` splits a line into sentences; `dates` is a DateFinder, or null; `decoding` has the
   * names of the configuration; `calibration` are the weights of the confidence, or null.
   */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /**
   * Return the translation of a line: {text, sentences}, with {source, gap, text, confidence,
   * warnings, sourceWords, candidates} of each sentence.
   *
   * Each candidate has {text, score, words, attention}. With `nBest` above 1 the search does not
   * prune. `pause` is awaited now and then; it throws to end the work. The line is in `depth`
   * messages of ICU.
   */
  async translate(
    line,
    { nBest = 1, decoding = this.decoding, pause = () => {}, depth = 0 } = {},
  ) {
    const reading = {
      ...{ truecaser: this.truecaser, splitLine: this.splitLine, dates: this.dates },
      conjunction: this.conjunction,
      fits: (text, parts) => this.#fits(text, Math.trunc(decoding.max_source_tokens / parts)),
    };
    let sentences = [];
    for (const sentence of readLine(line, reading)) {
      let found = await this.#translated(sentence, nBest, decoding, pause);
      const isRead = found.sourceWords.length > 0; // by the model
      if (isRead && !sentence.keepsAll(found.text)) {
        // Where the model lost a number or a mark within the sentence, these are copied.
        let copying = sentence.withNumbers({ marks: true });
        if (nBest === 1) {
          const texts = [];
          for (const quotation of quotationsOf(copying)) {
            texts.push((await this.#translated(quotation, nBest, decoding, pause)).text);
          }
          copying = withQuotations(copying, texts);
        }
        const clauses = nBest > 1 ? [copying] : clausesOf(copying);
        const parts = [];
        for (const clause of clauses) {
          parts.push(await this.#translated(clause, nBest, decoding, pause));
        }
        found = parts.length > 1 ? this.#joined(copying, parts) : parts[0];
        if (!sentence.keepsNumbers(found.text)) found.warnings.push("numbers");
      }
      sentences.push({ source: sentence.source, gap: sentence.gap, ...found });
    }
    const plain = depth < DEEPEST_MESSAGE ? readable(line) : "";
    for (const arms of armsOf(plain)) {
      const texts = [];
      for (const arm of arms) {
        const inner = await this.translate(arm.text, { decoding, pause, depth: depth + 1 });
        texts.push(inner.text);
      }
      sentences = withArms(plain, sentences, arms, texts);
    }
    // Where the source has no space between two sentences, a word gets one before it.
    let last = ""; // the last character of the line
    sentences.forEach(({ text, gap }, n) => {
      const begins = ENDING_SIGNS.includes(last) && beginsCased(text.replace(FIRST_SIGNS, ""));
      if (n > 0 && !sentences[n - 1].gap && begins) sentences[n - 1].gap = " ";
      last = (last + text + gap).at(-1) ?? "";
    });
    return { text: sentences.map(({ text, gap }) => text + gap).join(""), sentences };
  }

  /** Return whether a text has at most so many tokens. */
  #fits(text, most) {
    return BYTES * size(text) <= most || this.source.encode(text).length <= most;
  }

  /** Return the translations that need no model; none where it must translate. */
  #known(sentence) {
    if (sentence.isCopied) return [sentence.finished(sentence.text)];
    const { before, typed, after } = sentence;
    return this.memory.find(typed).map((text) => before + text + after);
  }

  /** Return `texts` as the translations of a sentence that the model does not read. */
  #withoutModel(sentence, texts) {
    const isOther = sentence.isCopied && words(sentence.typed).length > 0; // nothing else was read
    return {
      text: texts[0],
      confidence: this.calibration && (isOther ? FOREIGN : 1),
      warnings: isOther ? ["language"] : [],
      sourceWords: [],
      candidates: texts.map((text) => ({ text, score: 0, words: [], attention: null })),
    };
  }

  /** Return the translation of a sentence from those of its clauses, without their words. */
  #joined(sentence, parts) {
    const whole = joinedClauses(
      sentence,
      parts.map(({ text }) => text),
    );
    const text = sentence.finished(whole, this.memory.names);
    const score = Math.min(...parts.map(({ candidates }) => candidates[0].score));
    return {
      text,
      confidence: this.calibration && Math.min(...parts.map((part) => part.confidence)),
      warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
      sourceWords: [],
      candidates: [{ text, score, words: [], attention: null }],
    };
  }

  async #translated(sentence, nBest, decoding, pause) {
    const known = this.#known(sentence).slice(0, nBest);
    if (known.length) return this.#withoutModel(sentence, known);
    const all = this.source.encode(sentence.text);
    const ids = [...all.slice(0, decoding.max_source_tokens), EOS];
    const margin = Math.min(MARGIN + MARGIN_PER_TOKEN * ids.length, WIDEST_MARGIN);
    const limit = 2 * ids.length + 8;
    const within = nBest > 1 ? Infinity : margin;
    const beam = await beamSearch(this.model, ids, limit, decoding, within, pause);
    const texts = beam.slice(0, nBest).map((hypothesis) => this.target.decode(hypothesis.ids));
    const pieces = this.source.pieces(ids.slice(0, -1));
    const seen = features(sentence.text, ids.length, beam[0], this.truecaser);
    const isUnlikeDev = sentence.isPart || isForeign(sentence, this.truecaser);
    const most = isUnlikeDev ? FOREIGN : 1;
    const chance = this.calibration && Math.min(confidence(this.calibration, seen), most);
    const warnings = warningsOf(sentence, pieces, texts[0], beam[0], chance, this.truecaser);
    const sourceTokens = [...sentence.shown(pieces), END];
    return {
      text: sentence.finished(texts[0], this.memory.names),
      confidence: chance,
      warnings,
      sourceWords: wordsOf(sourceTokens),
      candidates: texts.map((text, k) => {
        const { ids, ended } = beam[k];
        const tokens = [...sentence.shown(this.target.pieces(ids)), ...(ended ? [END] : [])];
        return {
          text: sentence.finished(text, this.memory.names),
          score: beam[k].score,
          words: wordsOf(tokens),
          attention: beam[k].attention && byWords(beam[k].attention, sourceTokens, tokens),
        };
      }),
    };
  }
}

/** Return attention's weights, summed over a source word's tokens and averaged over a target's. */
function byWords(attention, sourceTokens, tokens) {
  const columns = wordEnds(sourceTokens);
  return wordEnds(tokens).map(([first, last]) => {
    const read = attention.slice(first, last);
    const sum = (row, [start, end]) => row.subarray(start, end).reduce((a, b) => a + b, 0);
    return columns.map((ends) => read.reduce((all, row) => all + sum(row, ends), 0) / read.length);
  });
}

/** Return each word's text: ["▁un", "able", "<eos>"] -> ["unable", "<eos>"]. */
function wordsOf(tokens) {
  return wordEnds(tokens).map(
    ([start, end]) =>
      tokens.slice(start, end).join("").replaceAll("\u2581", " ").trim() || "\u2423",
  );
}

/** Return where each word's tokens begin and end; without spaces in tokens each is a word. */
function wordEnds(tokens) {
  const areSubwords = tokens.some((token) => token.startsWith("\u2581"));
  const starts = [];
  tokens.forEach((token, index) => {
    if (index === 0 || !areSubwords || !joinsOn(tokens[index - 1], token)) starts.push(index);
  });
  return starts.map((start, n) => [start, starts[n + 1] ?? tokens.length]);
}

/** Return whether a token goes on with the word of the one before it. */
function joinsOn(before, token) {
  const joins = inWord(token) || /^['’]/.test(token);
  const last = [...before].at(-1) ?? "";
  const left = inWord(last) || /['’]$/.test(before) || before === "\u2581";
  return joins && left && (before + token).search(SPACELESS) < 0;
}
