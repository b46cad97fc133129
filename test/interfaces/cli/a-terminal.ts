import { PassThrough } from 'node:stream';

/** A stream that stores everything that was written to it. */
export interface RecordedStream extends PassThrough {
  isTTY: boolean;
  columns: number;
  rows: number;
  /** Terminals have it; here keys arrive one by one anyway. */
  setRawMode(isRaw: boolean): void;
  written(): string;
}

/** Creates a terminal of 80 by 24, or a pipe. */
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

/** Keys as a terminal sends them. */
export const KEYS = {
  enter: '\r',
  down: '\u001b[B',
  space: ' ',
  cancel: '\u0003',
  backspace: '\u007f',
} as const;
