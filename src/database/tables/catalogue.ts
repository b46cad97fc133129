/**
 * Lists every table once. Each table belongs to one topic, and other topics call that topic's functions. Kysely's row
 * types come from this list. `forget`, `about`, the export, the retention, the key rotation and the erasure of a client
 * also use the list. `test/database/catalogue.test.ts` compares this list with the database.
 */
import { BACKUP_TABLES } from './backup.ts';
import { CLIENT_TABLES } from './clients.ts';
import { CONTACT_TABLES } from './contacts.ts';
import { CREDIT_TABLES } from './credits.ts';
import { DATABASE_TABLES } from './database.ts';
import { DECISION_TABLES } from './decisions.ts';
import { FIELD_TABLES } from './fields.ts';
import { JOB_TABLES } from './jobs.ts';
import { NETWORK_TABLES } from './networks.ts';
import { PATH_TABLES } from './paths.ts';
import { PEOPLE_TABLES } from './people.ts';
import { PRIVACY_TABLES } from './privacy.ts';
import { SYNC_TABLES } from './sync.ts';
import type { Column, Meaning, Table, TableAnswers } from './table.ts';

/** The tables, by folder of `src`. */
export const TABLES_BY_TOPIC = {
  contacts: CONTACT_TABLES,
  decisions: DECISION_TABLES,
  fields: FIELD_TABLES,
  paths: PATH_TABLES,
  networks: NETWORK_TABLES,
  credits: CREDIT_TABLES,
  sync: SYNC_TABLES,
  jobs: JOB_TABLES,
  clients: CLIENT_TABLES,
  people: PEOPLE_TABLES,
  privacy: PRIVACY_TABLES,
  backup: BACKUP_TABLES,
  database: DATABASE_TABLES,
};

export const CATALOGUE = {
  ...CONTACT_TABLES,
  ...DECISION_TABLES,
  ...FIELD_TABLES,
  ...PATH_TABLES,
  ...NETWORK_TABLES,
  ...CREDIT_TABLES,
  ...SYNC_TABLES,
  ...JOB_TABLES,
  ...CLIENT_TABLES,
  ...PEOPLE_TABLES,
  ...PRIVACY_TABLES,
  ...BACKUP_TABLES,
  ...DATABASE_TABLES,
};

type Catalogue = typeof CATALOGUE;
export type TableName = keyof Catalogue;

/** The tables whose declarations match these answers. */
export type TablesThat<Answers extends Partial<TableAnswers>> = {
  [Name in TableName]: Catalogue[Name]['answers'] extends Answers ? Name : never;
}[TableName];

export type TablesWith<Says extends Partial<Meaning>> = {
  [Name in TableName]: ColumnsThatSay<Name, Says> extends never ? never : Name;
}[TableName];

/** All column meanings, in all tables, that match this pattern. */
export type SaidAnywhere<Says extends Partial<Meaning>> = {
  [Name in TableName]: {
    [Of in keyof Catalogue[Name]['columns']]: Catalogue[Name]['columns'][Of] extends Column<
      unknown,
      infer Said
    >
      ? Extract<Said, Says>
      : never;
  }[keyof Catalogue[Name]['columns']];
}[TableName];

type ColumnsThatSay<Name extends TableName, Says> = {
  [Of in keyof Catalogue[Name]['columns']]: Catalogue[Name]['columns'][Of] extends {
    readonly says: Says;
  }
    ? Of
    : never;
}[keyof Catalogue[Name]['columns']];

export interface PlacedColumn<Says extends Meaning = Meaning> {
  table: TableName;
  column: string;
  /** The columns of the table by name. */
  of: Table;
  says: Says;
}

const TABLES: readonly (readonly [TableName, Table])[] = (
  Object.keys(CATALOGUE) as TableName[]
).map((name) => [name, CATALOGUE[name]]);

export function listColumns<Is extends Meaning['is']>(
  is: Is,
): PlacedColumn<Extract<Meaning, { is: Is }>>[] {
  return TABLES.flatMap(([name, of]) =>
    Object.entries(of.columns).flatMap(([column, { says }]) =>
      isSaying(says, is) ? [{ table: name, column, of, says }] : [],
    ),
  );
}

export function listTables<const Value extends WhatIsErased>(
  whenClientErased: Value,
): TablesThat<{ whenClientErased: Value }>[] {
  return TABLES.flatMap(([name, { answers }]) =>
    answers.whenClientErased === whenClientErased
      ? [name as TablesThat<{ whenClientErased: Value }>]
      : [],
  );
}

type WhatIsErased = TableAnswers['whenClientErased'];

function isSaying<Is extends Meaning['is']>(
  says: Meaning,
  is: Is,
): says is Extract<Meaning, { is: Is }> {
  return says.is === is;
}
