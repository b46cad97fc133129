/**
 * Compares two recordings. Prints each difference that no reason in `reasons.ts` explains, one per line. Then prints
 * the number of differences by reason and by kind. The exit code is 0 if every difference has a reason. With `--all`,
 * also prints the explained differences and new requests.
 *
 * Run `node test/replies/compare.ts before.jsonl after.jsonl [--all]`.
 *
 * Commit 5bb79631 contains the recorded responses from before operations existed, with a copy of this
 * `placeholders.ts`.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Entry, readEntries } from './entries.ts';
import { laterKeys } from './moved.ts';
import { findReason } from './reasons.ts';

/**
 * A `contract` difference affects a status, a code, an exit code, a redirect, a missing key, or a value that is not a
 * sentence. An `addition` is a new key. A `wording` difference affects a sentence for people.
 */
export type Level = 'contract' | 'addition' | 'wording';

export interface Difference {
  what: 'missing' | 'new' | 'changed';
  /** The request and its caller. */
  key: string;
  kind: Entry['kind'];
  level: Level;
  /** The place of the difference within the response. Empty for a whole response. */
  place: string;
  from?: unknown;
  to?: unknown;
}

/** Returns the differences, sorted by key. */
export function findDifferences(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): Difference[] {
  const found = new Set<string>();
  const differences = [...before].flatMap(([key, from]): Difference[] => {
    const keys = laterKeys(key, before, after);
    for (const later of keys) found.add(later);
    if (keys.length === 0) {
      return [{ what: 'missing', key, kind: from.kind, level: 'contract', place: '' }];
    }
    return keys.flatMap((later) =>
      compareResponses(from, after.get(later)).map((change) => ({
        ...{ what: 'changed' as const, key: later, kind: from.kind },
        ...{ level: levelOf(from.kind, change), ...change },
      })),
    );
  });
  for (const [key, { kind }] of after) {
    if (!found.has(key)) differences.push({ what: 'new', key, kind, level: 'addition', place: '' });
  }
  return differences.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/**
 * If their outcomes differ, for example because one is a refusal, compares only the outcomes. The other parts of two
 * such responses are not comparable.
 */
function compareResponses(from: Entry, to: Entry | undefined): Change[] {
  if (to === undefined) return [];
  const changes = listChanges(outcomeOf(from), outcomeOf(to), '');
  return changes.length > 0 ? changes : listChanges(answerOf(from), answerOf(to), '');
}

const errorSchema = z.object({ error: z.object({ code: z.string() }) });

/** Returns the status or exit code and the error code. Each value has its place in the response as its key. */
function outcomeOf(entry: Entry): object {
  const isCommand = entry.kind === 'command';
  const { data } = errorSchema.safeParse(isCommand ? entry.stdout : entry.body);
  return {
    ...(isCommand ? { exitCode: entry.exitCode } : { status: entry.status }),
    [isCommand ? 'stdout.error.code' : 'body.error.code']: data?.error.code,
  };
}

/** Returns the response without the request. */
function answerOf(entry: Entry): object {
  const { as: _as, case: _case, request: _request, kind: _kind, ...answer } = entry;
  return answer;
}

type Change = Pick<Difference, 'place' | 'from' | 'to'>;

/** Returns the differences within a response, at the deepest position that exists in both. */
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

/** Matches the place of a line in a terminal's output or a page. A value in a JSON document has a longer path. */
const LINE = /^(?:stdout|stderr|body)\.\d+$/;

/** Programs rely on its columns. */
const CSV_HEADER = /^[A-Z][\w ]*(?:,\w[\w ]*){2,}$/;

/** Matches values on which programs rely, even if they did not exist before. */
const OUTCOME = /^(?:status|exitCode|headers\b.*|.*\.error\.code)$/;

function levelOf(kind: Entry['kind'], { place, from, to }: Change): Level {
  if (typeof from === 'string' && CSV_HEADER.test(from)) return 'contract';
  const isLine = LINE.test(place) && kind !== 'api';
  if (isLine || (isSentence(from) && isSentence(to))) return 'wording';
  return from === undefined && !OUTCOME.test(place) ? 'addition' : 'contract';
}

/** Codes, states and IDs contain no spaces. */
function isSentence(value: unknown): boolean {
  return typeof value === 'string' && value.includes(' ');
}

/** Returns a difference as one line. */
export function describeDifference({ what, key, place, from, to }: Difference): string {
  if (what !== 'changed') return `${what}: ${key}`;
  return `changed: ${key}: ${place}: ${show(from)} -> ${show(to)}`;
}

/** A missing value is different from null. */
function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** Returns the number of missing, new and changed responses, by kind. */
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
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { all: { type: 'boolean', default: false } },
  });
  const [before, after, ...rest] = positionals;
  if (before === undefined || after === undefined || rest.length > 0) {
    throw new Error('Name two recordings: node test/replies/compare.ts BEFORE AFTER');
  }
  const differences = findDifferences(
    readEntries(await readFile(before, 'utf8')),
    readEntries(await readFile(after, 'utf8')),
  );
  const former = differences.filter(({ what }) => what !== 'new');
  const byReason = Map.groupBy(former, findReason);
  const unexplained = byReason.get(undefined) ?? [];
  const explained = [...byReason].flatMap(([reason, some]) =>
    reason === undefined ? [] : [`${String(some.length).padStart(6)}  ${reason}`],
  );
  const lines = [
    ...(values.all ? differences : unexplained).map(describeDifference),
    ...explained,
    summarize(differences),
    `${unexplained.length} differences without a reason.`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = unexplained.length === 0 ? 0 : 1;
}
