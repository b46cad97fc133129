import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPersonName } from '../../../service/record/sources/spelling.ts';
import { form990 } from './form-990-file.ts';
import { fullName, openImporting } from './importing.ts';

/** Written together with the reader, not by a stranger to it. */
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
MARGARET SEE|Margaret See
SEE, MARGARET A|Margaret A See
FAIRWEATHER, JOHN, PRESIDENT|John Fairweather
JOHN FAIRWEATHER JR, CPA|John Fairweather
ANH DO|Anh Do
DR. ANNE B. FAIRWEATHER PHD|Anne B. Fairweather
JOHN FAIRWEATHER, VICE PRESIDENT|John Fairweather
LUCY VAN DER BERG, RN, MSN|Lucy Van Der Berg
THE REV. PETER FAIRLIE, D.MIN.|Peter Fairlie`
  .trim()
  .split('\n')
  .map((line) => line.split('|'));

describe('names of returns', () => {
  it.each(NAMES)('reads %s', (written = '', expected) => {
    const name = readPersonName(written);
    expect(name && fullName({ name })).toBe(expected);
  });

  it.each(['SEE STATEMENT 1', 'SEE ATTACHED', 'VACANT', 'FIRST NATIONAL BANK', 'NONE'])(
    'knows that %s is no person',
    (written) => expect(readPersonName(written)).toBeNull(),
  );

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
      /not valid utf-8[\s\S]*klingon[\s\S]*no whole XML[\s\S]*person 1 of the return/,
    );
    expect(importing.people()).toEqual([]);
  });
});
