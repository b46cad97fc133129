import { PassThrough } from 'node:stream';

/** A stream that records everything that is written to it. */
export interface RecordedStream extends PassThrough {
  isTTY: boolean;
  columns: number;
  rows: number;
  /** Real terminals have this method. This stand-in always delivers single keys. */
  setRawMode(isRaw: boolean): void;
  written(): string;
}

/** Creates a terminal with 80 columns and 24 rows, or a pipe. */
export function aStream({ isTTY = true, columns = 80, rows = 24 } = {}): RecordedStream {
  let text = '';
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return Object.assign(stream, {
    isTTY,
    columns,
    rows,
    setRawMode() {},
    written: () => text,
  });
}

/** A terminal sends these characters for each key. */
export const KEYS = {
  enter: '\r',
  down: '\u001b[B',
  space: ' ',
  cancel: '\u0003',
  backspace: '\u007f',
} as const;
