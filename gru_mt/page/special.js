/** The special tokens: gru_mt/data/tokenizer/special.py. */

export const PAD = 0;
export const UNK = 1;
export const BOS = 2;
export const EOS = 3;
export const LITERALS = Array.from({ length: 8 }, (_, m) => String.fromCharCode(0xe010 + m));
export const LITERAL_IDS = LITERALS.map((_, m) => EOS + 1 + m);
export const FIRST_OTHER = EOS + 1 + LITERALS.length;
