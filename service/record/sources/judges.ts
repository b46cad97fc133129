/**
 * Reads Article III judges from the data of the Federal Judicial Center (judges.csv of the Biographical Directory,
 * public domain). The file has one row per judge, with up to six appointments and several degrees in columns.
 */

import { basename } from 'node:path';
import { type Entry, entryOf, type NamedRole } from '../entry.ts';
import { ImportProblem } from '../problem.ts';
import { readCsv } from './csv-rows.ts';

const MOST_APPOINTMENTS = 6;
const MOST_DEGREES = 6;

const CONFIDENCE = { person: 0.98, degree: 0.7 };

/** The usual duration of degree courses. The file contains only the year of a degree. */
const YEARS_OF_LAW = 3;
const YEARS_OF_STUDY = 4;

type Row = Readonly<Record<string, string>>;

/** Reads the judges in a file. `today` is the date of the file. */
export async function* readJudges(file: string, today: string): AsyncGenerator<Entry> {
  for await (const { row, line, problem } of readCsv(file)) {
    if (problem !== null) throw new ImportProblem(basename(file), [`line ${line}: it ${problem}`]);
    const missing = NEEDED.filter((column) => row[column] === undefined);
    if (missing.length > 0) {
      throw new ImportProblem(basename(file), [
        `It lacks the columns ${missing.join(', ')}: judges.csv of the Federal Judicial Center has them.`,
      ]);
    }
    const entry = ofJudge(row, today);
    if (entry === null)
      throw new ImportProblem(basename(file), [`line ${line}: no nid, or no name`]);
    yield entry;
  }
}

const NEEDED = ['nid', 'First Name', 'Last Name', 'Court Name (1)', 'Commission Date (1)'];

function ofJudge(row: Row, today: string): Entry | null {
  const text = (column: string) => (row[column] ?? '').trim();
  const [nid, first, last] = [text('nid'), text('First Name'), text('Last Name')];
  if (nid === '' || first === '' || last === '') return null;
  const source = (confidence: number) => ({
    source: 'fjc',
    reference: `nid ${nid}`,
    date: today,
    confidence,
  });
  return entryOf({
    keys: [`fjc:${nid}`],
    name: {
      first,
      middle: text('Middle Name') || null,
      last,
      suffix: text('Suffix').replace('.', '') || null,
    },
    source: source(CONFIDENCE.person),
    born: dateOf(text('Birth Year'), text('Birth Month'), text('Birth Day')),
    isDeceased: text('Death Year') !== '',
    roles: [
      ...upTo(MOST_APPOINTMENTS).flatMap((number) =>
        appointment(row, number, today, source(CONFIDENCE.person)),
      ),
      ...upTo(MOST_DEGREES).flatMap((number) => degree(row, number, source(CONFIDENCE.degree))),
    ],
  });
}

function appointment(
  row: Row,
  number: number,
  today: string,
  source: NamedRole['source'],
): NamedRole[] {
  const text = (column: string) => (row[`${column} (${number})`] ?? '').trim();
  const name = text('Court Name');
  const starts = [text('Recess Appointment Date'), text('Commission Date')].map(isoDay);
  const start = starts.filter((day) => day !== '').toSorted()[0];
  if (name === '' || start === undefined) return [];
  const end = isoDay(text('Termination Date'));
  return [
    {
      side: 'work',
      organisation: { name, ein: null },
      title: text('Appointment Title') || 'Judge',
      start,
      end: end === '' || end > today ? null : end,
      body: 'court',
      isService: true,
      source,
    },
  ];
}

function degree(row: Row, number: number, source: NamedRole['source']): NamedRole[] {
  const text = (column: string) => (row[`${column} (${number})`] ?? '').trim();
  const [school, title, year] = [text('School'), text('Degree'), Number(text('Degree Year'))];
  if (school === '' || !(year > 1700)) return [];
  const isLaw = /LL|J\.?D/i.test(title);
  return [
    {
      side: 'education',
      organisation: { name: school, ein: null },
      title,
      start: `${year - (isLaw ? YEARS_OF_LAW : YEARS_OF_STUDY)}-09-01`,
      end: `${year}-06-30`,
      body: isLaw ? 'law_school' : 'school',
      source,
    },
  ];
}

/** Converts a date to the ISO form. The file contains dates in the forms 1994-02-14 and 02/14/1994. */
function isoDay(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return text.slice(0, 10);
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  return year === undefined ? '' : dateOf(year, month ?? '', day ?? '');
}

/** Returns the date, or only the year if the day is unknown. */
function dateOf(year: string, month: string, day: string): string {
  if (!/^\d{4}$/.test(year)) return '';
  const isWhole = /^\d{1,2}$/.test(month) && /^\d{1,2}$/.test(day);
  return isWhole ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : year;
}

function upTo(most: number): number[] {
  return Array.from({ length: most }, (_, index) => index + 1);
}
