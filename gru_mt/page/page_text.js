/** Elements and texts of the page, apart from what it shows now. */

const DOUBTFUL = 0.25; // confidence below which a sentence is marked
const PART = 1 << 20; // letters of base64 that are read at a time: a multiple of 4
const SETTLED_MS = 700; // after a translation, before a screen reader reads it
export const END = "<eos>";
const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|ps|sd|syr|ug|ur|yi)\b/i;
const WARNINGS = {
  split: "The sentence is too long: it was translated in parts.",
  numbers: "A number of the source is lost or written another way.",
  spelling: "A word was taken for another one that is spelt nearly alike.",
  limit: "The translation was too long, and was stopped.",
  repetition: "A word or phrase is repeated.",
  "under-translated": "A word of the source may have been left out.",
  language: "Most of these words are not known: is it another language?",
  "low confidence": "The translation is probably wrong.",
};

export const find = (id) => document.getElementById(id);
export const source = find("source");
export const target = find("target");
export const state = find("state");
export const number = new Intl.NumberFormat("en");
let settled = 0; // the timer after which a screen reader reads the translation

/** Return a language's name for people: "fr" -> "French". */
export function languageName(code) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code);
  } catch {
    return code; // it is a name
  }
}

/** Return a new element with a class and a text. */
export function make(tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/** Return the bytes of a text in base64, unpacked by gzip. */
export async function unpacked(text) {
  const { readable, writable } = new DecompressionStream("gzip");
  const found = new Response(readable).arrayBuffer();
  const writer = writable.getWriter();
  for (let start = 0; start < text.length; start += PART) {
    const part = atob(text.slice(start, start + PART));
    const bytes = new Uint8Array(part.length);
    for (let n = 0; n < part.length; n++) bytes[n] = part.charCodeAt(n);
    await writer.write(bytes);
  }
  await writer.close();
  return found;
}

export function isDoubtful({ confidence, warnings }) {
  return warnings.length > 0 || (confidence !== null && confidence < DOUBTFUL);
}

/** Return what to know before trusting a sentence: "Confidence: 12%. A word is repeated." */
export function explained({ confidence, warnings }) {
  const chance = confidence === null ? [] : [`Confidence: ${Math.round(100 * confidence)}%.`];
  return [...chance, ...warnings.map((name) => WARNINGS[name] ?? name)].join(" ");
}

/** Split a text into parts: each word where it stands in the text, and what is between. */
export function wordSpans(text, words) {
  const parts = [];
  const small = lowered(text);
  let end = 0;
  words.forEach((word, n) => {
    const start = word === END ? -1 : small.indexOf(lowered(word), end);
    if (start < 0) return;
    parts.push({ text: text.slice(end, start), word: null });
    end = start + word.length;
    parts.push({ text: text.slice(start, end), word: n });
  });
  return [...parts, { text: text.slice(end), word: null }].filter((part) => part.text);
}

/** Return a text in small letters, as long as it was: "İ" alone has a longer small letter. */
function lowered(text) {
  return text.replaceAll("İ", "I").toLowerCase();
}

/** Return the class of a weight from 0 to 1. */
export function heat(weight) {
  return `h${Math.round(10 * weight)}`;
}

/** Return where an arrow key goes from a position in a list; undefined for none, or another key. */
export function goOn(event, list, position) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return undefined;
  event.preventDefault();
  const isBackwards = getComputedStyle(event.currentTarget).direction === "rtl";
  return list[list.indexOf(position) + (isBackwards ? -step : step)];
}

/** Say what the page translates, and from where its model comes. */
export function describe(metadata) {
  const [from, into] = metadata.languages.map(languageName);
  find("title").textContent = document.title = `${from} to ${into}`;
  find("from").textContent = from;
  find("into").textContent = into;
  const codes = metadata.languages.map((code) => (/^[a-z]{2,3}(-|$)/i.test(code) ? code : ""));
  if (codes[0]) source.lang = codes[0];
  if (codes[1]) intoLanguage(codes[1]);
  find("about").textContent =
    `${metadata.name}, a small translator made with gru-mt. It works offline.`;
  const { score } = metadata;
  const measured = score
    ? `Before its weights were rounded to int8 it scored ${score.value.toFixed(1)} BLEU on ${number.format(score.sentences)} test sentences (${score.signature})`
    : "";
  const digest = (name, value) => `${name} (SHA-256 ${value.slice(0, 12)}…)`;
  const origins = metadata.corpora.map(({ name, sha256 }) => digest(name, sha256));
  find("credit").textContent = [
    metadata.attribution,
    `Trained on ${origins.join(", ")}; ${digest("int8 weights", metadata.weightsSha256)}`,
    measured,
  ]
    .filter((text) => text)
    .join(". ");
  for (const text of metadata.examples) {
    const example = make("button", "example", text);
    example.onclick = () => {
      source.value = text;
      source.oninput();
    };
    find("examples").append(example);
  }
}

/** Say which language the target pane is in, and to which side it is written. */
export function intoLanguage(code) {
  target.lang = code;
  target.dir = RIGHT_TO_LEFT.test(code) ? "rtl" : "";
}

/** Return a line of the target pane. */
export function lineElement(text = "") {
  const element = make("p", "", text);
  if (!target.dir) element.dir = "auto";
  return element;
}

/** Show whether the translation is that of an older text, which no screen reader reads. */
export function markOld(isOld) {
  target.classList.toggle("old", isOld);
  clearTimeout(settled);
  if (isOld) target.setAttribute("aria-busy", "true");
  else settled = setTimeout(() => target.setAttribute("aria-busy", "false"), SETTLED_MS);
}

/** Copy the translation, line by line. */
async function copyTarget() {
  const lines = [...target.children].map((line) => line.textContent);
  try {
    await navigator.clipboard.writeText(lines.join("\n"));
    state.textContent = "Copied";
  } catch {
    document.getSelection().selectAllChildren(target); // the page came by http
    const isCopied = document.execCommand("copy");
    state.textContent = isCopied ? "Copied" : "The text is selected: copy it by the keys.";
  }
}

/** Listen to both panes. `open` gets files that are dropped; a text that is goes its own way. */
export function listenToPanes(open) {
  find("clear").onclick = () => {
    source.value = "";
    source.oninput();
    source.focus();
  };
  find("copy").onclick = copyTarget;
  const pane = source.parentElement;
  const hasFile = ({ dataTransfer }) => dataTransfer.types.includes("Files");
  document.ondragover = (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    pane.classList.add("dropping");
  };
  document.ondragleave = () => pane.classList.remove("dropping");
  document.ondrop = (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    pane.classList.remove("dropping");
    open(event.dataTransfer.files);
  };
}
