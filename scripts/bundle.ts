/**
 * Puts the program into few files; `npm run build` runs it after the compiler, which writes the types.
 * Why: docs/decisions/0016-bundle.md.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { INPUT, OUTPUT } from './bundle-options.ts';

const ROOT = join(import.meta.dirname, '..');

const bundle = await rolldown(INPUT);
const { output } = await bundle.write({ ...OUTPUT, dir: 'dist' });
await bundle.close();
for (const file of output) {
  if (file.type === 'chunk') writeFileSync(join(ROOT, 'dist', file.fileName), ascii(file.code));
}

/**
 * The same program in ASCII. V8 keeps the whole text of a file in two bytes a character as soon as one of
 * them needs it. Such characters stand in texts and regular expressions, where an escape says the same.
 */
function ascii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
