import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { toPlainText } from '../../../../connectors/csv/sources/source.ts';
import { missingParts } from '../../../../connectors/findings/missing-parts.ts';
import { guessColumns } from '../../../../src/clients/setup/csv-columns.ts';
import { type CsvHeader, readCsvHeader } from '../../../../src/clients/setup/csv-header.ts';
import { noStreetNote } from '../../../../src/clients/setup/guess-address.ts';
import { idNotes } from '../../../../src/clients/setup/guess-id.ts';
import { onlyWholeNameNote } from '../../../../src/clients/setup/guess-names.ts';
import {
  MARKS,
  markHints,
  missingMarksNote,
  remarkNotes,
} from '../../../../src/clients/setup/mark-fields.ts';
import { toArray } from '../../../connectors/connector-options.ts';
import { openCsvFolder } from '../../../connectors/csv-folder.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/csv/layouts');

/**
 * Files in the layouts that other products export, and the correct result for each file. See the README in their
 * folder.
 */
const answersSchema = z.array(
  z.object({
    file: z.string(),
    product: z.string(),
    source: z.string(),
    encoding: z.string(),
    delimiter: z.string().nullable(),
    sheet: z.string().nullable(),
    rows: z.number(),
    id: z.string().nullable(),
    names: z.object({
      first: z.string().nullable(),
      last: z.string().nullable(),
      full: z.string().nullable(),
    }),
    address: z.array(z.string()),
    employers: z.array(z.string()),
    marks: z.object({
      deceased: z.string().nullable(),
      deceasedMeans: z.array(z.string()),
      doNotContact: z.string().nullable(),
      doNotContactMeans: z.array(z.string()),
      optOut: z.string().nullable(),
      optOutMeans: z.array(z.string()),
    }),
    reachable: z.number(),
  }),
);
type Answer = z.infer<typeof answersSchema>[number];

const ANSWERS = answersSchema.parse(
  JSON.parse(await readFile(join(FOLDER, 'answers.json'), 'utf8')),
);

const WITHOUT_STREET = new Set(['40-klubbadmin-medlemmer-no.csv', '74-klubbadmin-medlemmer.xlsx']);

/** The expected messages about rows without a distinct ID. */
const UNREADABLE = new Map([
  [
    '68-openpetra-partners.csv',
    'In 3 of the first 32 rows "PartnerKey" is blank: these rows cannot be read.',
  ],
]);

/** The column of IDs that a user adds to a file that has none. */
const ADDED_ID = 'Added id';

describe('files as other products export them', () => {
  it.each(ANSWERS)('$file ($product)', async (answer) => {
    const header = await read(answer.file);
    const guess = guessColumns(header.columns, header.sample);
    const { first, last, full } = answer.names;
    const hasParts = first !== null && last !== null;
    expect(guess).toMatchObject({
      id: answer.id,
      firstName: hasParts ? first : null,
      lastName: hasParts ? last : null,
      fullName: hasParts ? null : full,
      addresses: answer.address,
      employers: answer.employers,
    });
    const missing = missingParts(guess).map(({ part }) => part);
    expect(missing).toEqual([
      ...(answer.address.length === 0 ? ['address'] : []),
      ...(answer.employers.length === 0 ? ['employer'] : []),
    ]);
    const idNote = idNotes(header, guess.id).join();
    if (answer.id === null)
      expect(idNote).toMatch(/^No column seems to hold an ID for each contact/);
    else expect(idNote).toBe(UNREADABLE.get(answer.file) ?? '');
    expect(missingMarksNote(header, guess).join()).toBe(missingMarks(answer));
    // In two of these files, some addresses have no street.
    const hasNote = noStreetNote(guess.addresses, header.sample).length > 0;
    expect(hasNote).toBe(WITHOUT_STREET.has(answer.file));
    expect(header.sample).toHaveLength(answer.rows);
    expect(await reachable(answer, header)).toBe(answer.reachable);
  });
});

describe('what such files lack, in words', () => {
  it('a column of ids that repeats a value is named', async () => {
    const header = await read('48-stripe-card-export.csv');
    expect(idNotes(header, guessColumns(header.columns, header.sample).id)).toEqual([
      expect.stringMatching(
        /In 2 of the first 32 rows "ID" repeats the value of an earlier row\.$/,
      ),
    ]);
  });

  it('rows that have their name in another column are counted', async () => {
    const header = await read('47-donortools-donors.csv');
    const guess = guessColumns(header.columns, header.sample);
    expect(onlyWholeNameNote(header, guess)).toEqual([
      'In 7 of the first 31 rows, only "Whole Name" has a name. These contacts are not sent while "First Name" and "Last Name" are blank.',
    ]);
  });

  it.each([
    ['Can Contact', true],
    ['Kontakt erlaubt', true],
    ['Autoriza contacto', true],
    ['May not contact', false],
    ['Can contact by e-mail', false],
    ['Allow site contact', false],
    ['Contact Type', false],
  ])('a no in "%s" marks contacts that want no contact: %s', (column, isHinted) => {
    const sample = ['No', 'Yes', 'Yes'].map((word) => new Map([[column, word]]));
    const none = { optOut: null, deceased: null, doNotContact: null };
    expect(markHints({ columns: [column], sample }, none)).toHaveLength(isHinted ? 1 : 0);
  });

  it('remarks of which each is another text are named by their words', () => {
    const columns = ['Id', 'Notes'];
    const texts = ['Passed away in May, says Ann', 'Likes jazz', 'décédée le 3 mars', 'Calls at 5'];
    const sample = Array.from({ length: 40 }, (_, at) => {
      return new Map([
        ['Id', `${at}`],
        ['Notes', texts[at] ?? `Text number ${at}`],
      ]);
    });
    const none = { optOut: null, deceased: null, doNotContact: null };
    expect(remarkNotes({ columns, sample }, none)).toEqual([
      '"Notes" seems to mention deceased contacts in 2 rows ("Passed away", "décédée"). Remove these rows from the file, or mark them in a column. Otherwise these contacts are sent.',
    ]);
    expect(remarkNotes({ columns, sample }, { ...none, deceased: 'Notes' })).toEqual([]);
  });
});

