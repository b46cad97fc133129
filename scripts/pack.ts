/**
 * Replaces the package's manifest and shrinkwrap while `npm pack` is running. With `--restore`, the script removes both
 * files again. The manifest of the checkout is stored in a second file, so that an interruption does not lose it.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { toPublished } from './published.ts';
import { shrinkwrapOf } from './supply.ts';

const ROOT = join(import.meta.dirname, '..');
const MANIFEST = join(ROOT, 'package.json');
const KEPT = join(ROOT, 'package.json.kept');
const SHRINKWRAP = join(ROOT, 'npm-shrinkwrap.json');

restore();
if (!process.argv.includes('--restore')) {
  const outside = z.array(z.string()).parse(read(join(ROOT, 'dist/outside.json')));
  const published = toPublished(read(MANIFEST), outside);
  write(SHRINKWRAP, shrinkwrapOf(read(join(ROOT, 'package-lock.json')), published.dependencies));
  renameSync(MANIFEST, KEPT);
  write(MANIFEST, published);
}

function restore(): void {
  rmSync(SHRINKWRAP, { force: true });
  if (existsSync(KEPT)) renameSync(KEPT, MANIFEST);
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function write(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
