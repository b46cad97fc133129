import type { Kysely } from 'kysely';
import * as ground from '../../migrations/0001-ground.ts';

/** One step of the schema. Steps only go forward, and a released step is never edited. */
export interface SchemaMigration {
  up(db: Kysely<unknown>): Promise<void>;
}

/** The first migration, which creates all tables. */
export interface Ground extends SchemaMigration {
  /** Distinguishes versions of the ground schema, which is edited in place until 1.0.0 is tagged. */
  readonly hash: string;
}

/** Migrations by file name. The number in the name gives their order, and the first is the ground schema. */
export type MigrationList = Readonly<Record<string, SchemaMigration | Ground>>;

/** All migrations. They are listed here, so the built program does not have to search a folder. */
export const MIGRATIONS = {
  '0001-ground': ground,
} satisfies MigrationList;
