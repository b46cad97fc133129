/**
 * Puts the program into few files; `npm run build` runs it after the compiler, which writes the types.
 * Why: docs/decisions/0016-bundle.md.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { withoutSenders } from './without-senders.ts';

const ROOT = join(import.meta.dirname, '..');

/** What is loaded from outside: the program, what package.json exports, and what `bench` measures alone. */
const ENTRIES = [
  'src/main',
  'src/core/errors',
  'src/partner/public',
  'connectors/public',
  'connectors/testing/public',
  'connectors/index',
  'src/process-memory',
  'connectors/csv/sources/workbook-worker',
  'src/people/sign-in/guess-worker',
  'src/clients/setup/upload-worker',
];

/** Packages that stay as they are: they load binaries, or are used by few and looked up when they are. */
const APART = [/^better-sqlite3$/, /^pg$/, /^pg-boss$/, /^nodemailer$/];

const bundle = await rolldown({
  cwd: ROOT,
  input: Object.fromEntries(ENTRIES.map((entry) => [entry, `${entry}.ts`])),
  platform: 'node',
  external: APART,
  plugins: [withoutSenders()],
  tsconfig: 'tsconfig.build.json',
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'es',
  entryFileNames: '[name].js',
  // Names that stay from build to build read well in a stack.
  chunkFileNames: 'chunks/[name].js',
  // V8 keeps the text of what it has loaded.
  comments: false,
});
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
