import type { ConnectorDeps, ContactsSettings } from '../contract.ts';
import type { CsvFiles } from './files.ts';
import type { CsvSettings } from './settings.ts';

/** What the jobs of a connector share while it is open. */
export interface CsvSession {
  settings: CsvSettings;
  contacts: ContactsSettings;
  files: CsvFiles;
  /** The columns whose cells are the output's even if the input has them too; it grows. */
  keptColumns: Set<string>;
  /** Which contacts donor-sync still counts as present; left out: none that the input lacks. */
  countAsPresent: ConnectorDeps['countAsPresent'];
  signal: ConnectorDeps['signal'];
}
