/**
 * Bundles the program into a few files. `npm run build` runs this script after the compiler has written the types.
 * docs/decisions/0016-bundle.md gives the reasons.
 */
import { writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type RolldownOutput, rolldown } from 'rolldown';
import { INPUT, OUTPUT } from './bundle-options.ts';

const ROOT = join(import.meta.dirname, '..');

const bundle = await rolldown(INPUT);
const { output } = await bundle.write({ ...OUTPUT, dir: 'dist' });
await bundle.close();
writeFileSync(join(ROOT, 'dist/outside.json'), `${JSON.stringify(listOutside(output), null, 2)}\n`);
for (const file of output) {
  if (file.type === 'chunk') writeFileSync(join(ROOT, 'dist', file.fileName), ascii(file.code));
}

/** Returns the packages that the program loads at run time. All others are part of the bundle. */
function listOutside(files: RolldownOutput['output']): string[] {
  const chunks = files.filter((file) => file.type === 'chunk');
  const own = new Set(chunks.map(({ fileName }) => fileName));
  const names = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  return [...new Set(names)].filter((name) => !own.has(name) && !isBuiltin(name)).sort();
}

/**
 * Returns the same program in ASCII. If a file contains a character that needs two bytes, V8 stores the whole file
 * with two bytes per character. Such characters occur only in strings and regular expressions, where an escape has
 * the same meaning.
 */
function ascii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
