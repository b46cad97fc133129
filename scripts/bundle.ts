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

/** Returns the packages that the program loads when it runs. All other packages are part of the bundle. */
function listOutside(files: RolldownOutput['output']): string[] {
  const chunks = files.filter((file) => file.type === 'chunk');
  const own = new Set(chunks.map(({ fileName }) => fileName));
  const names = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  return [...new Set(names)].filter((name) => !own.has(name) && !isBuiltin(name)).sort();
}

/**
 * Returns the same program with only ASCII characters. If a file contains any character outside Latin-1, V8 stores the
 * whole file with two bytes for each character. In the sources, such characters occur only in strings and regular
 * expressions. An escape sequence has the same meaning there.
 */
function ascii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
