/** The answers from which a settings file is written. */
import type { AboutRemoteCrm, SignIn } from '../../../../../connectors/about.ts';
import type { ColumnLine } from '../../../../clients/setup/column-list.ts';
import type { CsvHeader } from '../../../../clients/setup/csv-header.ts';
import type { FieldMapping } from '../../../../core/field-map.ts';

export interface Answers {
  id: string;
  name: string;
  /** The schedule, or null if the client runs only on request. */
  schedule: { cron: string; timezone: string } | null;
  partner: PartnerAnswers;
  /** Credits, or null for no limit. */
  budget: { perRun: number | null; perMonth: number | null };
  crm: CsvAnswers | RemoteAnswers;
  variableFor: VariableFor;
}

export interface PartnerAnswers {
  /** A URL or a `${NAME}`. */
  url: string;
  /** The variable from which the settings read the service key. */
  keyVariable: string;
  /** The key itself, for a file next to the settings, or null if the variable is set in another way. */
  key: string | null;
}

/** Chooses the variable for a secret. Another integration may already use the usual one. */
export type VariableFor = (name: string) => string;

export interface CsvAnswers {
  kind: 'csv';
  /** Relative to the command's folder. */
  path: string;
  /** Null if `path` itself is replaced. */
  output: string | null;
  encoding: CsvHeader['encoding'];
  /** A workbook's sheet. Null for the first sheet with a table, and for text files. */
  sheet: string | null;
  badRows: 'stop' | 'skip';
  columns: {
    id: string;
    names: NameColumns;
    addresses: readonly string[];
    employers: readonly string[];
  };
  marks: MarkColumns;
  /** Advice for the user about this kind of export, or null if there is none. */
  advice: string | null;
  /** The field map, if the file already has other columns with our names. Null for the connector's map. */
  fields: readonly FieldMapping[] | null;
  /** Every column of the file with its use. */
  fileColumns: readonly ColumnLine[];
  /** Notes about our fields that were renamed for this reason, and about unused values that may mark contacts. */
  notes: readonly string[];
}

/** The columns of names. One column never serves for both parts. */
export type NameColumns = { firstName: string; lastName: string } | { fullName: string };

/** The columns that mark contacts who are never sent. Null if there are none. */
export interface MarkColumns {
  optOut: string | null;
  deceased: string | null;
  doNotContact: string | null;
}

/** The answers about a CRM that is reached over the network. */
export interface RemoteAnswers {
  kind: 'remote';
  about: AboutRemoteCrm;
  url: string;
  signIn: SignIn;
  /** The field that marks contacts who must not be enhanced, or null if there is none. */
  optOut: string | null;
  /** The answer about marks for mail and calls, or null if the CRM declares none. */
  contactMarks: string | null;
}

/** The facts, in addition to the options, on which the questions depend. */
export interface Surroundings {
  cwd: string;
  timezone: string;
  /** True if the variable already has a value, in the environment or in the file next to the settings. */
  isSet(variable: string): boolean;
  /** Reads the file given with `--partner-key-file`. "-" is stdin. */
  readKey(path: string): Promise<string>;
  /** The settings that are already in the file, or null for a new file. */
  present: PresentSettings | null;
  /**
   * Loads a connector package and returns its set-up's questions, or null for a built-in kind. Throws a
   * ConfigurationError if there is no such package, or if it declares no set-up.
   */
  findPackage(kind: string | undefined): Promise<AboutRemoteCrm | null>;
  /** Finds the field map for a kind of CRM. */
  defaultFields(kind: string): Promise<readonly FieldMapping[]>;
  /** Finds the columns that the previous settings file writes into this file. Returns none if there is no such file. */
  writtenBefore(csvPath: string): Promise<ReadonlySet<string>>;
}

/** The settings of a file before an integration is added to it. */
export interface PresentSettings {
  ids: ReadonlySet<string>;
  /** The variables that the file refers to. */
  variables: ReadonlySet<string>;
  /** The service of the first integration, as written in the file. */
  partner: { url: string; keyVariable: string } | null;
}
