/** A client with a CSV file. On some nights, rows are missing from the file. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { CliWorld, CliWorldOptions } from '../../../helpers/cli.ts';
import { holdsSchema, runsSchema } from '../documents.ts';

export type Row = Record<string, string>;
type Report = z.infer<typeof runsSchema>['runs'][number];

/** The product writes values into a copy of the file, or into the file itself. */
export const LAYOUTS = ['a separate output', 'the file itself'] as const;
export type Layout = (typeof LAYOUTS)[number];

export interface ShortFile {
  here: CliWorld;
  /** The contacts' rows as a different program exports them. They do not contain our values. */
  exported: readonly Row[];
  /** The rows of the output after the first sync, by id. */
  paid: ReadonlyMap<string, Row>;
  /** The ids of the contacts that the service knows, in the order of the file. */
  donors: readonly string[];
  /** The ID of the first run. */
  run: string;
  /** The credits spent in the first sync, minus refunds. */
  credits: number;
  /** Returns the rows of the output, by ID. */
  output(): Promise<Map<string, Row>>;
  sync(...options: string[]): Promise<{ exitCode: number | null; report: Report | undefined }>;
  /** Approves or rejects the only open decision. Returns the number of contacts in it. */
  answer(word: 'approve' | 'reject'): Promise<number>;
  /** Replaces the exported file with these rows. */
  export(rows: readonly Row[]): Promise<void>;
}

/** Opens a client whose file can become shorter, and syncs its complete file once. */
export async function openShortFile(
  open: (options: CliWorldOptions) => Promise<CliWorld>,
  {
    layout = LAYOUTS[0],
    prepare = (rows) => rows,
    ...options
  }: CliWorldOptions & {
    layout?: Layout;
    /** Adds further columns to the export. */
    prepare?: (rows: readonly Row[]) => readonly Row[];
  } = {},
): Promise<ShortFile> {
  const here = await open({ people: 300, ...options });
  const isSeparate = layout === 'a separate output';
  if (isSeparate) {
    await editSettings(here, 'path: riverside.csv', 'path: riverside.csv\n      output: out.csv');
  }
  await here.saveRows(prepare(await here.rows()));
  const exported = await here.rows();
  const name = isSeparate ? 'out.csv' : 'riverside.csv';
  const output = async () => byId(await here.rows(name));
  const first = await sync();
  expect(first).toMatchObject({ exitCode: 0, report: { status: 'succeeded' } });
  const paid = await output();
  const donors = [...paid].flatMap(([id, row]) => (row['Donor ID'] ? id : []));
  await expectRightDonors(here, paid);
  return {
    ...{ here, exported, paid, donors, output, sync },
    run: first.report?.id ?? '',
    credits: await here.spent(),
    async answer(word) {
      const { batches } = await here.runJson(['holds'], holdsSchema);
      expect(batches).toMatchObject([{ kind: 'contacts_missing' }]);
      const [batch] = batches;
      const { exitCode } = await here.run(['holds', word, '--batch', batch?.id ?? '']);
      expect(exitCode).toBe(0);
      return batch?.count ?? 0;
    },
    export: (rows) => here.saveRows(rows),
  };

  async function sync(...options: string[]) {
    const { exitCode, stdout, stderr } = await here.run(['sync', '--json', ...options]);
    if (!stdout.startsWith('{')) throw new Error(`exit code ${exitCode}: ${stdout}${stderr}`);
    return { exitCode, report: runsSchema.parse(JSON.parse(stdout)).runs[0] };
  }
}

export async function editSettings(here: CliWorld, from: string, to: string): Promise<void> {
  const path = here.path('donor-sync.yaml');
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

/** Expects this result of a run that opens a decision about missing contacts. */
export const ASKED = {
  exitCode: 3,
  report: { status: 'incomplete', reason: { code: 'contacts_missing' } },
};

/** Expects this result of a run that opens no decision. */
export const WELL = { exitCode: 0, report: { status: 'succeeded', reason: null } };

/**
 * Expects that every contact has all paid values, that no decision is open, and that no further credits were spent.
 */
export async function expectAllOf(file: ShortFile, but: readonly string[] = []): Promise<void> {
  const { here, paid, credits } = file;
  const rows = await file.output();
  for (const id of but) expect([id, rows.get(id)?.['Donor ID'] ?? '']).toEqual([id, '']);
  const left = (all: ReadonlyMap<string, Row>) =>
    [...all].filter(([id]) => !but.includes(id)).sort(([one], [other]) => (one < other ? -1 : 1));
  expect(left(rows)).toEqual(left(paid));
  expect(await here.spent()).toBe(credits);
  expect((await here.runJson(['holds'], holdsSchema)).batches).toEqual([]);
}

/** Expects that these contacts still have their rows in any place in the output. */
export async function expectRows(file: ShortFile, ids: Iterable<string>): Promise<void> {
  const rows = await file.output();
  for (const id of ids) expect([id, rows.get(id)]).toEqual([id, file.paid.get(id)]);
}

export function idsOf(rows: readonly Row[]): string[] {
  return rows.map(({ Id = '' }) => Id);
}

/** Expects the right donor in each row, according to the service itself. */
async function expectRightDonors(here: CliWorld, rows: ReadonlyMap<string, Row>): Promise<void> {
  const response = await fetch(`${here.service.rootUrl}/_sandbox/people?limit=${rows.size}`);
  const people: unknown = await response.json();
  const text = JSON.stringify(people);
  let known = 0;
  for (const row of rows.values()) {
    const donor = row['Donor ID'];
    if (!donor) continue;
    known += 1;
    expect(text).toContain(donor);
  }
  expect(known).toBeGreaterThan(rows.size * 0.6);
}

function byId(rows: readonly Row[]): Map<string, Row> {
  const all = new Map(rows.map((row) => [row['Id'] ?? '', row]));
  expect(all.size).toBe(rows.length);
  return all;
}
