/** Tests files whose content cannot be right, although each cell is well-formed. */

import { describe, expect, it } from 'vitest';
import { form990 } from './form-990-file.ts';
import { openImporting } from './importing.ts';

describe('a list', () => {
  it('is refused with each row in which a comma has moved the cells', async () => {
    const { file, import: bring, people } = openImporting();
    const donors = `id,first_name,last_name,street,city,bio
D1,Robertina,Oldenquist, Jr.,12 Elm Street,Evanston,Gave a lot
D2,Ada,Tarleton,"12 Elm Street, Apt 4",Evanston,Gave a lot,,
D3,Cleo,Tarleton,12 Elm Street,Evanston,Gave a lot, and more
`;
    await expect(bring({ kind: 'csv', paths: [file('donors.csv', donors)] })).rejects.toThrow(
      /donors.csv:2: has more cells[\s\S]*donors.csv:4: has more cells/,
    );
    expect(people()).toEqual([]);
  });

  it('is refused with two columns of one name', async () => {
    const { file, import: bring } = openImporting();
    const donors = 'id,first_name,last_name,city,city\nD1,Ada,Tarleton,Evanston,Reno\n';
    await expect(bring({ kind: 'csv', paths: [file('donors.csv', donors)] })).rejects.toThrow(
      'Two columns have the name city',
    );
  });

  it('is refused with births and gifts after its date, and with living people of a thousand years', async () => {
    const { file, import: bring, people } = openImporting();
    const donors = `id,first_name,last_name,birth,deceased
D1,Robertina,Oldenquist,2062,
D2,Ada,Tarleton,0962-01-01,
D3,Cleo,Tarleton,1862,yes
D4,Dora,Tarleton,2026,
`;
    const roles = `donor_id,kind,organization,start,amount
D4,gift,Lake View Food Bank,2091-01-01,500
`;
    const order = {
      kind: 'csv',
      paths: [file('donors.csv', donors)],
      roles: file('roles.csv', roles),
    } as const;
    const refusal = await bring(order).catch((error: Error) => error.message);
    expect(refusal).toMatch(/roles.csv:2: start is after 2026-11-22/);
    expect(refusal).toMatch(/donors.csv:2: birth is after[\s\S]*donors.csv:3: birth is 1064 years/);
    expect(refusal).not.toMatch(/donors.csv:[45]/);
    expect(people()).toEqual([]);
  });

  it('that does not fit on a full disk is refused with that reason', async () => {
    const { db, file, import: bring, people } = openImporting();
    const rows = Array.from({ length: 500 }, (_, row) => `D${row},Ada,Tarleton,${'x'.repeat(500)}`);
    const list = file('donors.csv', `id,first_name,last_name,bio\n${rows.join('\n')}\n`);
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 5}`);
    for (const isDryRun of [false, true]) {
      await expect(bring({ kind: 'csv', paths: [list], isDryRun })).rejects.toThrow('disk is full');
      expect(people()).toEqual([]);
    }
  });
});

it('a return with grants that no organisation can pay is left out', async () => {
  const { file, import: bring, people } = openImporting();
  const trustees = [{ name: 'ADA TARLETON', title: 'TRUSTEE' }];
  const path = file('f.xml', form990({ form: '990PF', grants: 1e20, people: trustees }));
  const { refused } = await bring({ kind: '990', paths: [path] });
  expect(refused.map(({ problem }) => problem)).toEqual([
    expect.stringContaining('grants paid is absurd'),
  ]);
  expect(people()).toEqual([]);
});
