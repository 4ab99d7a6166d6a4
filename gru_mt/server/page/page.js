/** The server's page: it asks the server's own API, and no other address. */

import { explained, find, intoLanguage, isDoubtful, languageName } from "./page_text.js";
import { lineElement, listenToPanes, make, markOld, number } from "./page_text.js";
import { source, state, target } from "./page_text.js";

const WAIT_MS = 200; // after a letter, before the text is sent
const ALTERNATIVES = 4;
const KEY = "api_key"; // kept until the tab is closed
const AUTO = "auto";
const [from, into, better] = ["from", "into", "better"].map(find);

let languages = []; // as /languages says
let settings = {}; // as /frontend/settings says
let asking = new AbortController(); // the newest request for a translation
let timer = 0; // the next one
let chosen = null; // the sentence whose details are shown, and its element

function fail(message) {
  find("failure").textContent = message;
  find("failure").hidden = !message;
}

/** Return what the server answers; throws an Error of its words, perhaps with when to try again. */
async function call(path, values, signal) {
  const key = find("key").value.trim();
  if (key && values instanceof FormData) values.append(KEY, key);
  const json = () => JSON.stringify({ ...values, [KEY]: key || undefined });
  const sent =
    values instanceof FormData
      ? { body: values }
      : { body: json(), headers: { "Content-Type": "application/json" } };
  const response = await fetch(path, { method: "POST", signal, ...sent }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached, or what it got is too large for it.");
  });
  const answer = await response.json().catch(() => ({})); // of a proxy before the server
  if (response.ok) return answer;
  if (response.status === 403 && settings.keyRequired) find("access").hidden = false;
  const error = new Error(answer.error ?? `The server answered with the status ${response.status}.`);
  error.againMs = 1000 * Number(response.headers.get("Retry-After"));
  throw error;
}

/** Return what the server answers once it has time. */
async function callInTime(path, values) {
  for (;;) {
    try {
      return await call(path, values);
    } catch (error) {
      if (!error.againMs) throw error;
      await new Promise((resume) => setTimeout(resume, error.againMs));
    }
  }
}

/** Say what is wrong, unless it is that nobody waits for the answer any longer. */
const failed = (error) => error.name === "AbortError" || fail(error.message);

/** Translate the text as it stands; the answer to an older text is no longer waited for. */
async function translate() {
  clearTimeout(timer);
  markOld(true);
  asking.abort();
  const mine = (asking = new AbortController());
  const text = source.value;
  if (isTooLong(text)) return;
  const startedMs = performance.now();
  const values = { q: text, source: from.value, target: into.value, details: true };
  try {
    const answer = text.trim() ? await call("translate", values, mine.signal) : { details: [] };
    if (asking !== mine) return;
    fail("");
    show(answer);
    const elapsedMs = Math.max(1, Math.round(performance.now() - startedMs));
    find("speed").textContent = text.trim() ? `${number.format(elapsedMs)} ms` : "";
  } catch (error) {
    failed(error);
    if (error.againMs && asking === mine) timer = setTimeout(translate, error.againMs);
  }
}

/** Show how long the text is where that counts; return whether it is too long for the server. */
function isTooLong(text) {
  const most = settings.charLimit > 0 ? settings.charLimit : Infinity;
  const length = [...text].length;
  const counts = `${number.format(length)} of ${number.format(most)} characters`;
  find("length").textContent = length > most / 2 ? counts : "";
  find("length").classList.toggle("over", length > most);
  if (length > most) fail("The text is too long for this server: drop it here as a text file.");
  return length > most;
}

/** Show a translation, a paragraph for each line: its sentences, and what stands between them. */
function show({ details, detectedLanguage }) {
  intoLanguage(into.value);
  target.replaceChildren(lineElement());
  for (const part of details) {
    if (part.source !== undefined) {
      target.lastChild.append(sentenceElement(part));
      continue;
    }
    const [rest, ...lines] = part.text.split("\n");
    target.lastChild.append(rest);
    for (const line of lines) target.append(lineElement(line));
  }
  choose(null);
  find("hint").hidden = details.length === 0;
  find("detected").textContent = detectedLanguage ? nameOf(detectedLanguage.language) : "";
  source.lang = detectedLanguage?.language ?? (from.value === AUTO ? "" : from.value);
  markOld(false);
}

/** Return a sentence of the translation, marked if it is doubtful or a person's. */
function sentenceElement(sentence) {
  const element = make("span", "sentence", sentence.text);
  element.tabIndex = 0;
  element.setAttribute("role", "button");
  element.classList.toggle("doubtful", isDoubtful(sentence));
  element.classList.toggle("corrected", sentence.corrected === true);
  element.title = trust(sentence);
  element.onclick = () => choose({ sentence, element });
  element.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    element.click();
  };
  return element;
}

function trust(sentence) {
  return sentence.corrected ? "A person suggested this translation." : explained(sentence);
}

/** Show the details of a sentence, to suggest a better translation; null hides them. */
function choose(entry) {
  chosen?.element.classList.remove("chosen");
  entry?.element.classList.add("chosen");
  chosen = entry;
  find("details").hidden = !entry;
  find("candidates").replaceChildren();
  if (!entry) return;
  const { sentence } = entry;
  find("original").textContent = sentence.source;
  find("original").lang = source.lang;
  find("trust").textContent = trust(sentence);
  better.value = sentence.text;
  better.lang = into.value;
  find(settings.suggestions ? "better" : "others").focus();
}

