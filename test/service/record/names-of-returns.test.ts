import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findNameOrder, readPersonName } from '../../../service/record/sources/person-names.ts';
import { type AwkwardName, drawAwkwardNames, drawTurnedReturn } from './awkward-names.ts';
import { form990 } from './form-990-file.ts';
import { fullName, openImporting } from './importing.ts';

/** Names that were written together with the reader, not by someone who did not know it. */
const NAMES = `
JOHN FAIRWEATHER, PRESIDENT|John Fairweather
ANNE FAIRWEATHER, LCSW|Anne Fairweather
MARK FAIRLEIGH, DO|Mark Fairleigh
MARK FAIRLEIGH DO|Mark Fairleigh
SUE FAIRHOPE, MPH|Sue Fairhope
SUE FAIRHOPE MSW|Sue Fairhope
PAUL FAIRDALE, ESQUIRE|Paul Fairdale
PAUL FAIRDALE, M.DIV.|Paul Fairdale
RUTH FAIRVIEW, CHAIR|Ruth Fairview
RUTH FAIRVIEW (PARTIAL YEAR)|Ruth Fairview
BG (RET) ROY FAIRCHILD|Roy Fairchild
COL ROY FAIRCHILD RET|Roy Fairchild
DALE FAIRBANKS THRU 6/23|Dale Fairbanks
DALE FAIRBANKS (END 03/2023)|Dale Fairbanks
DALE FAIRBANKS END 03/2023|Dale Fairbanks
C/O RUTH A FAIRVIEW|Ruth A Fairview
C/O FAIRVIEW, RUTH A|Ruth A Fairview
MARGARET SEE|Margaret See
SEE, MARGARET A|Margaret A See
FAIRWEATHER, JOHN, PRESIDENT|John Fairweather
JOHN FAIRWEATHER JR, CPA|John Fairweather
ANH DO|Anh Do
DR. ANNE B. FAIRWEATHER PHD|Anne B. Fairweather
JOHN FAIRWEATHER, VICE PRESIDENT|John Fairweather
LUCY VAN DER BERG, RN, MSN|Lucy Van Der Berg
THE REV. PETER FAIRLIE, D.MIN.|Peter Fairlie
SR. DORIS M FAIRLIE|Doris M Fairlie
DENNIS R O BRIEN|Dennis R O'Brien
LISA GARCIA LOPEZ|Lisa Garcia Lopez
MARK DELA CRUZ|Mark Dela Cruz
MC ALLISTER, DIANE|Diane Mc Allister
DONG-HYUN CHANG BOARD MEMBER|Dong-Hyun Chang
RUTH FAIRVIEW, MEMBER AT LARGE|Ruth Fairview
RUTH FAIRVIEW SEE PART VII|Ruth Fairview
PAUL MARSHALL END DATE 6/30/23|Paul Marshall
DEAN FAIRVIEW, XYZQ|Dean Fairview
CW4 ANNE A FAIRLIE, USN|Anne A Fairlie
FAIRDALE JOHN C|John C Fairdale
ROBERT TRUST|Robert Trust
BERRY J FAIRDALE*|Berry J Fairdale
FAIRDALE, BERRY T.*|Berry T. Fairdale
FAIRDALE, BERRY†|Berry Fairdale
FAIRDALE, COL (RET) TONYA|Tonya Fairdale
FAIRDALE, MAJ GEN LINDA|Linda Fairdale
FAIRDALE, MAJOR T|Major T Fairdale
BISHOP J FAIRDALE|J Fairdale
JOYCE BETTY CHAIR|Joyce Betty Chair`
  .trim()
  .split('\n')
  .map((line) => line.split('|'));

