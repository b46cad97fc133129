import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { fullName, openImporting } from './importing.ts';

const MEMBERS = [
  {
    id: { bioguide: 'O000901', thomas: '01990', govtrack: 400_901, fec: ['H2IL00001'] },
    name: { first: 'Marguerite', middle: 'Q.', last: 'Oldenquist', official_full: 'M. Oldenquist' },
    bio: { birthday: '1951-03-09', gender: 'F' },
    terms: [
      { type: 'rep', start: '2011-01-05', end: '2013-01-03', state: 'IL', district: 9, party: 'X' },
      { type: 'rep', start: '2013-01-03', end: '2015-01-03', state: 'IL', district: 9, party: 'X' },
      { type: 'sen', start: '2021-01-03', end: '2027-01-03', state: 'IL', class: 2, party: 'X' },
    ],
  },
  {
    id: { bioguide: 'M000902' },
    name: { first: 'Thaddeus', last: 'McAllenby', suffix: 'Jr.' },
    bio: { birthday: '1790-05-01', gender: 'M' },
    terms: [{ type: 'sen', start: '1831-12-05', end: '1837-03-03', state: 'OH' }],
  },
];

const FORMS = {
  yaml: stringify(MEMBERS),
  json: JSON.stringify(MEMBERS),
};

describe('importing members of Congress', () => {
  it.each(['yaml', 'json'] as const)(
    'reads %s as published: people and dated terms',
    async (form) => {
      const importing = openImporting();
      const file = importing.file(`legislators.${form}`, FORMS[form]);
      expect(await importing.import({ kind: 'legislators', paths: [file] })).toMatchObject({
        added: 2,
      });
      expect(importing.people()).toMatchObject([
        {
          name: { first: 'Marguerite', middle: 'Q.', last: 'Oldenquist' },
          birthday: '1951-03-09',
          work: [
            { organisationName: 'U.S. Senate', start: '2021-01-03', end: null, isService: true },
            {
              organisationName: 'U.S. House of Representatives',
              start: '2011-01-05',
              end: '2015-01-03',
            },
          ],
          bio: ['U.S. Senator from IL.'],
          sources: { name: { source: 'congress-legislators', reference: 'bioguide O000901' } },
        },
        { suffix: 'Jr', isDeceased: true, work: [{ title: 'Senator', end: '1837-03-03' }] },
      ]);
    },
  );

  it('reads the CSV form, which has no terms, and knows the same people in it', async () => {
    const importing = openImporting();
    const csv = `last_name,first_name,middle_name,suffix,birthday,gender,type,state,bioguide_id
Oldenquist,Marguerite,Q.,,1951-03-09,F,sen,IL,O000901
`;
    await importing.import({ kind: 'legislators', paths: [importing.file('a.csv', csv)] });
    const yaml = importing.file('a.yaml', FORMS.yaml);
    expect(await importing.import({ kind: 'legislators', paths: [yaml] })).toMatchObject({
      people: 2,
      added: 1,
      changed: 1,
    });
  });

  it.each([
    ['a.yaml', '- id: [', 'is not YAML'],
    ['a.yaml', 'members: all\n- id: x', 'is not YAML'],
    ['a.yaml', `${FORMS.yaml}- [\n`, 'is not YAML'],
    ['a.json', '[{', 'is not JSON'],
    ['a.json', '{"id": 1}', 'a list of members is expected'],
  ])('lets nothing in of %s that is no list: %j', async (name, text, problem) => {
    const importing = openImporting();
    const file = importing.file(name, text);
    await expect(importing.import({ kind: 'legislators', paths: [file] })).rejects.toThrow(problem);
    expect(importing.people()).toEqual([]);
  });

  it.each(['yaml', 'json', 'csv'])(
    'refuses a %s file that is not in UTF-8, instead of changing the names in it',
    async (extension) => {
      const importing = openImporting();
      const text = { ...FORMS, csv: 'bioguide_id,first_name,last_name\nO000901,Ren\xe9,Lee\n' };
      const file = importing.file(`latin.${extension}`, '');
      const latin = (text[extension as keyof typeof text] ?? '').replace('Marguerite', 'Ren\xe9e');
      writeFileSync(file, Buffer.from(latin, 'latin1'));
      await expect(importing.import({ kind: 'legislators', paths: [file] })).rejects.toThrow(
        /latin\.\w+ was not imported[\s\S]*not valid utf-8/,
      );
      expect(importing.people()).toEqual([]);
    },
  );

  it('lets nothing in of a file with a member that makes no sense, and names it', async () => {
    const importing = openImporting();
    const file = importing.file('a.yaml', stringify([MEMBERS[0], { id: {}, name: {}, terms: [] }]));
    await expect(importing.import({ kind: 'legislators', paths: [file] })).rejects.toThrow(
      /a\.yaml was not imported[\s\S]*member 2[\s\S]*bioguide/,
    );
    expect(importing.people()).toEqual([]);
  });
});

