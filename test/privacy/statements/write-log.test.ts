import { appendFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoggedWrite, openWriteLog } from '../../../src/privacy/statements/write-log.ts';

let folder = '';
const warnings: unknown[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-writes-'));
  warnings.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function openLog(...names: string[]) {
  const paths = names.map((name) => join(folder, name));
  return openWriteLog(paths, { warn: (facts: object) => warnings.push(facts) });
}

function aWrite(id: string, at: number): LoggedWrite {
  return {
    ...{ store: 'store', at, id, integration: 'riverside', contact: 'contact', after: {} },
    ...{ introducer: '', introduced: null, named: null },
  };
}

const NOVEMBER = Date.UTC(2026, 10, 27);
const DECEMBER = Date.UTC(2026, 11, 1);

describe('the log of writes', () => {
  it('has one file a month next to each log of erasures, and reads them from a moment on', async () => {
    const log = openLog('one.erasures', 'two.erasures');
    await log.append([aWrite('w-1', NOVEMBER)]);
    await log.append([aWrite('w-2', DECEMBER), aWrite('w-3', DECEMBER + 1)]);
    expect((await readdir(folder)).toSorted()).toEqual([
      'one.erasures.writes-2026-11',
      'one.erasures.writes-2026-12',
      'two.erasures.writes-2026-11',
      'two.erasures.writes-2026-12',
    ]);
    await rm(join(folder, 'one.erasures.writes-2026-12'));
    expect((await log.read(0)).map(({ id }) => id)).toEqual(['w-1', 'w-2', 'w-3']);
    expect((await log.read(DECEMBER + 1)).map(({ id }) => id)).toEqual(['w-3']);
  });

  it('drops files that are older than 13 months, and leaves others alone', async () => {
    const log = openLog('db.erasures');
    await log.append([aWrite('w-1', Date.UTC(2025, 9, 1))]);
    await log.append([aWrite('w-2', Date.UTC(2025, 10, 1))]);
    await appendFile(join(folder, 'db.erasures'), 'erasures');
    await log.append([aWrite('w-3', DECEMBER)]);
    expect((await readdir(folder)).toSorted()).toEqual([
      'db.erasures',
      'db.erasures.writes-2025-11',
      'db.erasures.writes-2026-12',
    ]);
  });

  it('passes over a line that a power cut has torn', async () => {
    const log = openLog('db.erasures');
    await log.append([aWrite('w-1', NOVEMBER)]);
    await appendFile(join(folder, 'db.erasures.writes-2026-11'), '{"store":"st');
    await log.append([aWrite('w-2', NOVEMBER)]);
    expect((await log.read(0)).map(({ id }) => id)).toEqual(['w-1', 'w-2']);
  });

  it('stops no run where it cannot be written, and says so', async () => {
    await mkdir(join(folder, 'db.erasures.writes-2026-11'));
    const log = openLog('db.erasures');
    await log.append([aWrite('w-1', NOVEMBER)]);
    expect(warnings).toMatchObject([{ file: expect.stringContaining('writes-2026-11') }]);
    expect(await log.read(0)).toEqual([]);
  });
});
