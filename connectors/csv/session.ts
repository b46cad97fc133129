import type { ConnectorDeps, ContactsSettings } from '../contract.ts';
import type { CsvFiles } from './files.ts';
import type { CsvSettings } from './settings.ts';

/** The data that belongs to an open connector. */
export interface CsvSession {
  settings: CsvSettings;
  contacts: ContactsSettings;
  files: CsvFiles;
  /**
   * The columns whose cells come from the output, even if the input also has these columns. donor-sync adds columns to
   * the set during the run.
   */
  keptColumns: Set<string>;
  /**
   * Returns the contacts that still exist according to donor-sync. If the function is omitted, donor-sync treats
   * contacts that are not in the input as missing.
   */
  countAsPresent: ConnectorDeps['countAsPresent'];
  signal: ConnectorDeps['signal'];
}
