/** The shape of the house as a test: imports go down the floors, and never round in a circle. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Rooms by floor, the ground first. A room imports rooms below it, and its own files. */
const FLOORS: readonly (readonly string[])[] = [
  ['src/core'],
  ['src/identity'],
  ['connectors', 'src/partner', 'src/mapping', 'src/store'],
  ['src/run'],
  ['src/views'],
  ['src/sync', 'src/networks', 'src/insights', 'src/alerts', 'src/config'],
  ['src/application'],
  ['src/http', 'src/schedule'],
  ['src/cli'],
  ['src/main'],
];

/** Rooms with a place of their own: the schema belongs to the store, the start to `main`. */
const PART_OF = new Map([
  ['migrations', 'src/store'],
  ['src/memory', 'src/main'],
  ['src/wiring', 'src/main'],
]);

/** The only files that may know the sandboxes: the commands that start them. */
const STARTS_SANDBOXES = /^src\/cli\/(demo|sandbox)[./]/;

interface Import {
  from: string;
  to: string;
}

const files = ['src', 'connectors', 'migrations', 'sandbox'].flatMap(sourceFiles);
const imports = files.flatMap(importsOf);

describe('the floors of the house', () => {
  it('finds the house at all', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(imports.length).toBeGreaterThan(300);
  });

  it('has a floor for every room', () => {
    const homeless = files.filter((file) => !file.startsWith('sandbox/') && floorOf(file) === -1);
    expect(homeless).toEqual([]);
  });

  it('has no import that goes up, or across to another room of the same floor', () => {
    const wrong = imports.filter(({ from, to }) => {
      if (from.startsWith('sandbox/') || to.startsWith('sandbox/')) return false;
      const isSameRoom = roomOf(from) === roomOf(to);
      return !isSameRoom && floorOf(to) >= floorOf(from);
    });
    expect(wrong).toEqual([]);
  });

  it('lets a connector know the contract, and no other connector', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [kind, other] = [from, to].map((file) => /^connectors\/(\w+)\//.exec(file)?.[1]);
      return kind !== undefined && other !== undefined && kind !== other;
    });
    expect(wrong).toEqual([]);
  });

  it('keeps the sandboxes and the product apart, or both would agree on the same mistake', () => {
    const wrong = imports.filter(({ from, to }) => {
      const isOutside = from.startsWith('sandbox/') && !to.startsWith('sandbox/');
      const isInside = to.startsWith('sandbox/') && !from.startsWith('sandbox/');
      return isOutside || (isInside && !STARTS_SANDBOXES.test(from));
    });
    expect(wrong).toEqual([]);
  });

  it('has no circle of imports', () => {
    expect(findCircle()).toEqual([]);
  });
});

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('connectors/testing/'));
}

/** Static imports, exports from elsewhere and dynamic imports of our own files. */
function importsOf(from: string): Import[] {
  const text = readFileSync(join(ROOT, from), 'utf8');
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*\.tsx?)'/g);
  return [...specifiers].map(([, specifier = '']) => ({
    from,
    to: normalize(join(dirname(from), specifier)),
  }));
}

/** `src/sync` for everything in that folder, `src/config` also for `src/config.ts`. */
function roomOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  const room = top === 'src' ? `src/${second.replace(/\.tsx?$/, '')}` : top;
  return PART_OF.get(room) ?? room;
}

function floorOf(file: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)));
}

/** The files of one circle, if there is any. Types count: who needs them knows the other file. */
function findCircle(): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  for (const file of files) {
    const circle = walk(file, []);
    if (circle.length > 0) return circle;
  }
  return [];

  function walk(file: string, path: string[]): string[] {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const { to } of targets.get(file) ?? []) {
      const circle = walk(to, [...path, file]);
      if (circle.length > 0) return circle;
    }
    done.add(file);
    return [];
  }
}