/** Return what the chosen sentence is translated by: its languages, and itself as `q`. */
function question() {
  return { q: chosen.sentence.source, source: source.lang || from.value, target: target.lang };
}

/** Offer other translations of the chosen sentence: a click takes one as the better one. */
async function showOthers() {
  const asked = chosen;
  const answer = await call("translate", { ...question(), alternatives: ALTERNATIVES });
  if (asked !== chosen) return;
  find("candidates").replaceChildren(
    ...[...new Set([answer.translatedText, ...answer.alternatives])].map((text) => {
      const item = make("li", "");
      const button = item.appendChild(make(settings.suggestions ? "button" : "span", "", text));
      button.lang = into.value;
      button.dir = "auto";
      button.onclick = () => {
        better.value = text;
        better.focus();
      };
      return item;
    }),
  );
}

/** Give the server a better translation of the chosen sentence, and translate anew. */
async function suggest() {
  await call("suggest", { ...question(), s: better.value.trim().replace(/\s+/g, " ") });
  await translate();
  state.textContent = "Thank you: the suggestion is kept.";
  source.focus();
}

/** Translate documents one after another; each is offered where it was announced. */
async function translateFiles(files) {
  const [code, sourceCode] = [into.value, from.value];
  const waiting = [...files].map((file) => [file, make("li", "", `${file.name}: waiting`)]);
  find("files").append(...waiting.map(([, item]) => item));
  for (const [file, item] of waiting) {
    item.textContent = `${file.name}: being translated…`;
    const form = new FormData();
    form.append("file", file);
    form.append("source", sourceCode);
    form.append("target", code);
    try {
      const { translatedFileUrl } = await callInTime("translate_file", form);
      const link = make("a", "", file.name.replace(/(\.[^.]*)?$/, `.${code}$1`));
      link.href = `download_file/${translatedFileUrl.split("/").at(-1)}`;
      link.download = link.textContent;
      item.replaceChildren("Save ", link);
    } catch (error) {
      const isNamed = error.message.includes(file.name);
      item.textContent = isNamed ? error.message : `${file.name}: ${error.message}`;
      item.className = "over";
    }
  }
}

function nameOf(code) {
  return languages.find((each) => each.code === code)?.name ?? languageName(code);
}

function fill(select, codes, wanted) {
  const options = codes.map((code) => {
    const option = make("option", "", code === AUTO ? "Detect language" : nameOf(code));
    option.value = code;
    return option;
  });
  select.replaceChildren(...options);
  select.value = codes.includes(wanted) ? wanted : codes[0];
}

const targetsOf = (code) =>
  languages.find((each) => each.code === code)?.targets.filter((each) => each !== code) ?? [];

/** Offer the targets of the chosen source, and the way back where there is one. */
function offerTargets(wanted = into.value) {
  const isAuto = from.value === AUTO;
  const codes = isAuto ? languages.flatMap(({ code }) => targetsOf(code)) : targetsOf(from.value);
  fill(into, [...new Set(codes)], wanted);
  find("swap").disabled = isAuto || !targetsOf(into.value).includes(from.value);
}

function listen() {
  source.oninput = () => {
    clearTimeout(timer);
    state.textContent = "";
    markOld(true);
    timer = setTimeout(translate, WAIT_MS);
  };
  from.onchange = into.onchange = () => {
    offerTargets();
    translate();
  };
  find("swap").onclick = () => {
    const [text, code] = [[...target.children].map((line) => line.textContent), from.value];
    from.value = into.value;
    offerTargets(code);
    if (!target.classList.contains("old")) source.value = text.join("\n");
    translate();
  };
  find("access").onsubmit = (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, find("key").value.trim());
    translate();
  };
  find("suggestion").onsubmit = (event) => {
    event.preventDefault();
    suggest().catch(failed);
  };
  find("others").onclick = () => showOthers().catch(failed);
  const leave = () => {
    const element = chosen?.element;
    choose(null);
    element?.focus();
  };
  find("close").onclick = leave;
  find("details").onkeydown = ({ key, isComposing }) => {
    if (key === "Escape" && !isComposing) leave();
  };
  find("file").onchange = ({ target: input }) => {
    translateFiles(input.files);
    input.value = ""; // the same file may be chosen again
  };
  listenToPanes(translateFiles);
}

async function start() {
  const get = async (path) => (await fetch(path)).json();
  [languages, settings] = await Promise.all([get("languages"), get("frontend/settings")]);
  const sources = languages.map(({ code }) => code).filter((code) => targetsOf(code).length);
  fill(from, sources.length > 1 ? [AUTO, ...sources] : sources, settings.language?.source?.code);
  offerTargets(settings.language?.target?.code);
  find("file").accept = (settings.supportedFilesFormat ?? []).join(",");
  for (const id of ["suggest", "proposal", "invitation"]) find(id).hidden = !settings.suggestions;
  find("access").hidden = !settings.keyRequired;
  find("key").value = sessionStorage.getItem(KEY) ?? "";
  listen();
  if (source.value) translate(); // typed before, or kept by the browser
}

start().catch(() => fail("The server cannot be reached. Load the page again when it runs."));
