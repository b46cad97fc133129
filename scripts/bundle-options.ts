/** Defines the program's entries, and how they are bundled. `bundle.ts` writes the bundle, and a test checks it. */
import { join } from 'node:path';
import type { InputOptions, OutputOptions } from 'rolldown';
import { OLDEST_NODE } from '../src/node-version.ts';
import { createGrouping } from './bundle-groups.ts';
import { withoutSenders } from './without-senders.ts';

/**
 * The modules that other programs load. They are the program, the exports in package.json, and the parts that `bench`
 * measures separately.
 */
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

/**
 * Packages that are not bundled. better-sqlite3 loads a binary. pg can load a further package (`pg-native`) if it is
 * installed.
 */
const APART = [/^better-sqlite3$/, /^pg$/];

const ROOT = join(import.meta.dirname, '..');

const grouping = createGrouping(ROOT);

export const INPUT = {
  cwd: ROOT,
  input: Object.fromEntries(ENTRIES.map((entry) => [entry, `${entry}.ts`])),
  platform: 'node',
  external: APART,
  plugins: [withoutSenders(), grouping.plugin],
  tsconfig: 'tsconfig.build.json',
  // Newer syntax is converted for the oldest Node version that runs the program.
  transform: { target: `node${OLDEST_NODE}` },
} satisfies InputOptions;

export const OUTPUT = {
  format: 'es',
  entryFileNames: '[name].js',
  // The names of chunks do not change between builds, so that stack traces are readable.
  chunkFileNames: 'chunks/[name].js',
  // Comments are removed, because V8 keeps the text of loaded files in memory.
  comments: false,
  codeSplitting: { groups: grouping.groups },
} satisfies OutputOptions;
