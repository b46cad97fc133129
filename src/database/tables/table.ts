/**
 * Defines how a table is declared: its columns, and the answers to questions that apply to every table. A table that
 * lacks an answer does not compile. A column with a contact's ID needs further answers.
 */
import type { Generated } from 'kysely';
import type { Retention } from '../../core/retention.ts';

/** A column of a table. */
export interface Column<Value = unknown, Says extends Meaning = Meaning> {
  readonly kind: 'text' | 'integer' | 'bigint';
  readonly isNullable: boolean;
  /** True if the database sets its value, so a row can be added without it. */
  readonly hasDefault: boolean;
  readonly says: Says;
  /** Exists only in the types, never at runtime. */
  readonly $value?: Value;
}

/** The meaning of a column's value, and the person that it is about. */
export type Meaning =
  /** It contains no data about a person: states, counts, times and our own IDs. */
  | { readonly is: 'operational' }
  /** Data about a person: a fingerprint, a state, or an ID that identifies nobody without the key. */
  | { readonly is: 'personal' }
  | ContactIdMeaning
  | DonorMeaning
  | SealedMeaning;

/** The ID of a contact, in clear text. */
export interface ContactIdMeaning extends ContactIdAnswers {
  readonly is: 'contact id';
}

/** The effect on a row when something happens to the contact that it names. */
export interface ContactIdAnswers {
  /**
   * What `forget` does: it deletes the whole row, which belongs to the contact, or `erase-rows.ts` handles this place.
   */
  readonly forget: 'row' | 'otherwise';
  /** The part of the `about` output that shows it. */
  readonly about: string;
  /**
   * Whether the row is deleted once the contact has been gone from the CRM for `retention.removedContacts` days, or why
   * it is kept.
   */
  readonly whenRemoved: 'deleted' | { readonly kept: string };
}

/** The ID of a donor, or a keyed fingerprint of it. */
export interface DonorMeaning {
  readonly is: 'donor';
  readonly form: 'id' | 'fingerprint';
  /**
   * The donor that the ID identifies: the donor of the row's contact, its introducer, a network's member, or an erased
   * donor.
   */
  readonly of: 'contact' | 'introducer' | 'member' | 'erased';
}

/** Encrypted text. Empty or null if there is none. */
export interface SealedMeaning {
  readonly is: 'sealed';
  /**
   * The key that decrypts it. Data that is encrypted with the secret key is encrypted again when that key is
   * replaced.
   */
  readonly with: 'secret key' | 'key of the audit' | 'key of the row';
  /** The columns to whose values it is bound. They never change during the life of the row. */
  readonly boundTo: readonly [string, ...string[]];
}

/** The declarations that every table must make. */
export interface TableAnswers<Name extends string = string> {
  /** The primary key. */
  readonly key: readonly [Name, ...Name[]];
  readonly whenClientErased: WhenClientErased;
  readonly exported: Exported<Name>;
  /** The setting that decides how long the rows, or the personal data in them, are kept. Null if there is none. */
  readonly retention: keyof Retention | null;
}

/** The effect of erasing a whole client on a table's rows. */
export type WhenClientErased =
  /** Deleted before all other rows, because they start or request work. */
  | 'deleted first'
  | 'deleted'
  | 'deleted with its run'
  | 'deleted with its contact'
  | 'deleted with its network'
  /** The data about the client is cleared, and the rows are kept. */
  | 'cleared'
  /** The rows are kept, and the receipt of the erasure reports their number. */
  | 'counted'
  | 'not of a client';

/** The part of a client's rows that is exported, or the reason why nothing is exported. */
export type Exported<Name extends string = string> =
  | {
      /** The file's name. */
      readonly as: string;
      /**
       * In the order of the file. Our fingerprints, secrets and keys are left out, because they are of no use
       * elsewhere.
       */
      readonly columns: readonly [Name, ...Name[]];
      /** Columns that sort and identify the rows, if the primary key does not. */
      readonly sortedBy?: readonly [Name, ...Name[]];
      /** Only rows with a value in this column. If omitted, all rows. */
      readonly onlyWith?: Name;
    }
  | { readonly not: string };

export interface Table<
  Columns extends ColumnsOfTable = ColumnsOfTable,
  Answers extends TableAnswers = TableAnswers,
> {
  readonly answers: Answers;
  readonly columns: Columns;
}

export type ColumnsOfTable = Readonly<Record<string, Column>>;

/** A row as Kysely reads and writes it. */
export type RowOf<Declared extends Table> = {
  -readonly [Name in keyof Declared['columns']]: Declared['columns'][Name] extends Column<
    infer Value
  >
    ? Value
    : never;
};

export function table<
  const Columns extends ColumnsOfTable,
  const Answers extends TableAnswers<keyof Columns & string>,
>(answers: Answers, columns: Columns): Table<Columns, Answers> {
  return { answers, columns };
}

const OPERATIONAL = { is: 'operational' } as const;
const PERSONAL = { is: 'personal' } as const;
type Operational = typeof OPERATIONAL;

export function text<Value extends string = string>(): Column<Value, Operational> {
  return column('text', OPERATIONAL);
}

/** Returns a column for a number that stays small, such as a count, or 0 and 1. */
export function integer(): Column<number, Operational> {
  return column('integer', OPERATIONAL);
}

/** Returns a number that can be large, such as an instant or a balance. */
export function bigint(): Column<number, Operational> {
  return column('bigint', OPERATIONAL);
}

export function nullable<Value, Says extends Meaning>(
  of: Column<Value, Says>,
): Column<Value | null, Says> {
  return { kind: of.kind, says: of.says, isNullable: true, hasDefault: of.hasDefault };
}

export function withDefault<Value, Says extends Meaning>(
  of: Column<Value, Says>,
): Column<Generated<Value>, Says> {
  return { kind: of.kind, says: of.says, isNullable: of.isNullable, hasDefault: true };
}

/** Returns the column as a column with personal data. */
export function personal<Value>(of: Column<Value>): Column<Value, typeof PERSONAL> {
  return {
    kind: of.kind,
    says: PERSONAL,
    isNullable: of.isNullable,
    hasDefault: of.hasDefault,
  };
}

export function contactId<const Answers extends ContactIdAnswers>(
  answers: Answers,
): Column<string, Answers & { readonly is: 'contact id' }> {
  return column('text', { ...answers, is: 'contact id' });
}

export function donorId<const Of extends DonorMeaning['of']>(
  of: Of,
): Column<string, { readonly is: 'donor'; readonly form: 'id'; readonly of: Of }> {
  return column('text', { is: 'donor', form: 'id', of });
}

/** Returns a keyed fingerprint of a donor's ID, or several as JSON. */
export function donorFingerprint<const Of extends DonorMeaning['of']>(
  of: Of,
): Column<string, { readonly is: 'donor'; readonly form: 'fingerprint'; readonly of: Of }> {
  return column('text', { is: 'donor', form: 'fingerprint', of });
}

export function sealed<const How extends Omit<SealedMeaning, 'is'>>(
  how: How,
): Column<string, How & { readonly is: 'sealed' }> {
  return column('text', { ...how, is: 'sealed' });
}

function column<Value, Says extends Meaning>(
  kind: Column['kind'],
  says: Says,
): Column<Value, Says> {
  return { kind, says, isNullable: false, hasDefault: false };
}
