import type { Kysely } from 'kysely';
import * as ground from '../../migrations/0001-ground.ts';

/** One step of the schema. A released step is never edited or reversed. */
export interface SchemaMigration {
  up(db: Kysely<unknown>): Promise<void>;
}

export interface Ground extends SchemaMigration {
  /** The hash of the ground schema, which is edited in place until 1.0.0. */
  readonly hash: string;
}

/** The numbers in the names define the order. The first migration is the ground schema. */
export type MigrationList = Readonly<Record<string, SchemaMigration | Ground>>;

/** Listed here, so the built program needs no folder. */
export const MIGRATIONS = {
  '0001-ground': ground,
} satisfies MigrationList;
