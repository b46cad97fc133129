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
  /** Null for no limit. */
  budget: { perRun: number | null; perMonth: number | null };
  crm: CsvAnswers | RemoteAnswers;
  variableFor: VariableFor;
}

export interface PartnerAnswers {
  /** A URL, or a variable such as `${NAME}`. */
  url: string;
  keyVariable: string;
  /** Null if the user sets the variable. */
  key: string | null;
}

/** Another integration may use the usual variable. So a different one may be chosen. */
export type VariableFor = (name: string) => string;

export interface CsvAnswers {
  kind: 'csv';
  /** The path of the file, relative to the command's folder. */
  path: string;
  /** Null if `path` itself is replaced. */
  output: string | null;
  encoding: CsvHeader['encoding'];
  /** Null for the first sheet with a table, and for text. A workbook's sheet. */
  sheet: string | null;
  badRows: 'stop' | 'skip';
  columns: {
    id: string;
    names: NameColumns;
    addresses: readonly string[];
    employers: readonly string[];
  };
  marks: MarkColumns;
  /** Advice about this kind of export, or null. */
  advice: string | null;
  /** Used if the file already has columns with our names. Null for the connector's map. */
  fields: readonly FieldMapping[] | null;
  /** Every column of the file with its use. */
  fileColumns: readonly ColumnLine[];
  /** Notes about renamed fields and about values that may mark contacts. */
  notes: readonly string[];
}

/** Both parts never come from the same column. */
export type NameColumns = { firstName: string; lastName: string } | { fullName: string };

/** Marked contacts are never sent. Null without such a column. */
export interface MarkColumns {
  optOut: string | null;
  deceased: string | null;
  doNotContact: string | null;
}

/** For a CRM on the network. */
export interface RemoteAnswers {
  kind: 'remote';
  about: AboutRemoteCrm;
  url: string;
  signIn: SignIn;
  optOut: string | null;
  contactMarks: string | null;
}

/** The facts that determine the questions. They do not include the options. */
export interface Surroundings {
  cwd: string;
  timezone: string;
  /** True if the environment or the variables file has a value. */
  isSet(variable: string): boolean;
  /** From the file of `--partner-key-file`. "-" is stdin. */
  readKey(path: string): Promise<string>;
  /** Null for a new file. */
  present: PresentSettings | null;
  /** Null for a built-in kind. Throws a ConfigurationError if the package is missing or declares no set-up. */
  findPackage(kind: string | undefined): Promise<AboutRemoteCrm | null>;
  /** Finds the field map for a kind of CRM. */
  defaultFields(kind: string): Promise<readonly FieldMapping[]>;
  /** Columns that earlier syncs of the previous settings have written. */
  writtenBefore(csvPath: string): Promise<ReadonlySet<string>>;
}

export interface PresentSettings {
  ids: ReadonlySet<string>;
  variables: ReadonlySet<string>;
  /** The service of the first integration, as written in the file. */
  partner: { url: string; keyVariable: string } | null;
}
