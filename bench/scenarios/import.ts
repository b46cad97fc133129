/**
 * Imports tax returns into the service. The scenario measures the speed, and checks that the service contains each
 * person only once.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorld } from '../../people/world.ts';
import { openDatabase } from '../../service/database.ts';
import { importPeople } from '../../service/record/import.ts';
import { openRecord } from '../../service/record/store.ts';
import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';

export const importing: Scenario = {
  name: 'import',
  title: '1,500 tax returns: 500 organisations, three years, 8 people each',
  measure: async ({ seed } = {}) => measureImport(Number(seed ?? 20)),
};

const ORGANISATIONS = 500;
const SEATS = 8;
const YEARS = [2022, 2023, 2024];

async function measureImport(seed: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-import-'));
  const db = openDatabase(undefined);
  try {
    const seats = writeReturns(folder, seed);
    const order = { kind: '990', paths: [folder], clock: Date.now } as const;
    const rest = { roles: null, source: '', date: '', confidence: 1 };
    const begun = performance.now();
    const report = await importPeople(db, { ...order, ...rest });
    const seconds = (performance.now() - begun) / 1_000;
    db.exec('delete from record_imports');
    const again = await importPeople(db, { ...order, ...rest });
    const record = openRecord(db);
    const boards = Array.from({ length: record.count() }, (_, number) => {
      const posts = [...(record.donor(number)?.boards ?? [])];
      return new Set(posts.map(({ organisationId }) => organisationId)).size;
    });
    const joined = boards.filter((size) => size > 1).length;
    return [
      plain('returns a second', round(report.files / seconds), ''),
      plain('people of the returns', report.people, ''),
      exactly('returns refused', report.refused.length, '', 0),
      // If no board has two people with the same name, there are as many people as seats.
      atMost('people who are in it twice', round((report.added - seats) / seats), '', 0.01),
      exactly('people of two organisations, by name only', joined, '', 0),
      exactly('added when the same returns are imported again', again.added, '', 0),
      exactly('changed when the same returns are imported again', again.changed, '', 0),
    ];
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * Writes tax returns in which each person's name has a different form each year. A name contains the full middle name,
 * the initial or no middle name, or starts with the last name.
 */
function writeReturns(folder: string, seed: number): number {
  const world = createWorld({ seed, donors: ORGANISATIONS * SEATS });
  let seats = 0;
  for (let organisation = 0; organisation < ORGANISATIONS; organisation++) {
    const people = Array.from(
      { length: SEATS },
      (_, seat) => world.donor(organisation * SEATS + seat).name,
    );
    const known = new Map(people.map((name) => [`${name.first} ${name.last}`, name]));
    seats += known.size;
    for (const year of YEARS) {
      const written = [...known.values()].map(({ first, middle, last }) => {
        if (year === 2022) return `${first} ${last}`;
        if (year === 2023) return `${last}, ${first} ${middle?.slice(0, 1) ?? ''}`;
        return [first, middle, last].filter((part) => part !== null).join(' ');
      });
      const ein = String(990_000_000 + organisation);
      const file = join(folder, `${ein}-${year}.xml`);
      writeFileSync(file, returnOf({ ein, name: `BENCH FUND ${ein}`, year, people: written }));
    }
  }
  return seats;
}

interface Return {
  ein: string;
  name: string;
  year: number;
  people: readonly string[];
}

function returnOf({ ein, name, year, people }: Return): string {
  const groups = people.map(
    (person) => `<Form990PartVIISectionAGrp><PersonNm>${person.toUpperCase()}</PersonNm>
      <TitleTxt>DIRECTOR</TitleTxt><IndividualTrusteeOrDirectorInd>X</IndividualTrusteeOrDirectorInd>
      <ReportableCompFromOrgAmt>0</ReportableCompFromOrgAmt></Form990PartVIISectionAGrp>`,
  );
  return `<?xml version="1.0"?><Return xmlns="http://www.irs.gov/efile" returnVersion="${year}v5.0">
  <ReturnHeader><ReturnTs>${year + 1}-05-14T09:00:00-05:00</ReturnTs>
  <TaxPeriodEndDt>${year}-12-31</TaxPeriodEndDt><ReturnTypeCd>990</ReturnTypeCd>
  <TaxPeriodBeginDt>${year}-01-01</TaxPeriodBeginDt><Filer><EIN>${ein}</EIN>
  <BusinessName><BusinessNameLine1Txt>${name}</BusinessNameLine1Txt></BusinessName></Filer></ReturnHeader>
  <ReturnData><IRS990>${groups.join('\n')}</IRS990></ReturnData></Return>`;
}
