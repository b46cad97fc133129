import { DonorSyncError, messageOf } from '../../src/core/errors.ts';
import type { Finding } from '../contract.ts';
import { type CsvFiles, openFiles } from './files.ts';
import type { CsvSettings } from './settings.ts';

/** Looks at the files as `prepare` does and says what it finds. */
export async function check(
  settings: CsvSettings,
  contacts: { filter: string | null; optOutField: string | null },
): Promise<Finding[]> {
  const findings = contacts.filter === null ? [] : [filterFinding()];
  try {
    const files = await openFiles(settings, contacts.optOutField);
    try {
      return [...findings, ...(await describe(files))];
    } finally {
      await files.close();
    }
  } catch (error) {
    return [...findings, unusable(settings, error)];
  }
}

/** Why `contacts.filter` cannot be used here. */
export const NO_FILTER =
  'A CSV file has no filter language: remove contacts.filter from the settings, and leave the ' +
  'rows out of the file or name a column in contacts.optOutField.';

function filterFinding(): Finding {
  const message = 'contacts.filter is set, but a CSV file has no filter language';
  return { subject: 'contacts', ok: false, message, mend: NO_FILTER };
}

async function describe({ withTables, paths, journal }: CsvFiles): Promise<Finding[]> {
  const rowCount = await withTables(async ({ input }) => input.rowCount);
  const findings = [
    met('input', `${paths.input} has ${rowCount} contacts and every column that is needed`),
    met('output', `${paths.output} can be replaced`),
  ];
  if (journal.pending === 0) return findings;
  const message = `changes that wait in ${journal.path} will be in the output after the next sync`;
  return [...findings, met('journal', message)];
}

function met(subject: string, message: string): Finding {
  return { subject, ok: true, message, mend: null };
}

function unusable(settings: CsvSettings, error: unknown): Finding {
  const isOurs = error instanceof DonorSyncError;
  return {
    subject: 'files',
    ok: false,
    message: messageOf(error),
    mend: isOurs
      ? `Mend ${settings.path} or the crm part of the settings as the message says.`
      : 'Look at the message; if it does not help, report it with the version of donor-sync.',
  };
}
