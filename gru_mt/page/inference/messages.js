/**
 * Messages of ICU, the arms of whose plurals and selects are translated:
 * gru_mt/inference/preprocessing/messages.py.
 */

import { pattern, stripEnd } from "../text/normalize.js";

const ARGUMENT = new RegExp(
  pattern`\{\s*[\w.\-]+\s*,\s*(?: plural | select | selectordinal )\s*,\s*(?: offset:\d+\s* )?`,
  "gu",
);
const END_OF_ARGUMENT = new RegExp(pattern`\s*\}`, "uy");
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
  const closing = closingBraces(line);
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
      position = closing.get(start) ?? line.length;
      texts.push({ start, end: position, text: line.slice(start, position) });
      position++;
    }
    END_OF_ARGUMENT.lastIndex = position;
    if (texts.length && END_OF_ARGUMENT.test(line)) {
      end = END_OF_ARGUMENT.lastIndex;
      found.push(texts);
    }
  }
  return found;
}

/** Return where each pair of braces ends, by where its inside begins. */
function closingBraces(line) {
  const found = new Map();
  const opened = [];
  for (const { 0: brace, index } of line.matchAll(/[{}]/g)) {
    if (brace === "{") opened.push(index + 1);
    else if (opened.length) found.set(opened.pop(), index);
  }
  return found;
}

/** Return the sentences of a line, as it is read, with `texts` in place of its `arms`. */
export function withArms(line, sentences, arms, texts) {
  let start = arms[0].start;
  const old = line.slice(start, arms.at(-1).end);
  let changed = "";
  arms.forEach((arm, n) => {
    const spaces = arm.text.slice(stripEnd(arm.text).length);
    changed += line.slice(start, arm.start) + texts[n] + spaces;
    start = arm.end;
  });
  const put = (text) => text.replaceAll(old, () => changed);
  return sentences.map((sentence) => ({
    ...sentence,
    text: put(sentence.text),
    candidates: sentence.candidates.map((each) => ({ ...each, text: put(each.text) })),
  }));
}
