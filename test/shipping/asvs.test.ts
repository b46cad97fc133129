/** Checks that each requirement in docs/asvs.md has an existing test, has a reason, or is listed as open. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The number of requirements of levels 1 and 2 in each chapter of version 5.0.0. */
const BY_CHAPTER = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];

interface Row {
  number: string;
  shownBy: string[];
  reason: string;
  open: string;
}

const document = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8');
const rows = rowsOf(document);

describe('the table of ASVS', () => {
  it('has every requirement of levels 1 and 2 once', () => {
    expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length);
    const counts = BY_CHAPTER.map(
      (_, index) => rows.filter(({ number }) => number.startsWith(`${index + 1}.`)).length,
    );
    expect(counts).toEqual(BY_CHAPTER);
  });

  it('has for each a test, a reason or what is open, and no reason beside a test', () => {
    const isJudged = ({ shownBy, reason, open }: Row) =>
      reason === '' ? shownBy.length > 0 || open !== '' : shownBy.length === 0 && open === '';
    expect(rows.filter((row) => !isJudged(row))).toEqual([]);
  });

  it('names tests that are there', () => {
    const tests = rows.flatMap(({ shownBy }) => shownBy).filter((each) => !each.startsWith('['));
    expect(tests.length).toBeGreaterThan(100);
    expect(tests.filter((each) => !isThere(each))).toEqual([]);
    expect(isThere('`a test that is nowhere in that file` (`test/shipping/asvs.test.ts`)')).toBe(
      false,
    );
  });

  it('is content with a document alone where a document is what is asked for', () => {
    const isDocument = (each: string) => each.startsWith('[');
    const alone = rows.filter(
      ({ shownBy, open }) => open === '' && shownBy.length > 0 && shownBy.every(isDocument),
    );
    expect(alone.filter(({ number }) => !/^\d+\.1\.\d+$/.test(number))).toEqual([]);
  });

  it('says in one sentence why a row is open', () => {
    const open = rows.filter((row) => row.open !== '');
    expect(open.filter((row) => !/^[^.!?]+(?:[.][^\s][^.!?]*)*\.$/.test(row.open))).toEqual([]);
  });

  it('counts right', () => {
    const open = rows.filter((row) => row.open !== '').length;
    const reasons = rows.filter((row) => row.reason !== '').length;
    const shown = rows.length - open - reasons;
    expect(document).toContain(
      `Of ${rows.length} requirements, ${shown} are shown, ${reasons} do not apply, and ${open} are open.`,
    );
  });
});

function rowsOf(text: string): Row[] {
  const lines = text.match(/^\| \d+\.\d+\.\d+ \|.*\|$/gm) ?? [];
  return lines.map((line) => {
    const [number = '', , , shownBy = '', reason = '', open = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    return { number, shownBy: shownBy.split('<br>').filter((each) => each !== ''), reason, open };
  });
}

/**
 * The string consists of the test's title and, in parentheses, the file. The title of the test's `describe` can precede
 * the test's title.
 */
function isThere(shown: string): boolean {
  const [, name = '', file = ''] = /^`([^`]+)` \(`([^`]+)`\)$/.exec(shown) ?? [];
  const path = join(ROOT, file);
  if (name === '' || !file.startsWith('test/') || !existsSync(path)) return false;
  const text = readFileSync(path, 'utf8');
  const titles = groupsIn(text)
    .filter((group) => name.startsWith(`${group} `))
    .map((group) => name.slice(group.length + 1));
  return [name, ...titles].some((title) => hasTest(text, title));
}

/** Returns the titles of all calls such as `describe` or `describe.each(…)`. */
function groupsIn(text: string): string[] {
  return [...text.matchAll(/\bdescribe\w*(?:\.each\(.*?\))?\(\s*(?:'\w+',\s*)?'([^']+)',/gs)].map(
    ([, title = '']) => title,
  );
}

/** Looks only at the first argument of calls such as `it` or `it.each(…)`, because a name in a comment is not a test. */
function hasTest(text: string, title: string): boolean {
  const starts = ["'", '"', '`'].map((quote) => `${quote}${title}${quote},`);
  const calls = starts.flatMap((start) => indicesOf(text, start));
  return calls.some((at) => {
    const before = text.slice(0, at).trimEnd();
    return before.endsWith('(') && !/\b(?:skip|todo|only|fails|describe)\($/.test(before);
  });
}

function indicesOf(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}
