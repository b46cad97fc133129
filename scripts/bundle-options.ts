/** What the program is made of, and how: `bundle.ts` writes it, and a test looks into it. */
import { join } from 'node:path';
import type { InputOptions, OutputOptions } from 'rolldown';
import { withoutSenders } from './without-senders.ts';

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

export const INPUT = {
  cwd: join(import.meta.dirname, '..'),
  input: Object.fromEntries(ENTRIES.map((entry) => [entry, `${entry}.ts`])),
  platform: 'node',
  external: APART,
  plugins: [withoutSenders()],
  tsconfig: 'tsconfig.build.json',
} satisfies InputOptions;

export const OUTPUT = {
  format: 'es',
  entryFileNames: '[name].js',
  // Names that stay from build to build read well in a stack.
  chunkFileNames: 'chunks/[name].js',
  // V8 keeps the text of what it has loaded.
  comments: false,
} satisfies OutputOptions;
