/**
 * Declares the columns of a table, and its answers to questions that apply to every table. A table without all answers
 * does not compile. For a column with a contact's ID, there are further questions.
 */
import type { Generated } from 'kysely';
import type { Retention } from '../../core/retention.ts';

export interface Column<Value = unknown, Says extends Meaning = Meaning> {
  readonly kind: 'text' | 'integer' | 'bigint';
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  readonly says: Says;
  /** Exists only in the types, and never at runtime. */
  readonly $value?: Value;
}

/** The meaning of a column's values, and the person whom they describe. */
export type Meaning =
  /** The values contain no data about a person. */
  | { readonly is: 'operational' }
  /** The values are personal data, but identify nobody without the key. */
  | { readonly is: 'personal' }
  | ContactIdMeaning
  | DonorMeaning
  | SealedMeaning;

/** The ID of a contact, in clear text. */
export interface ContactIdMeaning extends ContactIdAnswers {
  readonly is: 'contact id';
}

/** The handling of a row if its contact is erased or removed. */
export interface ContactIdAnswers {
  /** `row` means that an erasure deletes the whole row. Otherwise, `erase-rows.ts` handles the column. */
  readonly forget: 'row' | 'otherwise';
  /** The section of `about` that shows the row. */
  readonly about: string;
  /**
   * `deleted` means that the row is deleted `retention.removedContacts` days after the contact left. Otherwise, the
   * reason why the row is kept.
   */
  readonly whenRemoved: 'deleted' | { readonly kept: string };
}

export interface DonorMeaning {
  readonly is: 'donor';
  readonly form: 'id' | 'fingerprint';
  /** The owner of the donor ID: the contact, an introducer, a member or an erased donor. */
  readonly of: 'contact' | 'introducer' | 'member' | 'erased';
}

/** The meaning of a column with encrypted text. If there is no value, the column is empty or null. */
export interface SealedMeaning {
  readonly is: 'sealed';
  /** The key that decrypts the column. A rotation encrypts again only the columns of the secret key. */
  readonly with: 'secret key' | 'key of the audit' | 'key of the row';
  /** The columns to which the text is bound. The values of these columns never change during the row's life. */
  readonly boundTo: readonly [string, ...string[]];
}

/** The answers that every table must declare. */
export interface TableAnswers<Name extends string = string> {
  /** The primary key. */
  readonly key: readonly [Name, ...Name[]];
  readonly whenClientErased: WhenClientErased;
  readonly exported: Exported<Name>;
  /** The setting that limits the age of the rows or of their personal data. Null if there is none. */
  readonly retention: keyof Retention | null;
}

export type WhenClientErased =
  /** The rows are deleted before all other rows, because they start or request work. */
  | 'deleted first'
  | 'deleted'
  | 'deleted with its run'
  | 'deleted with its contact'
  | 'deleted with its network'
  /** The data about the client is removed, but the rows remain. */
  | 'cleared'
  /** The rows remain, and the erasure's receipt contains their number. */
  | 'counted'
  | 'not of a client';

/** The rows that are exported, or the reason why no rows are exported. */
export type Exported<Name extends string = string> =
  | {
      /** The name of the file. */
      readonly as: string;
      /** The exported columns. Fingerprints, secrets and keys are useless elsewhere, so they are not exported. */
      readonly columns: readonly [Name, ...Name[]];
      /** The columns that sort and identify the rows, if the primary key does not. */
      readonly sortedBy?: readonly [Name, ...Name[]];
      /** Exports only rows with a value in this column. If omitted, all rows are exported. */
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

/** Declares a column for small numbers, or for 0 and 1. */
export function integer(): Column<number, Operational> {
  return column('integer', OPERATIONAL);
}

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

/** Marks a column as personal data. */
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

/**
 * Declares a column for the keyed fingerprint of a donor's ID. The column can also contain several fingerprints as
 * JSON.
 */
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
