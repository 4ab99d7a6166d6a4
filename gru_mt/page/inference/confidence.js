/** How far to trust a translation, and what is odd about it: gru_mt/inference/confidence.py. */

import { words } from "../text/normalize.js";
import { isCapitalised, pattern, size } from "../text/normalize.js";

const LOW = 0.25; // a smaller confidence is a warning
// The most confidence in what is unlike dev, of which calibration knows nothing.
export const FOREIGN = 0.2;
const KNOWN = 1 / 3; // share of known words; text with fewer is in another language
const LEAST_ATTENTION = 0.1; // over all target tokens; a word with less may be left out
const REPEATED = new RegExp(
  pattern`(?<![\w\m])(\w[^\n]{0,40}?)(?: [\s,.;!?\-]+\1 ){2,}(?![\w\m])`,
  "u",
);

/** Return the chance, from 0 to 1, that a translation is right: of its features, and weights. */
export function confidence(weights, found) {
  const logit = [...found, 1].reduce((sum, feature, k) => sum + weights[k] * feature, 0);
  return 1 / (1 + Math.exp(-Math.max(-30, Math.min(30, logit))));
}

/**
 * Return what tells good translations from bad ones.
 *
 * It is the mean and the lowest log-probability of a token, both lengths, how much of the source
 * attention left out, and how many of its words, but for names, were never seen.
 */
export function features(source, sourceTokens, hypothesis, truecaser) {
  const targetTokens = hypothesis.ids.length + (hypothesis.ended ? 1 : 0);
  const read = hypothesis.coverage?.length ? hypothesis.coverage : [1];
  const found = words(source);
  const unknown = found.filter((word) => !truecaser.has(word) && !isCapitalised(word)).length;
  return [
    hypothesis.logProb / targetTokens,
    Math.max(hypothesis.lowest, -20),
    Math.log(sourceTokens),
    Math.abs(Math.log(targetTokens / sourceTokens)),
    read.reduce((sum, each) => sum + (1 - Math.min(each, 1)), 0) / read.length,
    unknown / Math.max(1, found.length),
  ];
}

/**
 * Return what is odd about a translation, each in a word or two.
 *
 * `pieces` are those of the source that were read, `text` is the translation, and `chance` its
 * confidence, or null.
 */
export function warningsOf(sentence, pieces, text, hypothesis, chance, truecaser) {
  const warnings = {
    spelling: sentence.spellingCorrected,
    split: sentence.isPart,
    limit: !hypothesis.ended,
    repetition: isRepetitive(text) && !isRepetitive(sentence.text),
    "under-translated": isUnderTranslated(pieces, hypothesis.coverage ?? [], truecaser),
    language: isForeign(sentence, truecaser),
    "low confidence": chance !== null && chance < LOW,
  };
  return Object.keys(warnings).filter((name) => warnings[name]);
}

/** Return whether hardly a word of a sentence was ever seen. */
export function isForeign(sentence, truecaser) {
  const all = words(sentence.typed);
  const long = all.filter((word) => size(word) > 1);
  const found = long.length ? long : all;
  return found.filter((word) => truecaser.has(word)).length < KNOWN * found.length;
}

/** Return whether a text has a word or phrase three times in a row. */
export function isRepetitive(text) {
  return REPEATED.test(text);
}

/**
 * Return whether attention hardly touched a word, and it is none of the most common ones.
 *
 * A word begins with a piece that has a space before it. Where none has, each piece is a word.
 */
export function isUnderTranslated(pieces, coverage, truecaser) {
  const read = [];
  const hasSpaces = pieces.some((piece) => piece.startsWith("\u2581"));
  pieces.slice(0, coverage.length).forEach((piece, position) => {
    const isNew = position === 0 || !hasSpaces || piece.startsWith("\u2581");
    if (isNew) read.push({ word: "", attention: 0 });
    read.at(-1).word += piece;
    read.at(-1).attention += coverage[position];
  });
  return read.some(({ word, attention }) => {
    const parts = words(word);
    const isRare = parts.length > 0 && !parts.some((part) => truecaser.isCommon(part));
    return attention < LEAST_ATTENTION && isRare;
  });
}
