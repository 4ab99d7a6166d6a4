/** The special tokens: gru_mt/data/tokenizer/special.py. */

export const PAD = 0;
export const UNK = 1;
export const BOS = 2;
export const EOS = 3;
export const PLACEHOLDER_TOKENS = [..."\ue010\ue011\ue012\ue013\ue014\ue015\ue016\ue017"];
export const PLACEHOLDER_IDS = PLACEHOLDER_TOKENS.map((_, m) => EOS + 1 + m);
export const FIRST_OTHER = EOS + 1 + PLACEHOLDER_TOKENS.length;

/** The pattern of a placeholder token, and what finds all of them. */
export const ANY_PLACEHOLDER = `[${PLACEHOLDER_TOKENS[0]}-${PLACEHOLDER_TOKENS.at(-1)}]`;
export const PLACEHOLDER = new RegExp(ANY_PLACEHOLDER, "gu");
