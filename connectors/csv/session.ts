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
   * The contacts that donor-sync still counts as present. If omitted, contacts that the input lacks do not
   * count as present.
   */
  countAsPresent: ConnectorDeps['countAsPresent'];
  signal: ConnectorDeps['signal'];
}
