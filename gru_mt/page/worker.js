/** The worker of the page: it translates beside the document, so that typing never waits. */

import { Truecaser } from "./text/truecase.js";
import { TranslationMemory } from "./text/translation_memory.js";
import { Model } from "./model/model.js";
import { Arithmetic } from "./model/product.js";
import { DateFinder } from "./text/dates.js";
import { sentenceRules, splitSentences } from "./text/sentences.js";
import { vocabulary } from "./tokenizer/tokenizer.js";
import { Translator } from "./inference/translator.js";

const SLICE_MS = 8; // of work, after which messages are read

/** Thrown where a newer text has come. */
class Cancelled extends Error {}

/** Return the translator of what write.py put into the page. */
async function load({ metadata, weights }) {
  const digest = new Uint8Array((await crypto.subtle?.digest("SHA-256", weights)) ?? []);
  const found = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found && found !== metadata.weightsSha256) {
    throw new Error("the file of this page is damaged");
  }
  const wasm = Uint8Array.from(atob(metadata.kernel), (letter) => letter.charCodeAt(0));
  const arithmetic = await Arithmetic.create(weights, metadata.linears, wasm);
  const model = new Model(metadata.model, arithmetic);
  arithmetic.weights = null; // the layers have copies
  const source = vocabulary(metadata.vocabularies[0]);
  const rules = sentenceRules(metadata.sentences);
  const translator = new Translator({
    model,
    source,
    target: metadata.vocabularies.length > 1 ? vocabulary(metadata.vocabularies[1]) : source,
    truecaser: Truecaser.from(metadata.truecaser, metadata.shorthand),
    memory: TranslationMemory.from(metadata.memory),
    splitLine: (text) => splitSentences(text, rules),
    conjunction: rules.conjunction,
    dates: metadata.dates && new DateFinder(metadata.dates),
    decoding: metadata.decoding,
    calibration: metadata.calibration,
  });
  return { translator, engine: arithmetic.kernel ? "WebAssembly" : "JavaScript" };
}

/** Answer the page's messages: "load" once, then "translate", of which the newest counts. */
export function serve() {
  let newest = 0;
  let ready = null;
  let known = new Map(); // the lines of the last text, of which one changes at a time
  const channel = new MessageChannel();
  let sliceEnd = 0;

  /** Let messages in, if there was none for a while; throw where they brought a newer text. */
  async function pause(id) {
    if (performance.now() > sliceEnd) {
      await new Promise((resume) => {
        channel.port1.onmessage = resume;
        channel.port2.postMessage(null);
      });
      sliceEnd = performance.now() + SLICE_MS;
    }
    if (id !== newest) throw new Cancelled();
  }

  async function answer({ id, text, nBest, isFile }) {
    const { translator } = await ready;
    const started = performance.now();
    const lines = text.split("\n");
    const translated = [];
    let told = started;
    const isText = nBest === 1 && !isFile;
    const found = new Map();
    for (const line of lines) {
      await pause(id); // a line may need no search
      const search = { nBest, pause: () => pause(id) };
      const result = (isText && known.get(line)) || (await translator.translate(line, search));
      if (isText) found.set(line, result);
      translated.push(isFile ? { text: result.text } : result); // words of a file take memory
      if (performance.now() > told + 200) {
        told = performance.now();
        postMessage({ kind: "part", id, done: translated.length });
      }
    }
    if (isText) known = found;
    const seconds = (performance.now() - started) / 1000;
    postMessage({ kind: "translated", id, seconds, lines: translated });
  }

  const fail = (error) => {
    if (!(error instanceof Cancelled))
      postMessage({ kind: "failed", message: String(error.message) });
  };

  onmessage = ({ data }) => {
    if (data.kind === "load") {
      const started = performance.now();
      ready = load(data);
      ready.then(({ engine }) => {
        const seconds = (performance.now() - started) / 1000;
        postMessage({ kind: "ready", seconds, engine });
      }, fail);
    } else {
      newest = data.id;
      answer(data).catch(fail);
    }
  };
}
