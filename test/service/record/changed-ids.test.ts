import { expect, it } from 'vitest';
import { verify } from '../../../service/operation/file.ts';
import { undoJoin } from '../../../service/operation/index.ts';
import { openRecord } from '../../../service/record/store.ts';
import { openImporting } from './importing.ts';

const clock = () => Date.parse('2026-11-22T12:00:00Z');

const HEAD = 'id,first_name,last_name,birth,street,city,state,postal_code\n';
const ROBERTINA = 'Robertina,Oldenquist,1951-03-09,12 Elm Street,Evanston,IL,60201';
const ZELDA = 'Zelda,Quimby,1990-01-01,1 Oak Street,Reno,NV,89501';

it('a list whose ids changed gives an undone join its new ids, and its old ids to nobody', async () => {
  const { db, file, import: bring } = openImporting();
  const list = (source: string, name: string, rows: string) => ({
    ...{ kind: 'csv' as const, source, paths: [file(name, HEAD + rows)] },
  });
  await bring(list('gala', 'gala.csv', `G1,${ROBERTINA}\n`));
  expect(await bring(list('board', 'old.csv', `D1,${ROBERTINA}\n`))).toMatchObject({ joined: 1 });
  await bring({
    ...list('board', 'new.csv', `N1,${ROBERTINA}\n`),
    sameUnderOtherIds: 'ids changed',
  });
  expect(verify(db, clock)).toEqual([]);
  // The list has reused the old ID for a different person.
  await bring(list('board', 'later.csv', `D1,${ZELDA}\n`));
  const record = openRecord(db);
  const zelda = record.numberByKey('csv:board:D1');
  const joined = record.donor(record.numberByKey('csv:gala:G1') ?? -1);

  undoJoin(db, joined?.id ?? '', clock);
  expect(verify(db, clock)).toEqual([]);
  const numbers = ['csv:board:D1', 'csv:board:N1', 'csv:gala:G1'].map(record.numberByKey);
  expect(numbers[0]).toBe(zelda);
  expect(new Set(numbers).size).toBe(3);
  const names = numbers.map((number) => record.donor(number ?? -1)?.name.first);
  expect(names).toEqual(['Zelda', 'Robertina', 'Robertina']);
});
