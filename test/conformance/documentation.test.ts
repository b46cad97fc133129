import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const TESTS = join(import.meta.dirname, '..');
const TABLE = join(TESTS, '..', 'docs', 'conformance.md');

/** The table contains one of these entries if no HTTP test can check the sentence. */
const WITHOUT_TEST = ['A rule for callers', 'A time: measured, not tested'];

describe('docs/conformance.md', () => {
  const rows = readRows();

  it('has a test for every sentence, or says why there is none', () => {
    expect(rows.length).toBeGreaterThan(80);
    const bare = rows.filter(
      ({ tests, reason }) => tests.length === 0 && !WITHOUT_TEST.includes(reason),
    );
    expect(bare).toEqual([]);
  });

  it('names tests that exist', () => {
    const missing = rows
      .flatMap(({ tests }) => tests)
      .filter(({ file, name }) => !readFileSync(join(TESTS, file), 'utf8').includes(`'${name}'`));
    expect(missing).toEqual([]);
  });

  it('speaks of every file of the suite', () => {
    const files = readdirSync(import.meta.dirname).filter(
      (file) => file.endsWith('.test.ts') && file !== 'documentation.test.ts',
    );
    const named = new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)));
    expect(files.filter((file) => !named.has(`conformance/${file}`))).toEqual([]);
  });
});

/**
 * Reads the rows of the table. Each row has a section, a sentence and some tests. A test is a file and a name in
 * backticks.
 */
function readRows() {
  const lines = readFileSync(TABLE, 'utf8').split('\n');
  return lines
    .filter((line) => /^\| \d/.test(line))
    .map((line) => {
      const [section, sentence, reason = ''] = line.slice(2, -2).split(' | ');
      return { section, sentence, reason, tests: reason.split('<br>').flatMap(readTest) };
    });
}

function readTest(text: string): { file: string; name: string }[] {
  const [, file, name] = /^`([^`]+)` `([^`]+)`$/.exec(text) ?? [];
  return file === undefined || name === undefined ? [] : [{ file, name }];
}