const MARKED = {
  optOut: 'contacts that have opted out',
  deceased: 'deceased contacts',
  doNotContact: 'contacts that must not be contacted',
} as const;

/** Returns the message that `init` prints if the file does not contain some marks. */
function missingMarks({ marks }: Answer): string {
  const missing = MARKS.flatMap(({ kind }) => (marks[kind] === null ? MARKED[kind] : []));
  if (missing.length === 0) return '';
  const last = missing.pop();
  const listed =
    missing.length === 0 ? '' : `${missing.join(', ')}${missing.length > 1 ? ',' : ''} or `;
  return `No column of the file marks ${listed}${last}: if there are any, they are sent like all others, at one credit each.`;
}

async function read(file: string): Promise<CsvHeader> {
  const header = await readCsvHeader(file, FOLDER);
  if ('problem' in header) throw new Error(header.problem);
  return header;
}

/** Counts the contacts that a run could send if the connector reads the file with the guessed columns. */
async function reachable(answer: Answer, header: CsvHeader): Promise<number> {
  const folder = await openCsvFolder();
  onTestFinished(() => folder.close());
  const content = await readFile(join(FOLDER, answer.file));
  await folder.write('in.csv', answer.id === null ? await withIds(answer, content) : content);
  const { firstName, lastName, fullName, id, ...parts } = guessColumns(
    header.columns,
    header.sample,
  );
  const connector = await folder.connector({
    settings: {
      output: folder.path('out.csv'),
      encoding: answer.id === null ? 'utf-8' : header.encoding,
      badRows: idNotes(header, answer.id ?? ADDED_ID).length === 0 ? 'stop' : 'skip',
      columns: {
        id: id ?? ADDED_ID,
        ...(fullName === null
          ? { firstName: firstName ?? '', lastName: lastName ?? '' }
          : { fullName }),
        ...{ addresses: parts.addresses, employers: parts.employers },
      },
    },
    contacts: markSettings(answer, header, parts),
  });
  const pages = await toArray(connector.readPages(null));
  await connector.close();
  return pages
    .flatMap(({ contacts }) => contacts)
    .filter(({ firstName: given, lastName: family }) => given !== null && family !== null)
    .filter(({ optedOut, excluded }) => !optedOut && excluded == null).length;
}

/** Returns the file in UTF-8 with an added column of IDs. */
async function withIds({ encoding, delimiter, sheet }: Answer, file: Buffer): Promise<Buffer> {
  const isText = encoding !== 'xlsx';
  const content = isText ? file : await toPlainText('The file', file, { sheet });
  const [head = '', ...rows] = new TextDecoder(isText ? encoding.replace(/-bom$/, '') : 'utf-8')
    .decode(content)
    .replace('\uFEFF', '')
    // Splits at line breaks, except inside quotes.
    .split(/\r?\n(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const separator = delimiter ?? ',';
  const lines = rows.filter((row) => row !== '').map((row, at) => `${at + 1}${separator}${row}`);
  return Buffer.from(`${[`${ADDED_ID}${separator}${head}`, ...lines].join('\r\n')}\r\n`);
}

/** Returns settings for the marks. They contain the guesses, and the values that the hints tell a user to list. */
function markSettings(
  { marks }: Answer,
  { columns, sample }: CsvHeader,
  chosen: Pick<ReturnType<typeof guessColumns>, 'optOut' | 'deceased' | 'doNotContact'>,
) {
  const hints = markHints({ columns, sample }, chosen);
  const lines = MARKS.map(({ kind, setting, list }) => {
    const column = marks[kind];
    const meant = marks[`${kind}Means`];
    const hinted = hints.filter((hint) => hint.includes(`contacts.${setting}`));
    if (column === null || chosen[kind] === column) {
      expect({ kind, chosen: chosen[kind], hinted }).toEqual({ kind, chosen: column, hinted: [] });
      return { settings: column === null ? {} : { [setting]: column }, unmarked: {} };
    }
    expect({ kind, chosen: chosen[kind], hints: hinted.length }).toEqual({
      ...{ kind, chosen: null, hints: 1 },
    });
    const [hint = ''] = hinted;
    expect(hint.startsWith(`"${column}" `)).toBe(true);
    for (const value of meant) expect(hint).toContain(`"${value}"`);
    const values = new Set(sample.map((row) => row.get(column)?.trim() ?? ''));
    const others = [...values].filter((value) => value !== '' && !meant.includes(value));
    return { settings: { [setting]: column, [list]: meant }, unmarked: { [kind]: others } };
  });
  return {
    ...Object.assign({}, ...lines.map(({ settings }) => settings)),
    unmarkedValues: Object.assign({}, ...lines.map(({ unmarked }) => unmarked)),
  };
}