const JUDGES = `nid,jid,Last Name,First Name,Middle Name,Suffix,Birth Month,Birth Day,Birth Year,Death Month,Death Day,Death Year,Gender,Court Type (1),Court Name (1),Appointment Title (1),Recess Appointment Date (1),Commission Date (1),Termination,Termination Date (1),Court Name (2),Commission Date (2),School (1),Degree (1),Degree Year (1)
1390001,1,Oldenquist,Marguerite,Quilla, ,3,9,1951, , , ,Female,U.S. District Court,U.S. District Court for the Northern District of Illinois,Judge, ,1994-02-14,Retirement,2009-06-30,U.S. Court of Appeals for the Seventh Circuit,07/01/2009,Tillery College School of Law,J.D.,1976
1390002,2,Standishmore,Orville, ,II, , ,1801, , ,1871,Male,U.S. District Court,U.S. District Court for the District of Ohio,Judge, ,1841-02-14,Death,1871-01-30, , , , ,
`;

describe('importing federal judges', () => {
  it('reads appointments, degrees, births and deaths as the Federal Judicial Center publishes them', async () => {
    const importing = openImporting();
    await importing.import({ kind: 'judges', paths: [importing.file('judges.csv', JUDGES)] });
    expect(importing.people()).toMatchObject([
      {
        birthday: '1951-03-09',
        work: [
          { organisationName: 'U.S. Court of Appeals for the Seventh Circuit', end: null },
          { start: '1994-02-14', end: '2009-06-30', body: 'court', isService: true },
        ],
        education: [{ start: '1973-09-01', end: '1976-06-30', source: { confidence: 0.7 } }],
      },
      { birthYear: 1801, isDeceased: true, suffix: 'II' },
    ]);
  });

  it('makes one person of a judge who was a member of Congress before, by name and day of birth', async () => {
    const importing = openImporting();
    await importing.import({ kind: 'judges', paths: [importing.file('judges.csv', JUDGES)] });
    const yaml = importing.file('a.yaml', FORMS.yaml);
    expect(await importing.import({ kind: 'legislators', paths: [yaml] })).toMatchObject({
      added: 1,
      changed: 1,
    });
    const [judge] = importing.people();
    expect(judge && fullName(judge)).toBe('Marguerite Quilla Oldenquist');
    expect(judge?.work.map(({ organisationName }) => organisationName)).toEqual([
      'U.S. Senate',
      'U.S. Court of Appeals for the Seventh Circuit',
      'U.S. House of Representatives',
      'U.S. District Court for the Northern District of Illinois',
    ]);
  });

  it('names the columns that another file of judges lacks', async () => {
    const importing = openImporting();
    const file = importing.file('judges.csv', 'Judge,Title\nA,B\n');
    await expect(importing.import({ kind: 'judges', paths: [file] })).rejects.toThrow(
      /lacks the columns nid, First Name/,
    );
  });
});
