/**
 * From text to ids and back: gru_mt/data/tokenizer/tokenizer.py and words.py, and what
 * SentencePiece 0.2 does for them (Kudo and Richardson 2018): the likeliest segmentation of a
 * unigram model (Kudo 2018), or the merges of a BPE model (Sennrich et al. 2016). What has no piece
 * is written in bytes.
 */

import { BOS, EOS, FIRST_OTHER, PLACEHOLDER_TOKENS, PLACEHOLDER_IDS, PAD, UNK } from "./special.js";
import { clean, pattern } from "../text/normalize.js";

export const SPACE = "\u2581"; // SentencePiece writes a space so, and takes the character for one
const ESCAPE = "\ue000"; // with a 1 it stands for SPACE, with a 0 for itself
const WORD_START = new RegExp(`(?=${SPACE})`, "u"); // no piece of BPE goes on across one
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const FIRST_PIECE = FIRST_OTHER + 256; // after the bytes
const UNKNOWN_PENALTY = 10; // of SentencePiece, below the least likely piece
const PLACEHOLDER_SCORE = 0.2; // of SentencePiece 0.2.3, by trial; it counts where others are equal

/** Return the vocabulary of what vocabulary.py gives: {size, encode, pieces, decode}. */
export function vocabulary(data) {
  const token = TOKENS[data.kind];
  return token ? new Words(data.words, token) : new Subwords(data);
}

/** A SentencePiece model with byte fallback. */
class Subwords {
  constructor({ kind, pieces, scores }) {
    Object.assign(this, { kind, all: pieces, scores, size: pieces.length });
    this.ids = new Map(); // of each piece of text; and -1 of each beginning of one
    for (const id of [...PLACEHOLDER_IDS, ...pieces.keys()]) {
      if (id >= FIRST_PIECE || PLACEHOLDER_IDS.includes(id)) this.ids.set(pieces[id], id);
    }
    for (const piece of [...this.ids.keys()]) {
      for (let end = 1; end < piece.length; end++) {
        const beginning = piece.slice(0, end);
        if (!this.ids.has(beginning)) this.ids.set(beginning, -1);
      }
    }
    const own = scores.slice(FIRST_PIECE);
    this.unknownScore = Math.fround(own.reduce((a, b) => Math.min(a, b), 0) - UNKNOWN_PENALTY);
  }

  /** Return the ids of a text, without <s> and </s>. */
  encode(text) {
    const escaped = text.replaceAll(ESCAPE, `${ESCAPE}0`).replaceAll(SPACE, `${ESCAPE}1`);
    const trimmed = escaped.replace(/^ +| +$/g, "").replace(/ +/g, SPACE);
    if (!trimmed) return [];
    const marked = SPACE + trimmed;
    const parts =
      this.kind === "unigram"
        ? this.#likeliest(marked)
        : this.kind === "bpe"
          ? marked.split(WORD_START).flatMap((word) => this.#merged(word))
          : [...marked];
    return parts.flatMap((part) => {
      const id = this.ids.get(part) ?? -1;
      return id >= 0 ? [id] : bytesOf(part).map((byte) => FIRST_OTHER + byte);
    });
  }

  /** Return the likeliest segmentation, by the algorithm of Viterbi in numbers of 32 bits. */
  #likeliest(text) {
    const best = new Float32Array(text.length + 1); // log-probability of the text before it
    const from = new Int32Array(text.length + 1).fill(-1); // where the last piece of it begins
    for (let start = 0; start < text.length;) {
      const letter = text.codePointAt(start) > 0xffff ? 2 : 1;
      let isKnown = false;
      for (let end = start + 1; end <= text.length; end++) {
        const id = this.ids.get(text.slice(start, end));
        if (id === undefined) break;
        if (id < 0) continue;
        isKnown ||= end === start + letter;
        const own = id < FIRST_PIECE ? PLACEHOLDER_SCORE : this.scores[id];
        const score = Math.fround(best[start] + own);
        if (from[end] < 0 || score > best[end]) {
          best[end] = score;
          from[end] = start;
        }
      }
      const end = start + letter;
      const unknown = Math.fround(best[start] + this.unknownScore);
      if (!isKnown && (from[end] < 0 || unknown > best[end])) {
        best[end] = unknown;
        from[end] = start;
      }
      start = end;
    }
    const parts = [];
    for (let end = text.length; end > 0; end = from[end]) parts.push(text.slice(from[end], end));
    return parts.reverse();
  }

