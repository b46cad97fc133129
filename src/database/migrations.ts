import type { Kysely } from 'kysely';
import * as ground from '../../migrations/0001-ground.ts';

/** One migration of the schema. A released migration is never edited or reversed. */
export interface SchemaMigration {
  up(db: Kysely<unknown>): Promise<void>;
}

export interface Ground extends SchemaMigration {
  /** The hash of the first schema, which is edited in place until version 1.0.0. */
  readonly hash: string;
}

/** All migrations. The numbers in their names define the order. The first migration creates the first schema. */
export type MigrationList = Readonly<Record<string, SchemaMigration | Ground>>;

/** The migrations are listed here, so that the built program needs no folder for them. */
export const MIGRATIONS = {
  '0001-ground': ground,
} satisfies MigrationList;