describe('names of returns', () => {
  it.each(NAMES)('reads %s', (written = '', expected) => {
    const name = readPersonName(written);
    expect(name && fullName({ name })).toBe(expected);
  });

  it.each([
    ['ROSA M. DELGADO FAIRHOPE', 'Delgado Fairhope'],
    ['JOHN M. DELGADO', 'Delgado'],
    ['ROSA DELGADO FAIRHOPE', 'Fairhope'],
  ])(
    'takes two words behind an initial for last names if the first is Spanish: %s',
    (written, last) => {
      expect(readPersonName(written)?.last).toBe(last);
    },
  );

  it.each([
    ['BISHOP STEPHEN E.', 'Stephen E. Bishop'],
    ['PASTOR MICHAEL R., ED.D.', 'Michael R. Pastor'],
    ['BISHOP FAIRDALE STEPHEN E', 'Stephen E Fairdale'],
    ['MONTERO ORTIZ JUAN LUIS', 'Juan Luis Montero Ortiz'],
    ['FAIRDALE CRUZ M', 'Cruz M Fairdale'],
  ])('reads %s where last names come first', (written, expected) => {
    const name = readPersonName(written, 'last name first');
    expect(name && fullName({ name })).toBe(expected);
  });

  it.each([
    'SEE STATEMENT 1',
    'SEE ATTACHED',
    'VACANT',
    'FIRST NATIONAL BANK',
    'NONE',
    'TO BE DETERMINED',
    'OPEN SEAT',
    'MARY FAIRDALE TRUST',
  ])('knows that %s is no person', (written) => expect(readPersonName(written)).toBeNull());

  it.each([1, 2, 3])('are read right in at least 98 % of 200 awkward ones (%i)', (seed) => {
    const names = drawAwkwardNames(seed, 200);
    const wrong = names.filter(
      ({ written, right }) => comparable(readPersonName(written)) !== comparable(right),
    );
    expect(wrong.length).toBeLessThanOrEqual(4);
    expect(wrong.filter(({ written }) => readPersonName(written) === null)).toEqual([]);
  });

  it.each([
    ['names-by-a-stranger.csv', 367],
    ['names-by-another-stranger.csv', 400],
  ])('are read right in at least 98 % of the awkward ones of %s', (file, count) => {
    const rows = strangersRow
      .array()
      .parse(parse(readFileSync(join(import.meta.dirname, file), 'utf8'), { columns: true }));
    const awkward: { isRight: boolean; isLost: boolean }[] = [];
    for (const people of Map.groupBy(rows, (one) => one.return).values()) {
      const order = findNameOrder(people.map(({ written }) => written));
      for (const { written, awkward: isAwkward, ...right } of people) {
        const name = readPersonName(written, order);
        const isRight = comparable(name) === comparable(right.last === '' ? null : right);
        const isLost = name === null && !isRight && !/\btrust$/i.test(written);
        if (isAwkward === 'yes') awkward.push({ isRight, isLost });
      }
    }
    expect(awkward.length).toBe(count);
    expect(awkward.filter(({ isRight }) => isRight).length / count).toBeGreaterThanOrEqual(0.98);
    expect(awkward.filter(({ isLost }) => isLost)).toEqual([]);
  });

  it('are read last name first in a return that writes all of them so, and only there', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const names = drawTurnedReturn(seed, 12);
      const order = findNameOrder(names.map(({ written }) => written));
      expect(order).toBe('last name first');
      const wrong = names.filter(
        ({ written, right }) => comparable(readPersonName(written, order)) !== comparable(right),
      );
      expect(wrong).toEqual([]);
      const plain = drawAwkwardNames(seed, 12).map(({ written }) => written);
      expect(findNameOrder(plain)).toBe('first name first');
    }
  });

  it('are reported if they name no person', async () => {
    const importing = openImporting();
    const people = ['ADA OLDENQUIST', 'VACANT', 'FIRST NATIONAL BANK', 'OLDENQUIST'].map(
      (name) => ({
        ...{ name, title: 'DIRECTOR' },
      }),
    );
    const paths = [importing.file('a.xml', form990({ form: '990', people }))];
    const { unread } = await importing.import({ kind: '990', paths });
    expect(unread).toEqual({ count: 3, texts: ['VACANT', 'FIRST NATIONAL BANK', 'OLDENQUIST'] });
  });

  it('are read last name first where a return writes most of them so', async () => {
    const importing = openImporting();
    const names = ['JOHN C', 'MARY', 'ROBERT', 'LINDA', 'SUSAN B', 'PAUL'];
    const people = names.map((first, at) => ({
      name: `${['FAIRDALE', 'HOLLOWBY', 'QUILLFEATHER', 'OLDENQUIST', 'TARLETON', 'UMBERGATE'][at]} ${first}`,
      title: 'DIRECTOR',
    }));
    const paths = [importing.file('a.xml', form990({ form: '990', people }))];
    await importing.import({ kind: '990', paths });
    expect(importing.people().map(fullName).toSorted()).toEqual([
      'John C Fairdale',
      'Linda Oldenquist',
      'Mary Hollowby',
      'Paul Umbergate',
      'Robert Quillfeather',
      'Susan B Tarleton',
    ]);
  });
});

function comparable(name: AwkwardName['right']): string {
  if (name === null) return '';
  const { first, middle, last, suffix } = name;
  const parts = [first, middle ?? '', last, suffix ?? ''];
  return parts.join('|').toLowerCase().replaceAll('.', '').trim();
}

/**
 * Checks returns whose authors had seen neither the reader nor its tests. In the first return, some suffixes do not
 * belong to a name.
 */
const strangersRow = z.object({
  return: z.string(),
  awkward: z.string(),
  written: z.string(),
  first: z.string(),
  middle: z.string(),
  last: z.string(),
  suffix: z.string(),
});

describe('files of returns', () => {
  const people = [{ name: 'René Grünwälder', title: 'CHAIR' }];
  const inLatin = (encoding: string) =>
    form990({ form: '990', people }).replace('encoding="utf-8"', `encoding="${encoding}"`);

  it.each(['ISO-8859-1', 'windows-1252'])(
    'are read in %s, whatever their ending is',
    async (encoding) => {
      const importing = openImporting();
      writeFileSync(join(importing.folder, 'A.XML'), Buffer.from(inLatin(encoding), 'latin1'));
      await importing.import({ kind: '990', paths: [importing.folder] });
      expect(importing.people().map(fullName)).toEqual(['René Grünwälder']);
    },
  );

  it('are refused by name if they are not in the encoding that they claim, or broken, or name absurd amounts', async () => {
    const importing = openImporting();
    writeFileSync(join(importing.folder, 'a.xml'), Buffer.from(inLatin('utf-8'), 'latin1'));
    importing.file('b.xml', inLatin('klingon'));
    importing.file('c.xml', form990({ form: '990', people }).slice(0, -40));
    const rich = [{ name: 'ADA OLDENQUIST', title: 'CHAIR', pay: 500_000_000_000_000 }];
    importing.file('d.xml', form990({ form: '990', people: rich }));
    const { refused } = await importing.import({ kind: '990', paths: [importing.folder] });
    for (const [at, file] of ['a.xml', 'b.xml', 'c.xml', 'd.xml'].entries()) {
      expect(refused[at]?.problem).toContain(file);
    }
    expect(refused.map(({ problem }) => problem).join('\n')).toMatch(
      /not valid utf-8[\s\S]*klingon[\s\S]*not complete XML[\s\S]*person 1 of the return/,
    );
    expect(importing.people()).toEqual([]);
  });
});
