import { describe, expect, it } from 'vitest';
import { openReviews } from '../../../service/record/reviews.ts';
import { form990 } from './form-990-file.ts';
import { openImporting } from './importing.ts';
import { aFamily, listOf, type Row } from './list-of-families.ts';

describe('a list with an id for each of its people', () => {
  it('with new ids is the same list if someone says so', async () => {
    const importing = openImporting();
    const rows = Array.from({ length: 20 }, (_, number) => aFamily(number)).flat();
    const renamed = rows.map(([id, person]): Row => [`N${id}`, person]);
    await importing.import({ kind: 'csv', paths: [importing.file('a.csv', listOf(rows))] });
    const paths = [importing.file('b.csv', listOf(renamed))];
    await expect(importing.import({ kind: 'csv', paths })).rejects.toThrow('new ids');
    expect(importing.people()).toHaveLength(120);
    const changed = { sameUnderOtherIds: 'ids changed' } as const;
    await importing.import({ kind: 'csv', paths, ...changed });
    expect(
      importing
        .people()
        .slice(120)
        .map(({ name }) => name),
    ).toEqual([]);
  });

  it('stops with rows without ids, and under a renamed source joins only who agrees in two kinds', async () => {
    const importing = openImporting();
    const rows = aFamily(1);
    const nameless = rows.map(([, person]): Row => ['', person]);
    const noIds = [importing.file('no-ids.csv', listOf(nameless))];
    await expect(importing.import({ kind: 'csv', paths: noIds })).rejects.toThrow('id');
    const paths = [importing.file('a.csv', listOf(rows))];
    await importing.import({ kind: 'csv', paths, source: 'before' });
    const report = await importing.import({ kind: 'csv', paths, source: 'after' });
    // Four people have a home and a date of birth. Jack and Zack have a home but no date of birth.
    expect(report).toMatchObject({ added: 2, toReview: 2 });
  });

  it('lists two rows of two lists with the same home and day of birth for review if only the middle initial differs', async () => {
    const importing = openImporting();
    const listWith = (initial: string) =>
      listOf([
        ['P', `Marguerite,${initial},Oldenquist,,1951-09-08,12 Elm Street,Evanston,IL,60201`],
      ]);
    const [before, after] = ['Q', 'R'].map((initial) =>
      importing.file(`${initial}.csv`, listWith(initial)),
    );
    await importing.import({ kind: 'csv', paths: [before ?? ''], source: 'before' });
    const order = { kind: 'csv', paths: [after ?? ''], source: 'after' } as const;
    expect(await importing.import(order)).toMatchObject({ added: 1, toReview: 1 });
  });

  it.each([
    [
      'one has a suffix, and no birth shows who is meant',
      'Steve,Terry,Maynard,,,12 Elm Street,Evanston,IL,60201',
      'Steve,,Maynard,Jr,1996-01-15,12 Elm Street,Evanston,IL,60201',
      ['Desert Architects', 'Desert Architects'],
    ],
    [
      'the names are those of twins',
      'Kathryn,,McDonald,,1994-06-05,12 Elm Street,Evanston,IL,60201',
      'Catherine,,McDonald,,1994-06-05,12 Elm Street,Evanston,IL,60201',
      ['Danforth Mills', 'Bellwether Hospital'],
    ],
    [
      'the names of twins are short for a third name',
      'Cindy,,Atkinson,,1938-01-17,12 Elm Street,Evanston,IL,60201',
      'Lucy,,Atkinson,,1938-01-17,12 Elm Street,Evanston,IL,60201',
      ['Trident Consulting', 'Keystone Construction'],
    ],
  ])('lists two rows of two lists for review if %s', async (_, before, after, employers) => {
    const importing = openImporting();
    const reports = [];
    for (const [at, row] of [before, after].entries()) {
      const roles = `donor_id,kind,organization,start\nP,work,${employers[at]},2019-01-01\n`;
      const order = {
        paths: [importing.file(`${at}.csv`, listOf([['P', row]]))],
        roles: importing.file(`roles${at}.csv`, roles),
      };
      reports.push(await importing.import({ kind: 'csv', source: `list${at}`, ...order }));
    }
    expect(reports[1]).toMatchObject({ added: 1, toReview: 1 });
  });

  it('lists two rows of one name for review of which nothing else is known', async () => {
    const importing = openImporting();
    const rows = [
      'A,Marguerite,Q,Oldenquist',
      'B,Marguerite,Q,Oldenquist',
      'C,Marguerite,R,Oldenquist',
    ];
    const text = `id,first_name,middle_name,last_name\n${rows.join('\n')}\n`;
    const report = await importing.import({ kind: 'csv', paths: [importing.file('a.csv', text)] });
    expect(report).toMatchObject({ added: 3, toReview: 1 });
    expect(openReviews(importing.db).list()).toMatchObject([{ one: 0, other: 1 }]);
  });

  it('knows no day of birth that more than 1 % of it bear', async () => {
    const importing = openImporting();
    const rows = Array.from(
      { length: 40 },
      (_, number): Row => [
        `D${number}`,
        `Maria,,Garcia,,1980-01-01,${number} Oak Street,Evanston,IL,60201`,
      ],
    );
    const one = importing.file('one.csv', listOf(rows));
    await importing.import({ kind: 'csv', paths: [one], source: 'one' });
    const other = importing.file('other.csv', listOf(rows));
    expect(await importing.import({ kind: 'csv', paths: [other], source: 'other' })).toMatchObject({
      added: 40,
    });
  });
});

describe('returns of two years', () => {
  it('keep people of one foundation apart who differ in an initial or a given name', async () => {
    const importing = openImporting();
    const people = (...names: string[]) => names.map((name) => ({ name, title: 'TRUSTEE' }));
    const year = (year: number, ...names: string[]) =>
      importing.file(`${year}.xml`, form990({ form: '990', year, people: people(...names) }));
    const paths = [
      year(2021, 'JOHN A ABERNATHY', 'ROBERT ABERNATHY', 'ANDREW ABERNATHY', 'EDITH ABERNATHY'),
      year(2022, 'JOHN B ABERNATHY', 'ROBERTA ABERNATHY', 'ANDREA ABERNATHY', 'EDITH ABERNATHY'),
    ];
    await importing.import({ kind: '990', paths });
    expect(importing.people()).toHaveLength(7);
  });
});
