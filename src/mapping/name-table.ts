/** The tables of names beside this code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rows of a CSV file of this folder, two columns each; its names need no quotes. */
export function readNameTable(file: string): [string, string][] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  const [, ...lines] = text.trimEnd().split(/\r?\n/);
  return lines.map((line) => {
    const [name = '', value = ''] = line.split(',');
    return [name, value];
  });
}
