/**
 * Declares a table's columns and its answers to questions about every table. A table without all answers does not
 * compile. A column with a contact's ID has further questions.
 */
import type { Generated } from 'kysely';
import type { Retention } from '../../core/retention.ts';

export interface Column<Value = unknown, Says extends Meaning = Meaning> {
  readonly kind: 'text' | 'integer' | 'bigint';
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  readonly says: Says;
  /** Exists only in the types, never at runtime. */
  readonly $value?: Value;
}

/** What a column's value means and whom it describes. */
export type Meaning =
  /** No data about a person. */
  | { readonly is: 'operational' }
  /** Personal data that identifies nobody without the key. */
  | { readonly is: 'personal' }
  | ContactIdMeaning
  | DonorMeaning
  | SealedMeaning;

/** The ID of a contact, in clear text. */
export interface ContactIdMeaning extends ContactIdAnswers {
  readonly is: 'contact id';
}

/** What happens to a row if its contact is erased or removed. */
export interface ContactIdAnswers {
  /** `forget` deletes the whole row, or `erase-rows.ts` handles this column. A row of the contact is deleted. */
  readonly forget: 'row' | 'otherwise';
  /** The section of `about` that shows it. */
  readonly about: string;
  /** Whether the row is deleted `retention.removedContacts` days after the contact left, or why it is kept. */
  readonly whenRemoved: 'deleted' | { readonly kept: string };
}

export interface DonorMeaning {
  readonly is: 'donor';
  readonly form: 'id' | 'fingerprint';
  /** Whose donor ID it is: the contact's, an introducer's, a member's or an erased donor's. */
  readonly of: 'contact' | 'introducer' | 'member' | 'erased';
}

/** The meaning of a column with encrypted text. Empty or null without a value. */
export interface SealedMeaning {
  readonly is: 'sealed';
  /** The key that decrypts the column. Rotation encrypts data of the secret key again. */
  readonly with: 'secret key' | 'key of the audit' | 'key of the row';
  /** The values that the text is bound to. They never change during the row's life. */
  readonly boundTo: readonly [string, ...string[]];
}

/** The declarations that every table must make. */
export interface TableAnswers<Name extends string = string> {
  /** The primary key. */
  readonly key: readonly [Name, ...Name[]];
  readonly whenClientErased: WhenClientErased;
  readonly exported: Exported<Name>;
  /** The setting that limits the age of the rows or of their personal data. Null if there is none. */
  readonly retention: keyof Retention | null;
}

export type WhenClientErased =
  /** Deleted before all other rows, because they start or request work. */
  | 'deleted first'
  | 'deleted'
  | 'deleted with its run'
  | 'deleted with its contact'
  | 'deleted with its network'
  /** The data about the client is cleared, and the rows stay. */
  | 'cleared'
  /** The rows stay, and the erasure's receipt reports their number. */
  | 'counted'
  | 'not of a client';

/** Which rows are exported, or why none are. */
export type Exported<Name extends string = string> =
  | {
      /** The file's name. */
      readonly as: string;
      /** Fingerprints, secrets and keys are useless elsewhere, so they are not exported. */
      readonly columns: readonly [Name, ...Name[]];
      /** Needed if the primary key does not sort and identify the rows. */
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

/** For small numbers, or 0 and 1. */
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

/** Marks a column as containing personal data. */
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

/** Returns a column for the keyed fingerprint of a donor's ID. It can also contain several fingerprints as JSON. */
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
