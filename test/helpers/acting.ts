/**
 * Matches characters that control a terminal or that a reader cannot see. The product's output must not contain them.
 * Line breaks and tabs are allowed.
 */
export const ACTING = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e]',
    '[\\u2060-\\u206f\\ufeff]',
    '\\p{Cs}',
  ].join('|'),
  'u',
);

/**
 * Control sequences that terminals execute. They change the clipboard, the screen, the title, a colour and the text
 * direction. Some of them use 8-bit control characters.
 */
export const ACTS = [
  ...['\u001b]52;c;cm0gLXJmIC8=\u0007', '\u001b[2J\u001b[1;1H', '\u009b31m', '\u009d0;t\u009c'],
  ...['\u001b[31m', '\u001bP1$r\u001b\\', '\u001bc', '\u0007', '\b', '\u202e', '\u2066', '\u200f'],
].join('');

/** A few control sequences for names that must be short. */
export const FEW_ACTS = '\u001b]0;x\u0007\u009b2J\u202e';
