import { expect, it } from 'vitest';
import { openImporting } from './importing.ts';

const HEAD = 'id,first_name,last_name,birth,street,city,state,postal_code\n';
const ROBERTINA = 'Robertina,Oldenquist,1951-03-09,12 Elm Street,Evanston,IL,60201';

it.each([
  ['gala', 'A:1', 'B:2'],
  ['gala:2026', 'A1', 'B2'],
  ['gala', 'A1', 'B2'],
  ['gala', 'A:1', 'A%3A1'],
  ['gala', 'A%3A1', 'A%253A1'],
])(
  'rows of the list %s with the ids %s and %s are two people until someone decides',
  async (source, one, other) => {
    const { file, import: bring } = openImporting();
    const rows = `${one},${ROBERTINA}\n${other},${ROBERTINA}\n`;
    const list = { kind: 'csv', source, paths: [file('list.csv', HEAD + rows)] } as const;
    expect(await bring(list)).toMatchObject({ added: 2, joined: 0, toReview: 1 });
  },
);

it('two lists whose names and ids are the same text when joined are two lists', async () => {
  const { file, import: bring, people } = openImporting();
  const other = 'Thaddeus,McAllenby,1960-01-02,9 Ash Road,Reno,NV,89501';
  const list = (source: string, name: string, row: string) =>
    bring({ kind: 'csv', source, paths: [file(name, HEAD + row)] });
  await list('gala:2026', 'one.csv', `1,${ROBERTINA}\n`);
  expect(await list('gala', 'two.csv', `2026:1,${other}\n`)).toMatchObject({ added: 1 });
  expect(people().map(({ name }) => name.first)).toEqual(['Robertina', 'Thaddeus']);
});
