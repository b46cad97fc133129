import { randomInt } from 'node:crypto';
import { styleText } from 'node:util';
import { plainText } from '../../core/printable.ts';

/**
 * Colours for text on a terminal; without colours each gives its text back. A coloured text goes
 * out through `forTerminal` alone, which knows our colours from those of a text from outside.
 */
export interface Style {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

export function createStyle(hasColor: boolean): Style {
  return {
    strong: painter('bold', hasColor),
    faint: painter('dim', hasColor),
    good: painter('green', hasColor),
    warn: painter('yellow', hasColor),
    bad: painter('red', hasColor),
  };
}

type Format = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

/** Our sequences carry these numbers, which nothing from outside can know. */
const OURS = [randomInt(1_000, 10_000), randomInt(1_000, 10_000)].join(';');
const OUR_SEQUENCE = new RegExp(`\\u001b\\[(\\d+);${OURS}m`);

/** The text as it goes to a stream: our colours as terminals know them, and nothing else that acts. */
export function forTerminal(text: string): string {
  const parts = text.split(OUR_SEQUENCE);
  return parts.map((part, at) => (at % 2 === 0 ? plainText(part) : `\u001b[${part}m`)).join('');
}

function painter(format: Format, hasColor: boolean): (text: string) => string {
  if (!hasColor) return (text) => text;
  // The decision has been made: Node must not look at the process's own streams again.
  const [begin = '', end = ''] = styleText(format, '|', { validateStream: false })
    .replaceAll('m', `;${OURS}m`)
    .split('|');
  return (text) => begin + text + end;
}