  /** Return a word after all merges, the best one first, of equal ones the leftmost. */
  #merged(text) {
    const parts = [...text];
    const merge = (n) => {
      const id = n + 1 < parts.length ? this.ids.get(parts[n] + parts[n + 1]) : -1;
      return id >= 0 ? this.scores[id] : -Infinity;
    };
    const scores = parts.map((_, n) => merge(n));
    for (;;) {
      const best = scores.reduce((a, b) => Math.max(a, b), -Infinity);
      if (best === -Infinity) return parts;
      const n = scores.indexOf(best);
      parts.splice(n, 2, parts[n] + parts[n + 1]);
      scores.splice(n, 2, merge(n));
      if (n > 0) scores[n - 1] = merge(n - 1);
    }
  }

  /** Return the piece of each id. */
  pieces(ids) {
    return ids.map((id) => this.all[id]);
  }

  /** Return one line of cleaned text. Bytes that are not UTF-8 become U+FFFD. */
  decode(ids) {
    let text = this.#joined(ids);
    const tokens = [...text].filter((letter) => PLACEHOLDER_TOKENS.includes(letter)).length;
    if (tokens !== ids.filter((id) => PLACEHOLDER_IDS.includes(id)).length) {
      text = this.#joined(ids.filter((id) => id !== FIRST_OTHER + 0xee)); // no placeholder in bytes
    }
    const unescaped = text.replaceAll(`${ESCAPE}1`, SPACE).replaceAll(`${ESCAPE}0`, ESCAPE);
    return clean(unescaped.replace(/[\x00-\x1f\x7f-\x9f]/g, " "));
  }

  #joined(ids) {
    let text = "";
    let bytes = [];
    for (const id of [...ids, EOS]) {
      if (id >= FIRST_OTHER && id < FIRST_PIECE) {
        bytes.push(id - FIRST_OTHER);
      } else {
        text += textOf(bytes) + (id <= EOS ? "" : this.all[id].replaceAll(SPACE, " "));
        bytes = [];
      }
    }
    return text;
  }
}

/** Return the bytes of a text in UTF-8. */
function bytesOf(text) {
  return [...new TextEncoder().encode(text)];
}

/** Return the text of bytes; each byte that begins no character is U+FFFD. */
function textOf(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at];
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const letter = lettersOf(bytes.slice(at, at + size));
    text += letter ?? "\ufffd";
    at += letter === null ? 1 : size;
  }
  return text;
}

/** Return the text of bytes; null if they are not UTF-8. */
function lettersOf(bytes) {
  try {
    return UTF8.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

const WORD_LETTER = pattern`[\w\m]`;
const INSIDE = `[^ ,.!?${PLACEHOLDER_TOKENS.join("")}]`;
/** Tokens of the kinds of words. */
const TOKENS = {
  word: new RegExp(
    pattern`
      \d+(?:[.,:]\d+)+ |
      ${WORD_LETTER}+(?:-${WORD_LETTER}+)*(?:['’](?=${WORD_LETTER}))? |
      [^\s]
    `,
    "gu",
  ),
  space: new RegExp(`[,.!?]${INSIDE}*|${INSIDE}+|[^ ]`, "gu"),
};

/** A vocabulary of words, as words.py writes it: a token a line, and after a tab where it joins. */
class Words {
  constructor(file, token) {
    this.token = token;
    const rows = file
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split("\t"));
    this.tokens = rows.map(([token]) => token);
    this.joins = new Map(rows.map(([token, joins]) => [token, joins ?? ""]));
    this.ids = new Map(this.tokens.map((token, id) => [token, id]));
    this.size = this.tokens.length;
  }

  /** Return the ids of a text, UNK for unknown words. */
  encode(text) {
    return (text.toLowerCase().match(this.token) ?? []).map((token) => this.ids.get(token) ?? UNK);
  }

  /** Return the token of each id. */
  pieces(ids) {
    return ids.map((id) => this.tokens[id]);
  }

  /** Return one line of text, with punctuation spaced as the corpus mostly does. */
  decode(ids) {
    let text = "";
    let insideQuotes = false;
    let isJoined = true; // no space before the next token
    for (const token of this.pieces(ids.filter((id) => ![PAD, BOS, EOS].includes(id)))) {
      let joins = this.joins.get(token);
      if (token === '"') {
        joins = insideQuotes ? "<" : ">"; // the same mark opens and closes
        insideQuotes = !insideQuotes;
      }
      text += isJoined || joins.includes("<") ? token : ` ${token}`;
      isJoined = joins.includes(">");
    }
    return text;
  }
}
