import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeDifference, findDifferences, summarize } from './compare.ts';
import { type Entry, readEntries, writeEntries } from './entries.ts';
import { findReason, REASONS } from './reasons.ts';

const SHOWN: Entry = {
  ...{ kind: 'api', as: 'viewer', request: 'GET /v1/runs/<run>', case: 'good', status: 200 },
  body: { run: { id: '<run>', reason: null, contacts: { read: 40 } } },
};

const UNKNOWN: Entry = {
  ...{ kind: 'api', as: 'viewer', request: 'GET /v1/runs/nowhere', case: 'unknown', status: 404 },
  body: { error: { code: 'run_unknown', message: 'There is no run "nowhere".' } },
};

const TYPED: Entry = {
  ...{ kind: 'command', as: 'anna', request: 'runs nowhere --json', case: 'unknown', exitCode: 2 },
  ...{ stdout: { error: { code: 'run_unknown' } }, stderr: [] },
};

/**
 * Returns the differences after the three entries above are replaced by these entries. Also writes the entries and
 * reads them back.
 */
function compare(...after: readonly Entry[]) {
  const [from, to] = [[SHOWN, UNKNOWN, TYPED], after].map((entries) =>
    readEntries(writeEntries(entries)),
  );
  if (!from || !to) throw new Error('two recordings were written');
  const differences = findDifferences(from, to);
  return { lines: differences.map(describeDifference), summary: summarize(differences) };
}

describe('the comparison of two recordings', () => {
  it('finds nothing in equal ones, in whatever order they were made', () => {
    const { lines, summary } = compare(TYPED, UNKNOWN, SHOWN);
    expect(lines).toEqual([]);
    expect(summary).toBe('Both recordings are equal.');
  });

  it('finds a changed status', () => {
    const { lines, summary } = compare(SHOWN, { ...UNKNOWN, status: 422 }, TYPED);
    expect(lines).toEqual([
      'changed: api | GET /v1/runs/nowhere | unknown | viewer: status: 404 -> 422',
    ]);
    expect(summary).toBe('api: 0 missing, 0 new, 1 changed');
  });

  it('finds a changed exit code and a changed code of an error', () => {
    const changed: Entry = { ...TYPED, exitCode: 1, stdout: { error: { code: 'run_missing' } } };
    const { lines, summary } = compare(SHOWN, UNKNOWN, changed);
    expect(lines).toEqual([
      'changed: command | runs nowhere --json | unknown | anna: exitCode: 2 -> 1',
      'changed: command | runs nowhere --json | unknown | anna: stdout.error.code: "run_unknown" -> "run_missing"',
    ]);
    // Both differences are in one response.
    expect(summary).toBe('command: 0 missing, 0 new, 1 changed');
  });

  it('finds a route that is missing, and one that is new', () => {
    const added: Entry = { ...UNKNOWN, request: 'GET /v2/runs/nowhere' };
    const { lines, summary } = compare(SHOWN, added, TYPED);
    expect(lines).toEqual([
      'missing: api | GET /v1/runs/nowhere | unknown | viewer',
      'new: api | GET /v2/runs/nowhere | unknown | viewer',
    ]);
    expect(summary).toBe('api: 1 missing, 1 new, 0 changed');
  });

  it('compares the answers of a request that has moved', () => {
    const user: Entry = {
      ...{
        kind: 'api',
        as: 'owner',
        request: 'PATCH /v1/people/<user>',
        case: 'good',
        status: 200,
      },
      body: { person: { name: 'Ben' } },
    };
    const moved: Entry = { ...user, request: 'PUT /v1/users/<user>/role', status: 403 };
    const signedIn: Entry = { ...moved, as: 'owner, signed in', status: 200 };
    const command: Entry = { ...TYPED, request: 'people list', case: 'good' };
    const [from, to] = [
      [user, command],
      [moved, signedIn, { ...command, request: 'users list' }],
    ].map((entries) => readEntries(writeEntries(entries)));
    const differences = findDifferences(from ?? new Map(), to ?? new Map());
    expect(differences.map(describeDifference)).toEqual([
      'changed: api | PUT /v1/users/<user>/role | good | owner: status: 200 -> 403',
    ]);
    // Two recordings of the same routes contain no renamed routes.
    expect(findDifferences(to ?? new Map(), to ?? new Map())).toEqual([]);
  });

  it('finds a key that was lost, and tells it from one that is null', () => {
    const { lines } = compare(
      { ...SHOWN, body: { run: { id: '<run>', contacts: { read: null } } } },
      UNKNOWN,
      TYPED,
    );
    expect(lines).toEqual([
      'changed: api | GET /v1/runs/<run> | good | viewer: body.run.reason: null -> nothing',
      'changed: api | GET /v1/runs/<run> | good | viewer: body.run.contacts.read: 40 -> null',
    ]);
  });

  it('finds an entry that a list has lost, and a list that has become something else', () => {
    const list = (body: unknown): Entry => ({ ...SHOWN, body });
    const from = readEntries(writeEntries([list(['a', 'b'])]));
    const lines = (body: unknown) =>
      findDifferences(from, readEntries(writeEntries([list(body)]))).map(describeDifference);
    const key = 'api | GET /v1/runs/<run> | good | viewer';
    expect(lines(['a'])).toEqual([`changed: ${key}: body.1: "b" -> nothing`]);
    expect(lines({ 0: 'a', 1: 'b' })).toEqual([
      `changed: ${key}: body: ["a","b"] -> {"0":"a","1":"b"}`,
    ]);
  });
});

describe('the levels of differences', () => {
  function levels(from: Entry, to: Entry) {
    const [before, after] = [from, to].map((entry) => readEntries(writeEntries([entry])));
    return findDifferences(before ?? new Map(), after ?? new Map()).map(
      ({ level, place }) => `${level}: ${place}`,
    );
  }

  it('tell a lost key and a changed state from a new key and from another sentence', () => {
    const body = { run: { id: '<run>', status: 'running', reason: 'It was stopped.', read: 40 } };
    const to = { id: '<run>', status: 'queued', reason: 'A user stopped it.', next: null };
    expect(levels({ ...SHOWN, body }, { ...SHOWN, body: { run: to } })).toEqual([
      'contract: body.run.status',
      'wording: body.run.reason',
      'contract: body.run.read',
      'addition: body.run.next',
    ]);
  });

  it('compare the outcomes alone if one of two responses is a refusal', () => {
    expect(levels(SHOWN, { ...UNKNOWN, request: SHOWN.request, case: SHOWN.case })).toEqual([
      'contract: status',
      'contract: body.error.code',
    ]);
  });
});

describe('the reasons for differences', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');

  it.each(REASONS)('"$changelog" are words of the changelog', (reason) => {
    expect(changelog.replace(/\s+/g, ' ')).toContain(reason.changelog);
  });

  it('explain no status, code or key by another wording', () => {
    const key = 'api | GET /v1/runs | good | viewer';
    const change = { what: 'changed' as const, key, kind: 'api' as const };
    const at = (place: string, level: 'contract' | 'wording') =>
      findReason({ ...change, place, level });
    expect(at('body.error.message', 'wording')).toContain('words of the glossary');
    expect(at('status', 'contract')).toBeUndefined();
    expect(at('body.runs', 'contract')).toBeUndefined();
  });
});

describe('a recording', () => {
  it('has no two answers to one request', () => {
    expect(() => writeEntries([SHOWN, { ...SHOWN, status: 404 }])).toThrow('same key');
  });

  it('is refused if a line is no answer', () => {
    expect(() => readEntries('{"kind":"api"}\n')).toThrow();
  });
});
