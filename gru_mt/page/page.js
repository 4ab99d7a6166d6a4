/** The document of the page: two panes, and the worker that translates. */

import { END, describe, explained, find, goOn, heat, isDoubtful } from "./page_text.js";
import { lineElement, listenToPanes, make, markOld, number, source, state } from "./page_text.js";
import { target, unpacked, wordSpans } from "./page_text.js";

const WAIT_MS = 60; // after a letter, before the text is translated
const speed = find("speed"); // changes at each letter: no screen reader reads it

let metadata = null; // what write.py says of the translator
let worker = null;
let newest = 0; // id of the last request
let asked = null; // {id, text, file, sentence}: what the last request is about
let shown = []; // the sentences that stand in the target pane
let chosen = null; // the one whose details are shown

function fail(message) {
  find("failure").textContent = message;
  find("failure").hidden = false;
  state.textContent = "";
}

/** Begin: hand the weights to the worker. */
async function start() {
  state.textContent = "Getting ready…";
  const weights = await unpacked(find("weights").textContent);
  const script = new Blob([JSON.parse(find("worker").textContent)], { type: "text/javascript" });
  for (const id of ["weights", "metadata", "worker"]) find(id).remove();
  worker = new Worker(URL.createObjectURL(script));
  worker.onerror = () => fail("The translator stopped. Load the page again; it may be damaged.");
  worker.onmessage = ({ data }) => ANSWERS[data.kind](data);
  worker.postMessage({ kind: "load", metadata, weights }, [weights]);
  for (const name of ["vocabularies", "truecaser", "memory", "linears", "sentences"]) {
    delete metadata[name];
  }
  if (!asked) return;
  asked.isDone = true; // it was typed before, and only begins
  ask(asked.text, asked);
}

/** Ask the worker for a translation; what was asked before is no longer wanted. */
function ask(text, { nBest = 1, file = null, sentence = null } = {}) {
  if (asked?.file && !asked.isDone) state.textContent = `${asked.file} was stopped: open it again`;
  newest += 1;
  asked = { id: newest, text, file, sentence, isDone: false };
  speed.textContent = "";
  worker?.postMessage({ kind: "translate", id: newest, text, nBest, isFile: file !== null });
}

const ANSWERS = {
  ready({ seconds, engine }) {
    state.textContent = "";
    const size = `${metadata.megabytes.toFixed(1)} MB, ${number.format(metadata.parameters)} weights`;
    const parts = [
      `gru-mt ${metadata.version}`,
      size,
      `computes with ${engine}`,
      `ready in ${seconds.toFixed(2)} s`,
      "nothing leaves this page",
    ];
    find("footer").textContent = `${parts.join(" · ")}.`;
  },
  part({ id, done }) {
    if (id !== newest) return;
    speed.textContent = `${number.format(done)} of ${number.format(lineCount(asked.text))} lines`;
  },
  translated(answer) {
    if (answer.id !== newest) return;
    asked.isDone = true;
    find("failure").hidden = true;
    if (asked.sentence) showCandidates(answer.lines[0].sentences[0]);
    else if (asked.file) offer(answer);
    else show(answer);
    if (target.classList.contains("old")) ask(source.value); // a file or a sentence came before it
  },
  failed: ({ message }) => fail(`The translation failed: ${message}`),
};

/** Show a translation in the target pane. */
function show({ seconds, lines }) {
  shown = [];
  target.replaceChildren(
    ...lines.map((line) => {
      const paragraph = lineElement();
      for (const sentence of line.sentences) {
        paragraph.append(sentenceElement(sentence), sentence.gap);
      }
      return paragraph;
    }),
  );
  markOld(false);
  choose(null);
  speed.textContent = asked.text.trim() ? `${Math.max(1, Math.round(1000 * seconds))} ms` : "";
}

/** Return a sentence of the target pane, its words, and a mark if it is doubtful. */
function sentenceElement(sentence) {
  const element = make("span", "sentence");
  element.tabIndex = 0;
  element.setAttribute("role", "button");
  const { words, attention } = sentence.candidates[0];
  const entry = { sentence, element, words: new Map(), at: -1, from: -1 };
  entry.source = sentence.sourceWords.map((text, n) => {
    const span = make("span", "", text === END ? "(end)" : text);
    span.onpointerenter = () => written(entry, n);
    return span;
  });
  for (const { text, word } of wordSpans(sentence.text, attention ? words : [])) {
    const span = make("span", word === null ? "" : "word", text);
    element.append(span);
    if (word === null) continue;
    entry.words.set(word, span);
    span.onpointerenter = () => read(entry, word);
  }
  if (isDoubtful(sentence)) {
    element.classList.add("doubtful");
    element.title = explained(sentence);
  }
  element.onclick = () => choose(entry);
  element.onfocus = () => choose(entry);
  element.onkeydown = (event) => move(entry, event);
  shown.push(entry);
  return element;
}

