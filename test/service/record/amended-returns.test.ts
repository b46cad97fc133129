import { describe, expect, it } from 'vitest';
import { verify } from '../../../service/operation/file.ts';
import { type FiledPerson, form990 } from './form-990-file.ts';
import { fullName, openImporting } from './importing.ts';

const clock = () => Date.parse('2026-11-22T12:00:00Z');

const person = (name: string, title = 'DIRECTOR'): FiledPerson => ({ name, title });

const FORMER = form990({
  ...{ form: '990', year: 2022 },
  people: [person('MARGUERITE OLDENQUIST'), person('THADDEUS MCALLENBY')],
});
const ORIGINAL = form990({
  form: '990',
  people: [
    person('MARGUERITE OLDENQUIST'),
    person('THADDEUS MCALLENBY'),
    person('ADA QUILLFEATHER', 'SECRETARY'),
  ],
});
const amended = (people: FiledPerson[], filed = '2025-09-01') =>
  form990({ form: '990', isAmended: true, filed, people });
const AMENDED = amended([person('MARGUERITE R OLDENQUIST'), person('ADA QUILLFEATHER', 'CHAIR')]);

async function bring(texts: readonly string[]) {
  const importing = openImporting();
  const paths = texts.map((text, index) => importing.file(`return${index}.xml`, text));
  await importing.import({ kind: '990', paths });
  return importing;
}

async function rolesAfter(...texts: string[]) {
  const { db, people } = await bring(texts);
  expect(verify(db, clock)).toEqual([]);
  const roles = people().map((donor): [string, string[]] => [
    fullName(donor),
    donor.boards.map(({ title, start, end }) => `${title} ${start} ${end}`),
  ]);
  return Object.fromEntries(roles);
}

describe('an amended return', () => {
  it.each([
    ['after the one that it amends', [FORMER, ORIGINAL, AMENDED]],
    ['before the one that it amends', [FORMER, AMENDED, ORIGINAL]],
    ['first of all', [AMENDED, ORIGINAL, FORMER]],
  ])('%s ends what it takes back, and leaves the people', async (_, texts) => {
    expect(await rolesAfter(...texts)).toEqual({
      'Marguerite R Oldenquist': [
        'Director 2024-01-01 2024-12-31',
        'Director 2022-01-01 2022-12-31',
      ],
      'Thaddeus McAllenby': ['Director 2022-01-01 2022-12-31'],
      'Ada Quillfeather': ['Chair 2024-01-01 2024-12-31'],
    });
  });

  it('of figures alone takes nobody out', async () => {
    expect(await rolesAfter(ORIGINAL, amended([]))).toMatchObject({
      'Thaddeus McAllenby': ['Director 2024-01-01 2024-12-31'],
    });
  });

  it('is amended by a later one, in whichever order they come', async () => {
    const last = amended([person('THADDEUS MCALLENBY', 'CHAIR')], '2025-12-01');
    const expected = {
      'Thaddeus McAllenby': ['Chair 2024-01-01 2024-12-31'],
      'Ada Quillfeather': [],
    };
    expect(await rolesAfter(ORIGINAL, AMENDED, last)).toMatchObject(expected);
    expect(await rolesAfter(last, AMENDED, ORIGINAL)).toMatchObject(expected);
  });

  it('of another period changes nothing', async () => {
    const other = form990({
      form: '990',
      isAmended: true,
      year: 2023,
      people: [person('ADA QUILLFEATHER')],
    });
    expect(await rolesAfter(ORIGINAL, other)).toMatchObject({
      'Thaddeus McAllenby': ['Director 2024-01-01 2024-12-31'],
    });
  });
});
