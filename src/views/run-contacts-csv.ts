import { stringify } from 'csv-stringify/sync';
import { guardFormula } from '../core/formula-guard.ts';
import type { RunContactView } from './run-contacts.ts';

const COLUMNS = ['Contact', 'Outcome', 'Reason', 'Why', 'Detail', 'At'];

/** The first line of the file. */
export const RUN_CONTACTS_HEADER = stringify([COLUMNS]);

/** Lines of contacts; no cell is a formula, which spreadsheets would run. */
export function runContactLines(contacts: readonly RunContactView[]): string {
  return stringify(
    contacts.map(({ crmId, outcome, reason, text, detail, at }) => [
      ...[crmId, outcome ?? '', reason, text, detail ?? '', at],
    ]),
    { cast: { string: guardFormula } },
  );
}