/** Show what a word of the translation read of the source; its words stand below. */
function read(entry, word) {
  const weights = entry.sentence.candidates[0].attention?.[word] ?? [];
  if (find("read").firstChild !== entry.source[0]) {
    find("read").replaceChildren(...entry.source.flatMap((span) => [span, " "]));
    find("read").tabIndex = 0;
  }
  entry.source.forEach((span, n) => (span.className = heat(weights[n] ?? 0)));
  entry.at = word;
  for (const { words } of shown) for (const span of words.values()) span.className = "word";
  entry.words.get(word).className = "word on";
}

/** Show which words of the translation read a word of the source. */
function written(entry, sourceWord) {
  const { attention } = entry.sentence.candidates[0];
  if (!attention) return;
  entry.from = sourceWord;
  entry.source.forEach((span, n) => (span.className = n === sourceWord ? "on" : ""));
  for (const [n, span] of entry.words) span.className = `word ${heat(attention[n][sourceWord])}`;
}

/** Go to the next or the last word of a translation by the arrow keys; Enter leaves the pane. */
function move(entry, event) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    find("others").focus();
    return;
  }
  const next = goOn(event, [...entry.words.keys()], entry.at);
  if (next !== undefined) read(entry, next);
}

/** Go to the next or the last word of the source by the arrow keys. */
function moveSource(event) {
  const entry = shown.find(({ source: [first] }) => first === find("read").firstChild);
  const next = goOn(event, [...entry.source.keys()], entry.from);
  if (next !== undefined) written(entry, next);
}

/** Show the details of a sentence; null hides them. */
function choose(entry) {
  if (chosen === entry && entry) return;
  for (const each of shown) each.element.classList.toggle("chosen", each === entry);
  chosen = entry;
  find("details").hidden = !entry;
  find("candidates").replaceChildren();
  find("scores").hidden = true;
  find("read").replaceChildren();
  find("read").removeAttribute("tabindex");
  if (!entry) return;
  find("trust").textContent = explained(entry.sentence);
  find("trust").hidden = !find("trust").textContent;
  const [first] = entry.words.keys();
  if (first !== undefined) read(entry, entry.at < 0 ? first : entry.at);
}

/** Show the other translations of the chosen sentence. */
function showCandidates({ candidates }) {
  if (asked.sentence !== chosen?.sentence) return;
  find("scores").hidden = false;
  find("candidates").replaceChildren(
    ...candidates.map(({ text, score }) => {
      const item = make("li", "", text);
      item.dir = "auto";
      item.lang = target.lang;
      const number = make("bdi", "quiet", score.toFixed(2).replace("-", "\u2212"));
      item.append(" ", number);
      return item;
    }),
  );
}

/** Translate a text file, line by line. */
async function open(file) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    fail(`${file.name} is no text in UTF-8. Save it as UTF-8, and open it again.`);
    return;
  }
  find("failure").hidden = true;
  ask(text.replaceAll("\r\n", "\n"), { file: file.name });
  state.textContent = file.name;
}

/** Return how many lines a text has; a line feed ends the last one. */
function lineCount(text) {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

/** Offer the translation of a file to be saved: as many lines as the file has. */
function offer({ seconds, lines }) {
  const text = lines.map((line) => line.text).join("\n");
  const count = lineCount(asked.text);
  const name = asked.file.replace(/(\.[^.]*)?$/, `.${metadata.languages[1]}.txt`);
  const rate = Math.round(count / Math.max(seconds, 0.001));
  const unit = count === 1 ? "line" : "lines";
  state.textContent = `${number.format(count)} ${unit}, ${number.format(rate)} a second`;
  speed.textContent = "";
  const save = find("save");
  save.hidden = false;
  save.textContent = `Save ${name}`;
  save.onclick = () => {
    const link = make("a", "");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
}

/** Listen to the source, to the buttons, and to files. */
function listen() {
  let timer = 0;
  source.oninput = () => {
    find("save").hidden = true;
    state.textContent = "";
    markOld(true);
    find("examples").hidden = source.value !== "";
    clearTimeout(timer);
    timer = setTimeout(() => ask(source.value), WAIT_MS);
  };
  if (source.value) source.oninput(); // a browser may have kept it
  find("read").onkeydown = moveSource;
  find("others").onclick = () => {
    const { sentence } = chosen;
    ask(sentence.source, { nBest: metadata.decoding.beam_size, sentence });
  };
  find("file").onchange = ({ target: input }) => {
    if (input.files[0]) open(input.files[0]);
    input.value = ""; // the same file may be opened again
  };
  listenToPanes(([file]) => open(file));
}

try {
  metadata = JSON.parse(find("metadata").textContent);
  describe(metadata);
  listen();
  await start();
} catch (error) {
  fail(`This page cannot translate: ${error.message}. It may be damaged.`);
}
