import { describe, expect, it } from 'vitest';
import { form990 } from './form-990-file.ts';
import { fullName, openImporting } from './importing.ts';

describe('importing returns of the IRS', () => {
  it('makes people of officers, directors and employees, each with what they were and until when', async () => {
    const importing = openImporting();
    const file = importing.file(
      'one.xml',
      form990({
        form: '990',
        people: [
          { name: 'MARGUERITE Q OLDENQUIST', title: 'CHAIR' },
          {
            name: 'THADDEUS MCALLENBY JR',
            title: 'EXECUTIVE DIRECTOR',
            hours: 40,
            pay: 210_000,
            boxes: ['OfficerInd'],
          },
          { name: 'FORMER PERSON', title: 'DIRECTOR', boxes: ['FormerOfcrDirectorTrusteeInd'] },
          { name: 'SEE SCHEDULE O', title: '' },
          { name: 'NORTHERN TRUST BANK', title: 'TRUSTEE' },
        ],
      }),
    );
    const report = await importing.import({ kind: '990', paths: [file] });
    expect(report).toMatchObject({ files: 1, people: 2, added: 2, changed: 0, refused: [] });
    const [chair, director] = importing.people();
    expect(chair).toMatchObject({
      name: { first: 'Marguerite', middle: 'Q', last: 'Oldenquist' },
      work: [],
      boards: [
        {
          organisationName: 'Lake View Food Bank Inc',
          title: 'Chair',
          start: '2024-01-01',
          end: '2024-12-31',
          source: {
            source: 'irs-990',
            reference: 'Form 990, EIN 36-4400001, tax period 2024-01-01 to 2024-12-31',
            date: '2025-05-14',
            confidence: 0.9,
          },
        },
      ],
      capacity: { nonprofit: null },
    });
    expect(director).toMatchObject({
      name: { first: 'Thaddeus', middle: null, last: 'McAllenby' },
      suffix: 'Jr',
      boards: [],
      work: [{ title: 'Executive Director' }],
      capacity: { nonprofit: 52_000 },
      sources: { capacity: { confidence: 0.4 } },
    });
  });

  it.each(['990EZ', '990PF'] as const)('reads form %s', async (form) => {
    const importing = openImporting();
    const people = [
      { name: 'Becca Thistlewood', title: 'Trustee' },
      { name: 'ORVILLE STANDISHMORE', title: 'PROGRAM DIRECTOR', hours: 40, pay: 80_000 },
    ];
    const file = importing.file('one.xml', form990({ form, people, grants: 1_000_000 }));
    await importing.import({ kind: '990', paths: [file] });
    const [trustee, employee] = importing.people();
    expect(trustee).toMatchObject({
      name: { first: 'Becca', last: 'Thistlewood' },
      boards: [{ title: 'Trustee' }],
      addresses: [],
      capacity: { nonprofit: form === '990PF' ? 5_000_000 : null },
    });
    expect(employee).toMatchObject({
      name: { first: 'Orville', last: 'Standishmore' },
      work: [{ title: 'Program Director', body: 'nonprofit' }],
      boards: [],
      capacity: { nonprofit: 20_000 },
    });
  });

  it('joins the years of a person in an organisation, written with a middle name or without', async () => {
    const importing = openImporting();
    const years = [2022, 2023, 2024].map((year) =>
      importing.file(
        `${year}.xml`,
        form990({
          form: '990',
          year,
          people: [
            {
              name: year === 2024 ? 'OLDENQUIST, MARGUERITE QUILLA' : 'MARGUERITE OLDENQUIST',
              title: 'DIRECTOR',
            },
          ],
        }),
      ),
    );
    const report = await importing.import({ kind: '990', paths: years.toReversed() });
    expect(report).toMatchObject({ added: 1, changed: 2 });
    expect(importing.people()).toMatchObject([
      {
        name: { first: 'Marguerite', middle: 'Quilla', last: 'Oldenquist' },
        boards: [{ start: '2022-01-01', end: '2024-12-31' }],
      },
    ]);
  });

  it('keeps a father and a son of one return apart, and two of one name in different organisations', async () => {
    const importing = openImporting();
    const family = ['JOHN SMITH SR', 'JOHN SMITH JR', 'JOHN SMITH'];
    const people = family.map((name) => ({ name, title: 'DIRECTOR' }));
    const files = [
      importing.file('a.xml', form990({ form: '990', people })),
      importing.file(
        'b.xml',
        form990({
          form: '990',
          ein: '520000002',
          organisation: 'RIVER CONSERVANCY',
          people: people.slice(2),
        }),
      ),
    ];
    await importing.import({ kind: '990', paths: files });
    expect(importing.people()).toHaveLength(4);
  });

  it('takes two lodges whose numbers differ by a digit for two, and their namesakes as well', async () => {
    const importing = openImporting();
    const files = ['1234', '1235'].map((number) =>
      importing.file(
        `${number}.xml`,
        form990({
          form: '990',
          ein: `99000${number}`,
          organisation: `VETERANS POST ${number}`,
          people: [{ name: 'MARGUERITE OLDENQUIST', title: 'COMMANDER' }],
        }),
      ),
    );
    await importing.import({ kind: '990', paths: files });
    expect(importing.people()).toHaveLength(2);
  });

  it('adds no one when the same returns come again, under other names and with other spaces', async () => {
    const importing = openImporting();
    const text = form990({
      form: '990',
      people: Array.from({ length: 30 }, (_, index) => ({
        name: `PERSON${String.fromCharCode(65 + index)} Q OLDENQUIST`,
        title: 'DIRECTOR',
      })),
    });
    await importing.import({ kind: '990', paths: [importing.file('a.xml', text)] });
    const before = JSON.stringify(importing.people());
    const again = await importing.import({ kind: '990', paths: [importing.file('b.xml', text)] });
    expect(again).toMatchObject({ known: 1, people: 0 });
    const spaced = importing.file('c.xml', text.replaceAll('><', '>\n<'));
    expect(await importing.import({ kind: '990', paths: [spaced] })).toMatchObject({
      known: 0,
      people: 30,
      added: 0,
      changed: 0,
    });
    expect(JSON.stringify(importing.people())).toBe(before);
  });

  it('leaves broken, old and other returns of a folder out whole, says why, and takes the rest', async () => {
    const importing = openImporting();
    const people = [{ name: 'MARGUERITE OLDENQUIST', title: 'CHAIR' }];
    const whole = form990({ form: '990', people });
    importing.file('a.xml', whole.slice(0, -40));
    importing.file('b.xml', form990({ form: '990', people, version: '2010v3.2' }));
    importing.file('c.xml', whole.replace('>990<', '>990T<'));
    importing.file('d.xml', '<html><body>Not Found</body></html>');
    importing.file('e.xml', whole);
    importing.file('readme.txt', 'no XML');
    const report = await importing.import({ kind: '990', paths: [importing.folder] });
    expect(report).toMatchObject({ files: 5, added: 1 });
    expect(report.refused.map(({ file }) => file)).toEqual(['a.xml', 'b.xml', 'c.xml', 'd.xml']);
    expect(report.refused.map(({ problem }) => problem).join('\n')).toMatch(
      /not complete XML[\s\S]*schema before 2013[\s\S]*990T names no officers[\s\S]*not an e-filed return/,
    );
    expect(importing.people().map(fullName)).toEqual(['Marguerite Oldenquist']);
  });

  it('goes on where it was stopped, with the same people in the end', async () => {
    const whole = openImporting();
    const stopped = openImporting();
    for (const { file } of [whole, stopped]) {
      for (const year of [2021, 2022, 2023, 2024]) {
        const people = ['ADA OLDENQUIST', 'ADA B OLDENQUIST'].map((name) => ({
          name,
          title: 'CHAIR',
        }));
        file(`${year}.xml`, form990({ form: '990', year, people }));
      }
    }
    await whole.import({ kind: '990', paths: [whole.folder] });
    const stopAt = (at: number) => (_: string, index: number) => {
      if (index === at) throw new Error('killed');
    };
    for (const at of [1, 3]) {
      const order = { kind: '990', paths: [stopped.folder], progress: stopAt(at) } as const;
      await expect(stopped.import(order)).rejects.toThrow('killed');
    }
    await stopped.import({ kind: '990', paths: [stopped.folder] });
    expect(stopped.people()).toEqual(whole.people());
  });
});
