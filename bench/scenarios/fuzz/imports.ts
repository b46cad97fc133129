/** The edges for the tax returns and lists that an operator imports into the service. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../service/database.ts';
import { ImportProblem } from '../../../service/record/problem.ts';
import { readCsvDonors } from '../../../service/record/sources/csv.ts';
import { readForm990 } from '../../../service/record/sources/form-990.ts';
import { readJudges } from '../../../service/record/sources/judges.ts';
import { readLegislators } from '../../../service/record/sources/legislators.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { form990 } from '../../../test/service/record/form-990-file.ts';
import { type Edge, requireThat } from './edge.ts';

const PEOPLE = ['ADA MARLOWE', 'BO OHARA JR'].map((name) => ({ name, title: 'TRUSTEE' }));
const DAY = '2026-11-22';
const OPTIONS = { roles: null, source: 'board-book', date: DAY, confidence: 0.8 };

const DONORS = 'id,first_name,last_name\n1,Ada,Marlowe\n2,Bo,"O""Hara"\n3,Cy,Lund\n';
const JUDGES =
  'nid,First Name,Last Name,Court Name (1),Commission Date (1)\n7,Ada,Marlowe,"Court, East",1999-02-03\n';
const LEGISLATORS = `- id: {bioguide: M000001}
  name: {first: Ada, last: Marlowe}
  bio: {birthday: "1950-01-02"}
  terms: [{type: sen, start: "2001-01-03", end: "2007-01-03", state: IL}]
`;

async function* entriesOfReturn(file: string) {
  yield* (await readForm990(file)).entries;
}

export async function openImportEdge(): Promise<Edge> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-fuzz-'));
  const db = openDatabase(undefined);
  const file = join(folder, 'input');
  const returns = (['990', '990EZ', '990PF'] as const).map((form) =>
    form990({ form, people: PEOPLE }),
  );
  const ways = [
    { texts: returns, read: () => entriesOfReturn(file) },
    { texts: [DONORS], read: () => readCsvDonors(db, file, OPTIONS) },
    { texts: [JUDGES], read: () => readJudges(file, DAY) },
    { texts: [LEGISLATORS], read: () => readLegislators(file, DAY) },
  ];
  return {
    name: 'imports of the service',
    share: 15,
    examples: ways.flatMap(({ texts }) => texts),
    async read({ bytes, isExample, random }) {
      await writeFile(file, bytes);
      const text = bytes.toString('utf8');
      const way = isExample ? ways.find(({ texts }) => texts.includes(text)) : random.one(ways);
      let people = 0;
      for await (const { name } of way === undefined ? [] : refusing(way.read())) {
        requireThat(name.first !== '' || name.last !== '', 'a person without a name');
        people += 1;
      }
      if (!isExample) return;
      const expected = text === DONORS ? 3 : returns.includes(text) ? PEOPLE.length : 1;
      requireThat(people === expected, `${people} people of ${expected} are in`);
    },
    async close() {
      db.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Converts a problem in the file to a refusal, as `importPeople` does. Any other error is a defect in our code. */
async function* refusing<Item>(entries: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* entries;
  } catch (error) {
    const isXml = error instanceof Error && /\nLine: \d+/.test(error.message);
    if (!isXml && !(error instanceof ImportProblem)) throw error;
    throw new ConfigurationError(error.message, { code: 'import_refused', cause: error });
  }
}
