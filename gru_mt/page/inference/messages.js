/**
 * Messages of ICU, the arms of whose plurals and selects are translated:
 * gru_mt/inference/preprocessing/messages.py.
 */

import { pattern, stripStart } from "../text/normalize.js";

const ARGUMENT = new RegExp(
  pattern`\{\s*[\w.\-]+\s*,\s*(?: plural | select | selectordinal )\s*,\s*(?: offset:\d+\s* )?`,
  "gu",
);
const SELECTOR = new RegExp(pattern`\s*(?: =\d+ | [\w\-]+ )\s*\{`, "uy");

/**
 * Return the texts of the arms of each plural and select in a line that is not in another one, as
 * spans.
 *
 * "{n, plural, one {# cat} other {# cats}}" ->
 * [[{start: 17, end: 22, text: "# cat"}, {start: 31, end: 37, text: "# cats"}]]
 */
export function armsOf(line) {
  const found = [];
  let end = 0;
  for (const { 0: argument, index } of line.matchAll(ARGUMENT)) {
    if (index < end) continue; // within an arm
    const texts = [];
    let position = index + argument.length;
    for (;;) {
      SELECTOR.lastIndex = position;
      const selector = SELECTOR.exec(line);
      if (!selector) break;
      const start = position + selector[0].length;
      position = closingBrace(line, start);
      texts.push({ start, end: position, text: line.slice(start, position) });
      position++;
    }
    if (texts.length && stripStart(line.slice(position)).startsWith("}")) {
      end = line.indexOf("}", position) + 1;
      found.push(texts);
    }
  }
  return found;
}

/** Return where the brace is that closes one before `start`; the line's length for none. */
function closingBrace(line, start) {
  let depth = 1;
  for (let position = start; position < line.length; position++) {
    if (line[position] === "{") depth++;
    if (line[position] === "}") depth--;
    if (depth === 0) return position;
  }
  return line.length;
}

/** Return the sentences of a line whose argument has `texts` in place of its `arms`. */
export function withArms(line, sentences, arms, texts) {
  let start = arms[0].start;
  const old = line.slice(start, arms.at(-1).end);
  let changed = "";
  arms.forEach((arm, n) => {
    changed += line.slice(start, arm.start) + texts[n];
    start = arm.end;
  });
  return rewritten(sentences, (text) => text.replaceAll(old, () => changed));
}

/** Return sentences with their texts and those of their candidates rewritten. */
export function rewritten(sentences, rewrite) {
  return sentences.map((sentence) => ({
    ...sentence,
    text: rewrite(sentence.text),
    candidates: sentence.candidates.map((each) => ({ ...each, text: rewrite(each.text) })),
  }));
}
