import { styleText } from 'node:util';

/** Colours for text on a terminal; without colours each gives its text back. */
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

function painter(format: Format, hasColor: boolean): (text: string) => string {
  // The decision has been made: Node must not look at the process's own streams again.
  return (text) => (hasColor ? styleText(format, text, { validateStream: false }) : text);
}
