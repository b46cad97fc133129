import type { AboutRemoteCrm, SignIn } from '../../../../../connectors/about.ts';
import type { ColumnLine } from '../../../../clients/setup/column-list.ts';
import type { CsvHeader } from '../../../../clients/setup/csv-header.ts';
import type { FieldMapping } from '../../../../core/field-map.ts';

export interface Answers {
  id: string;
  name: string;
  /** The schedule, or null if the client is synced only on request. */
  schedule: { cron: string; timezone: string } | null;
  partner: PartnerAnswers;
  /** The limits. Null means no limit. */
  budget: { perRun: number | null; perMonth: number | null };
  crm: CsvAnswers | RemoteAnswers;
  variableFor: VariableFor;
}

export interface PartnerAnswers {
  /** A URL, or a variable such as `${NAME}`. */
  url: string;
  keyVariable: string;
  /** The service key, or null if the user sets the variable. */
  key: string | null;
}

/**
 * Returns the variable for a secret. If another integration already uses the usual variable, a different variable is
 * chosen.
 */
export type VariableFor = (name: string) => string;

export interface CsvAnswers {
  kind: 'csv';
  /** The path of the file, relative to the folder in which the command runs. */
  path: string;
  /** The path of the result file. Null if the results replace the file at `path`. */
  output: string | null;
  encoding: CsvHeader['encoding'];
  /** The sheet of a workbook. Null for the first sheet with a table, and for text files. */
  sheet: string | null;
  badRows: 'stop' | 'skip';
  columns: {
    id: string;
    names: NameColumns;
    addresses: readonly string[];
    employers: readonly string[];
  };
  marks: MarkColumns;
  /** Advice about exports of this product, or null. */
  advice: string | null;
  /** The field map. Set if the file already has columns with donor-sync's names. Null for the connector's field map. */
  fields: readonly FieldMapping[] | null;
  /** Every column of the file, with its meaning for donor-sync. */
  fileColumns: readonly ColumnLine[];
  /** Notes about renamed fields, and about values that may be marks. */
  notes: readonly string[];
}

/** The columns with names. The first and the last name never come from the same column. */
export type NameColumns = { firstName: string; lastName: string } | { fullName: string };

/** The columns with marks. donor-sync never sends marked contacts. Null if there is no such column. */
export interface MarkColumns {
  optOut: string | null;
  deceased: string | null;
  doNotContact: string | null;
}

/** The answers for a CRM that is reached over the network. */
export interface RemoteAnswers {
  kind: 'remote';
  about: AboutRemoteCrm;
  url: string;
  signIn: SignIn;
  optOut: string | null;
  contactMarks: string | null;
}

/** The data on which the questions depend, without the options. */
export interface Surroundings {
  cwd: string;
  timezone: string;
  /** True if the environment or the `.env` file contains a value for the variable. */
  isSet(variable: string): boolean;
  /** Reads the key from the file of `--partner-key-file`. "-" means stdin. */
  readKey(path: string): Promise<string>;
  /** The settings in the existing file. Null for a new file. */
  present: PresentSettings | null;
  /**
   * Finds the connector package. Returns null for a built-in kind. Throws a ConfigurationError if the package is
   * missing or does not support the set-up.
   */
  findPackage(kind: string | undefined): Promise<AboutRemoteCrm | null>;
  /** Finds the field map for a kind of CRM. */
  defaultFields(kind: string): Promise<readonly FieldMapping[]>;
  /** Returns the columns that earlier syncs wrote with the previous settings. */
  writtenBefore(csvPath: string): Promise<ReadonlySet<string>>;
}

export interface PresentSettings {
  ids: ReadonlySet<string>;
  variables: ReadonlySet<string>;
  /** The first integration's service, as written in the file. */
  partner: { url: string; keyVariable: string } | null;
}
