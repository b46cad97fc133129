/** Tests unusual erasures: data that remains after an interruption, and data that a later import would bring back. */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../service/database.ts';
import { verify } from '../../../service/operation/file.ts';
import { erasePerson, importPeople } from '../../../service/operation/index.ts';
import { openRecord } from '../../../service/record/store.ts';
import { form990 } from './form-990-file.ts';
import { openImporting } from './importing.ts';

const clock = () => Date.parse('2026-11-22T12:00:00Z');

const DONORS = `id,first_name,last_name,birth,street,city,state,postal_code
D1,Robertina,Oldenquist,1951-03-09,12 Elm Street,Evanston,IL,60201
D2,Thaddeus,McAllenby,1960-01-02,9 Ash Road,Reno,NV,89501
`;

describe('an erasure', () => {
  it('is not undone in part by a later return, which stores no key with the name', async () => {
    const { db, file, import: bring, people } = openImporting();
    const filed = (year: number) => ({
      kind: '990' as const,
      paths: [
        file(
          `${year}.xml`,
          form990({
            form: '990',
            year,
            people: [
              { name: 'ROBERTINA OLDENQUIST', title: 'CHAIR' },
              { name: 'ADA TARLETON', title: 'DIRECTOR' },
            ],
          }),
        ),
      ],
    });
    await bring(filed(2023));
    const id = people().find(({ name }) => name.first === 'Robertina')?.id ?? '';
    erasePerson(db, id, clock);
    expect(await bring(filed(2024))).toMatchObject({ blocked: 1 });
    expect(placesOf(db, 'robertina')).toEqual([]);
  });

  it('also keeps out the other names under which a source described the joined person', async () => {
    const { db, file, import: bring, people } = openImporting();
    await bring({ kind: 'csv', paths: [file('donors.csv', DONORS)] });
    const married = `id,first_name,last_name,birth,street,city,state,postal_code
G1,Robertina,Oldenquist-Tarleton,1951-03-09,12 Elm Street,Evanston,IL,60201
`;
    const joined = await bring({
      kind: 'csv',
      source: 'gala',
      paths: [file('gala.csv', married)],
    });
    expect(joined).toMatchObject({ joined: 1 });
    erasePerson(db, people().find(({ name }) => name.first === 'Robertina')?.id ?? '', clock);
    const third = married.replace('G1', 'T1');
    const again = await bring({ kind: 'csv', source: 'third', paths: [file('third.csv', third)] });
    expect(again).toMatchObject({ added: 0, blocked: 1 });
  });

  it('that ended before the file was rewritten is completed when it is repeated', async () => {
    const { db, id, path } = await fileWithPeople();
    const exec = db.exec;
    db.exec = (sql) => {
      if (sql === 'vacuum') throw new Error('database or disk is full');
      return exec.call(db, sql);
    };
    expect(() => erasePerson(db, id, clock)).toThrow('disk is full');
    db.exec = exec;
    erasePerson(db, id, clock);
    expect(bytesOf(path)).not.toContain('robertina');
    expect(verify(db, clock)).toEqual([]);
    expect(() => erasePerson(db, 'f'.repeat(32), clock)).toThrow('There is no donor');
    db.close();
  });

  it('says that deleted data stays on disk while another program reads the file', async () => {
    const { db, id, path } = await fileWithPeople();
    const reader = openDatabase(path, { isClaimed: false });
    reader.exec('begin');
    reader.prepare('select count(*) from record_donors').get();
    expect(() => erasePerson(db, id, clock)).toThrow('another program');
    expect(openRecord(db).numberOf(id)).toBeNull();
    reader.exec('commit');
    reader.close();
    erasePerson(db, id, clock);
    expect(bytesOf(path)).not.toContain('robertina');
    db.close();
  });
});

async function fileWithPeople() {
  const { folder, file } = openImporting();
  const path = join(folder, 'service.db');
  rmSync(path, { force: true });
  const db = openDatabase(path, { isDurable: true });
  await importPeople(db, {
    ...{ kind: 'csv', paths: [file('donors.csv', DONORS)], roles: null, source: 'board-book' },
    ...{ date: '2026-11-22', confidence: 0.8, clock },
  });
  const record = openRecord(db);
  const numbers = Array.from({ length: record.count() }, (_, number) => number);
  const id = numbers.map(record.donor).find((donor) => donor?.name.first === 'Robertina')?.id ?? '';
  return { db, id, path };
}

/** Returns all bytes of the file and of its journal on disk. */
function bytesOf(path: string): string {
  return [path, `${path}-wal`]
    .map((one) => readFileSync(one).toString('latin1').toLowerCase())
    .join('');
}

function placesOf(db: Database, word: string): string[] {
  const tables = db
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all();
  return tables.flatMap((table) =>
    db
      .prepare<[], Record<string, unknown>>(`select * from "${table}"`)
      .all()
      .flatMap((row) => Object.entries(row))
      .filter(([, value]) => String(value).toLowerCase().includes(word))
      .map(([column]) => `${table}.${column}`),
  );
}
