/** Dates that name a month, as the other language writes them: gru_mt/data/text/terms/dates.py. */

import { disjoint } from "./placeholders.js";
import { isLower, isTitle, SPACELESS, stripEnd } from "./normalize.js";

const LONGEST_BEFORE = 40; // characters of the words that go with a date
const OPTIONAL_PART = /\[[^{\]]*\{(\w+)\}[^\]]*\]/gu;
const DATE_FIELD = /\{(\w+)\}/gu;
const ARTICLE = /^(le|el|il|les) (?=[\p{L}\p{N}_])/u;
const BEFORE_ARTICLE =
  /(?<![\p{L}\p{N}_])(?:(à|a|de|di|da|le|el|il|les) |(jusqu['’]))(<[^<>]*>|[*_]+)?$/u;
const CONTRACTED = new Map([
  ...[["à le", "au"], ["de le", "du"], ["à les", "aux"], ["de les", "des"], ["a el", "al"]],
  ...[["de el", "del"], ["a il", "al"], ["di il", "del"], ["da il", "dal"]],
  ...[["le le", "le"], ["el el", "el"], ["il il", "il"], ["les les", "les"]], // le <b>le 4 mai</b>
]);

/** Finds the dates of a text, of a day or of a month and its year; decades and ordinals too. */
export class DateFinder {
  #rules;
  #patterns;

  /** Take what `DateRules.to_json` of Python returned. */
  constructor(rules) {
    const numerals = rules.numerals.map(([each, form]) => [new RegExp(each, "giu"), form]);
    const alone = rules.alone.map((each) => new RegExp(each, "giu"));
    this.#rules = { ...rules, numerals, alone, before: new RegExp(rules.before, "iu") };
    this.#patterns = rules.patterns.map((each) => new RegExp(each, "giu"));
  }

  /**
   * Return the dates as spans, with what the target language has for them.
   *
   * Words before them go with them: "on July 4, 1985" -> "le 4 juillet 1985". `isSmall` tells
   * whether a word is mostly written small: "march 5 miles" has no date; `isRare` whether a model
   * may not know a name of a month or a weekday.
   */
  find(text, isSmall, isRare) {
    const named = this.#alone(text, isSmall, isRare);
    if (!/[0-9]/.test(text)) return disjoint(named);
    const { target, before, has_capitals } = this.#rules;
    const alone = text.replace(/^[ .,:]+|[ .,:]+$/gu, "");
    const spans = [];
    const matches = this.#patterns.flatMap((pattern) => [...text.matchAll(pattern)]);
    for (const { 0: found, groups, index } of matches) {
      const { lead, weekday, day, month } = groups;
      const isVerb = has_capitals && isLower(month) && isSmall(month);
      let written = isVerb && !lead && !weekday ? null : this.#written(groups);
      if (!written) continue;
      const saysWhen = lead && !before.test(stripEnd(text.slice(0, index)).slice(-LONGEST_BEFORE));
      if (saysWhen || (day && target.before && alone !== found)) {
        written = (day ? target.on_day : target.in_month).replace("{}", written);
      }
      spans.push({ start: index, end: index + found.length, text: written, isDate: true });
    }
    return disjoint([...named, ...spans, ...this.#numerals(text)]);
  }

  /** Return names of weekdays and of months, which may be cut, as spans: see dates.py. */
  #alone(text, isSmall, isRare) {
    const { alone, weekdays, months, target, before, has_capitals } = this.#rules;
    const kinds = [
      [weekdays, target.weekdays, target.on_weekday],
      [months, target.months, target.in_any_month],
    ];
    return alone.flatMap((pattern, kind) => {
      const [numbers, names, form] = kinds[kind];
      return [...text.matchAll(pattern)].flatMap(({ 0: found, groups, index: start }) => {
        const { lead, name, short, many, dash, last } = groups;
        const [number, end] = [name, last ?? name].map((each) => numbers[each.toLowerCase()]);
        const isOther = has_capitals && isSmall(name); // the verb may
        const isSure = has_capitals
          ? (kind === 0 && !(short && isOther)) || !(short || isOther || isLower(name))
          : !isTitle(name); // Julio, Domingo
        const isAlone = last || (isSure && !many);
        const isUnknown = last || short || isOther || isRare(name);
        if (number === undefined || end === undefined || !isUnknown) return [];
        if (!lead && !isAlone) return [];
        const words = names.split(" ");
        let written = words[number];
        if (last) written += dash + words[end];
        if (lead && !before.test(stripEnd(text.slice(0, start)).slice(-LONGEST_BEFORE))) {
          written = (many ? target.on_weekdays : form).replace("{}", written);
        }
        return [{ start, end: start + found.length, text: written, isDate: true }];
      });
    });
  }

  /** Return the ordinals and the decades of a text, as spans. */
  #numerals(text) {
    return this.#rules.numerals.flatMap(([pattern, form]) =>
      Array.from(text.matchAll(pattern), ({ 0: found, 1: number, index }) => {
        const written = form.replace("{}", number);
        return { start: index, end: index + found.length, text: written, isDate: true };
      }),
    );
  }

  /** Return a date as the target language writes it; null if there is no such day. */
  #written({ weekday, day, month, year }) {
    const { months, weekdays, target } = this.#rules;
    const number = (numbers, name) => numbers[name.replace(/[.,]+$/u, "").toLowerCase()];
    const monthNumber = number(months, month);
    const date = new Date(0);
    date.setUTCFullYear(year ?? 2000, monthNumber, day ?? 1);
    const isReal = date.getUTCMonth() === monthNumber && date.getUTCFullYear() > 0;
    if (!isReal || day === "0" || day === "00") return null;
    const values = {
      weekday: weekday && target.weekdays.split(" ")[number(weekdays, weekday)],
      day: Number(day) === 1 && target.first ? target.first : day,
      month: target.months.split(" ")[monthNumber],
      year,
    };
    const form = day ? target.day : target.month;
    return form
      .replace(OPTIONAL_PART, (part, field) => (values[field] ? part.slice(1, -1) : ""))
      .replace(DATE_FIELD, (_, field) => values[field]);
  }
}

/**
 * Return two texts, the article that begins the right one as one word with what ends the left one.
 *
 * "jusqu'à ", "le 4 mai" -> "jusqu'au ", "4 mai". It is so in French, Italian and Spanish. In
 * scripts without spaces there is none between them.
 */
export function contracted(left, right) {
  const ends = [[...left].at(-2) ?? "", [...right].at(-1) ?? ""];
  if (ends.every((each) => each.search(SPACELESS) >= 0)) return [stripEnd(left), right];
  const [article, before] = [ARTICLE.exec(right), BEFORE_ARTICLE.exec(left)];
  if (!article || !before) return [left, right];
  const [, preposition, elided, tag = ""] = before;
  const joined = elided ? `${elided}au` : CONTRACTED.get(`${preposition} ${article[1]}`);
  if (!joined) return [left, right];
  return [`${left.slice(0, before.index)}${joined} ${tag}`, right.slice(article[0].length)];
}
