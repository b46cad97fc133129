import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openReviews } from '../../../service/record/reviews.ts';
import { form990 } from './form-990-file.ts';
import { fullName, openImporting } from './importing.ts';

const DONORS = `id,first_name,middle_name,last_name,suffix,birth,deceased,street,city,state,postal_code,net_worth_low,net_worth_high,capacity,bio
D1,Marguerite,Q,Oldenquist,,1951-03-09,,12 Elm Street,Evanston,IL,60201,1000000,5000000,250000,"Paints, and sails"
D2,Thaddeus,,McAllenby,Jr.,1960,yes,,,,,,,,
`;
const ROLES = `donor_id,kind,organization,ein,title,start,end,amount
D1,board,Lake View Food Bank,36-4400001,Chair,2019-01-01,,
D1,work,Halvorsen Energy,,Engineer,1980-05-01,2016-12-31,
D1,education,Tillery College,,B.A.,1969-09-01,1973-06-30,
D2,gift,Lake View Food Bank,36-4400001,,2020-04-01,,500
`;

describe('importing CSV files', () => {
  it('takes donors with their roles and gifts, each with source, date and confidence', async () => {
    const importing = openImporting();
    await importing.import({
      kind: 'csv',
      paths: [importing.file('donors.csv', DONORS)],
      roles: importing.file('roles.csv', ROLES),
    });
    const source = { source: 'board-book', date: '2026-11-22', confidence: 0.8 };
    expect(importing.people()).toMatchObject([
      {
        birthYear: 1951,
        birthday: '1951-03-09',
        addresses: [{ street: '12 Elm Street', postalCode: '60201' }],
        netWorth: { low: 1_000_000, high: 5_000_000 },
        capacity: { nonprofit: 250_000 },
        bio: ['Paints, and sails'],
        boards: [{ organisationName: 'Lake View Food Bank', end: null, source }],
        work: [{ title: 'Engineer', end: '2016-12-31', source }],
        education: [{ title: 'B.A.' }],
        sources: { name: { ...source, reference: 'id D1' }, netWorth: source, address: source },
      },
      { isDeceased: true, suffix: 'Jr', gifts: [{ amount: 500, date: '2020-04-01', source }] },
    ]);
  });

  it('names every line that is wrong in either file, and lets nothing in', async () => {
    const importing = openImporting();
    const donors = `${DONORS}D1,Another,,Person,,,,,,,,,,,
D3,,,Nameless,,31.12.1970,perhaps,,,Illinois,ABC,5,,much,
`;
    const roles = `${ROLES}D9,board,Nowhere,,Chair,2019-01-01,,
D1,gift,Lake View Food Bank,12,,2019-02-30,,
D2,board,Lake View Food Bank,,Chair,2019-01-01,2018-01-01,
`;
    const order = {
      kind: 'csv' as const,
      paths: [importing.file('donors.csv', donors)],
      roles: importing.file('roles.csv', roles),
    };
    const error = await importing.import(order).catch(String);
    expect(error).toMatchInlineSnapshot(`
      "ImportProblem: donors.csv was not imported. No part of the file was imported:
      roles.csv:7: ein is not an EIN: write 12-3456789; start is not a date: write 2026-11-22; amount is empty: a gift needs an amount, and its date in start
      roles.csv:8: end is before start
      donors.csv:4: id is that of a line above
      donors.csv:5: first_name is empty; birth is neither a date (1960-03-09) nor a year (1960); deceased is neither yes nor no; state is not two capital letters; postal_code is not a ZIP code; capacity is not a whole number of dollars: write 250000
      roles.csv:6: donor_id is that of no donor"
    `);
    expect(importing.people()).toEqual([]);
    importing.file('donors.csv', DONORS);
    importing.file('roles.csv', ROLES);
    expect(await importing.import(order)).toMatchObject({ added: 2 });
  });

  it('names columns that it does not know, and files that are no CSV', async () => {
    const importing = openImporting();
    const paths = [importing.file('donors.csv', 'id,first_name,last_name,shoe_size\n1,A,B,43\n')];
    await expect(importing.import({ kind: 'csv', paths })).rejects.toThrow(
      /columns shoe_size are not known. Known: id, first_name/,
    );
    importing.file('donors.csv', 'id,first_name,last_name\n1,"A,B\n');
    await expect(importing.import({ kind: 'csv', paths })).rejects.toThrow(/Quote Not Closed/);
    expect(importing.people()).toEqual([]);
  });

  it('knows a person of two collections by two of address, organisation and day of birth, and lists the others for review', async () => {
    const importing = openImporting();
    const header = 'id,first_name,last_name,birth,street,city,state,postal_code\n';
    const first = importing.file(
      'first.csv',
      `${header}1,Ada,Oldenquist,1948-05-06,12 Elm Street,Evanston,IL,60201
2,Bert,Oldenquist,1950-02-03,,,,
3,Cleo,Oldenquist,,,,,
4,Dora,Oldenquist,,,,,
`,
    );
    const roles = importing.file(
      'roles.csv',
      'donor_id,kind,organization,title,start\n3,board,Lake View Food Bank,Chair,2019-01-01\n',
    );
    await importing.import({ kind: 'csv', paths: [first], roles });
    const second = importing.file(
      'second.csv',
      `${header}A,Ada,Oldenquist,1948-05-06,"12 Elm St.",Evanston,IL,60201
B,Bert,Oldenquist,1950-02-03,,,,
D,Dora,Oldenquist,1961,,,,
`,
    );
    await importing.import({ kind: 'csv', paths: [second], source: 'another' });
    const people = [{ name: 'CLEO OLDENQUIST', title: 'CHAIR' }];
    const filing = importing.file('filing.xml', form990({ form: '990', people }));
    expect(await importing.import({ kind: '990', paths: [filing] })).toMatchObject({ toReview: 1 });
    expect(importing.people().map(fullName)).toEqual([
      'Ada Oldenquist',
      'Bert Oldenquist',
      'Cleo Oldenquist',
      'Dora Oldenquist',
      'Bert Oldenquist',
      'Dora Oldenquist',
      'Cleo Oldenquist',
    ]);
    expect(openReviews(importing.db).list()).toMatchObject([
      { one: 2, other: 6 },
      { one: 1, other: 4, reasons: expect.arrayContaining(['The day of birth is the same']) },
    ]);
  });

  it('refuses a file that is not in UTF-8, by its name, instead of changing the names in it', async () => {
    const importing = openImporting();
    const path = importing.file('latin.csv', '');
    writeFileSync(path, Buffer.from('id,first_name,last_name\nA1,Ren\xe9,Oldenquist\n', 'latin1'));
    await expect(importing.import({ kind: 'csv', paths: [path] })).rejects.toThrow(
      /latin\.csv was not imported[\s\S]*not valid utf-8/,
    );
    expect(importing.people()).toEqual([]);
  });
});
