import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import { verify } from '../../../service/operation/index.ts';
import { form990 } from './form-990-file.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');
const RETURNS = 160;

describe('an import that is killed', () => {
  it('is whole when it is started again, as if it had never been killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'import-killed-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeReturns(join(folder, 'returns'));
    const start = (db: string) =>
      spawn(process.execPath, [MAIN, 'service', 'import', '990', 'returns', '--db', db], {
        cwd: folder,
        stdio: 'ignore',
      });
    await once(start('whole.db'), 'exit');

    const killed = join(folder, 'killed.db');
    let kills = 0;
    for (const part of [0.2, 0.6]) {
      const child = start('killed.db');
      // The test listens from the start, because the child may end before it is killed.
      const exit = once(child, 'exit');
      await expect.poll(() => importedIn(killed), WAITING).toBeGreaterThan(RETURNS * part);
      child.kill('SIGKILL');
      const [, signal] = await exit;
      if (signal === 'SIGKILL') kills += 1;
    }
    expect(kills).toBe(2);
    expect(importedIn(killed)).toBeLessThan(RETURNS);
    const [code] = await once(start('killed.db'), 'exit');
    expect(code).toBe(0);
    expect(contentOf(killed)).toEqual(contentOf(join(folder, 'whole.db')));
  });
});

const WAITING = { timeout: 60_000, interval: 20 };

function writeReturns(folder: string): void {
  mkdirSync(folder);
  for (let number = 0; number < RETURNS; number++) {
    const people = ['ADA', 'BERTHA', 'CLEO', 'DORA', 'EDITH', 'FIONA', 'GRETA', 'HILDA'].map(
      (first, at) => ({
        name: `${first} ${number % 2 === 0 ? '' : 'Q '}OLDEN${'ABCDEFGH'[(number >> 1) % 8]}QUIST`,
        title: 'DIRECTOR',
        pay: at * 1_000,
      }),
    );
    const ein = String(990_000_000 + (number >> 1) * 37);
    const year = 2023 + (number % 2);
    const organisation = `FUND OF ${ein
      .split('')
      .map((digit) => 'ABCDEFGHIJ'[Number(digit)])
      .join('')}`;
    const text = form990({ form: '990', ein, organisation, year, people });
    writeFileSync(join(folder, `${String(number).padStart(4, '0')}.xml`), text);
  }
}

function importedIn(file: string): number {
  if (!existsSync(file)) return 0;
  try {
    const db = openDatabase(file, { isClaimed: false });
    const count = db.prepare<[], number>('select count(*) from record_imports').pluck().get() ?? 0;
    db.close();
    return count;
  } catch {
    // The file is just being created.
    return 0;
  }
}

/** Returns everything that an import writes, except the time of the import. */
function contentOf(file: string) {
  const db = openDatabase(file, { isClaimed: false });
  const all = (query: string) => db.prepare(query).all();
  const content = {
    donors: all('select * from record_donors order by number'),
    keys: all('select * from record_keys order by key'),
    organisations: all('select * from record_organisations order by id'),
    imports: all('select fingerprint, file, people, added, changed from record_imports'),
    index: all('select * from donor_index order by number'),
    employers: all('select * from employer_sizes where donors > 0 order by name'),
    ties: all('select name, bytes from tie_columns order by name'),
    problems: verify(db, Date.now),
  };
  db.close();
  expect(content.donors.length).toBeGreaterThan(RETURNS);
  expect(content.problems).toEqual([]);
  return content;
}
