import type { ConnectorDeps, ContactsSettings } from '../contract.ts';
import type { CsvFiles } from './files.ts';
import type { CsvSettings } from './settings.ts';

/** The data that the tasks of an open connector share. */
export interface CsvSession {
  settings: CsvSettings;
  contacts: ContactsSettings;
  files: CsvFiles;
  /** The columns whose cells come from the output even if the input has them too. The set grows. */
  keptColumns: Set<string>;
  /**
   * The contacts that still exist according to donor-sync. If omitted, contacts that the input lacks are treated as
   * missing.
   */
  countAsPresent: ConnectorDeps['countAsPresent'];
  signal: ConnectorDeps['signal'];
}
