/**
 * Prints the differences between two recordings, one per line, and their number by kind. The exit code is 0
 * if the recordings are equal.
 *
 *   node test/replies/compare.ts before.jsonl after.jsonl
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Entry, readEntries } from './entries.ts';
import { laterKeys } from './moved.ts';

export interface Difference {
  what: 'missing' | 'new' | 'changed';
  /** The request, and its caller. */
  key: string;
  kind: Entry['kind'];
  /** The place within the response, and its values; empty for a whole response. */
  place: string;
  from?: unknown;
  to?: unknown;
}

/** The differences, in the order of the keys. */
export function findDifferences(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): Difference[] {
  const found = new Set<string>();
  const differences = [...before].flatMap(([key, from]): Difference[] => {
    const keys = after.has(key) ? [key] : laterKeys(key).filter((later) => after.has(later));
    for (const later of keys) found.add(later);
    if (keys.length === 0) return [{ what: 'missing', key, kind: from.kind, place: '' }];
    return keys.flatMap((later) =>
      listChanges(answerOf(from), answerOf(after.get(later)), '').map((change) => ({
        ...{ what: 'changed' as const, key: later, kind: from.kind },
        ...change,
      })),
    );
  });
  for (const [key, { kind }] of after) {
    if (!found.has(key)) differences.push({ what: 'new', key, kind, place: '' });
  }
  return differences.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** The response, without the request. */
function answerOf(entry: Entry | undefined): object {
  const { as: _as, case: _case, request: _request, kind: _kind, ...answer } = entry ?? {};
  return answer;
}

type Change = Pick<Difference, 'place' | 'from' | 'to'>;

/** The difference within a response, at the deepest position that exists in both. */
function listChanges(from: unknown, to: unknown, place: string): Change[] {
  if (Object.is(from, to)) return [];
  if (!isCollection(from) || !isCollection(to) || Array.isArray(from) !== Array.isArray(to)) {
    return [{ place, from, to }];
  }
  const [left, right] = [new Map(Object.entries(from)), new Map(Object.entries(to))];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) =>
    listChanges(left.get(name), right.get(name), place === '' ? name : `${place}.${name}`),
  );
}

function isCollection(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A difference as one line. */
export function describeDifference({ what, key, place, from, to }: Difference): string {
  if (what !== 'changed') return `${what}: ${key}`;
  return `changed: ${key}: ${place}: ${show(from)} -> ${show(to)}`;
}

/** An omitted value is not the same as null. */
function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** Number of missing, new and changed responses, by kind. */
export function summarize(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'Both recordings are equal.';
  const byKind = Map.groupBy(differences, ({ kind }) => kind);
  return [...byKind]
    .map(([kind, some]) => {
      const counts = (['missing', 'new', 'changed'] as const).map((what) => {
        const keys = some.filter((one) => one.what === what).map(({ key }) => key);
        return `${new Set(keys).size} ${what}`;
      });
      return `${kind}: ${counts.join(', ')}`;
    })
    .join('\n');
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [before, after, ...rest] = positionals;
  if (before === undefined || after === undefined || rest.length > 0) {
    throw new Error('Name two recordings: node test/replies/compare.ts BEFORE AFTER');
  }
  const differences = findDifferences(
    readEntries(await readFile(before, 'utf8')),
    readEntries(await readFile(after, 'utf8')),
  );
  const lines = [...differences.map(describeDifference), summarize(differences)];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = differences.length === 0 ? 0 : 1;
}
