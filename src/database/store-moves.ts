/** Records in both databases that donor-sync's data is being moved, so that two databases are never in use. */
import { type Kysely, sql } from 'kysely';
import { isoTime } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { hasTable } from './has-table.ts';
import type { Tables } from './tables/tables.ts';

type Move = Tables['moves'];

/** Returns the database's move. Returns undefined if the database was never part of a move. */
export async function findMove<Db>(db: Kysely<Db>): Promise<Move | undefined> {
  if (!(await hasTable(db, 'moves'))) return undefined;
  const { rows } = await sql<Move>`select * from moves`.execute(db);
  return rows[0];
}

/** Throws a ConfigurationError if the data was moved to another database or is still being moved. */
export async function requireHome<Db>(db: Kysely<Db>): Promise<void> {
  const move = await findMove(db);
  if (move?.role === 'source' && move.done_at !== null) throw hasMoved(move.other, move.done_at);
  if (move?.role === 'target' && move.done_at === null) {
    throw new ConfigurationError(
      `The move from ${move.other} into this database is not finished. Repeat \`donor-sync move\` with the settings that name the old database. Until then this database is not in use. If you do not want to move the old database, or have moved it elsewhere, name this one with \`donor-sync move --to URL --start-over\`, which empties it first.`,
      { code: 'move_unfinished', details: { from: move.other } },
    );
  }
}

export function hasMoved(to: string, atMs: number): ConfigurationError {
  return new ConfigurationError(
    `This database was moved to ${to} on ${isoTime(atMs)} and is no longer used. Set \`database\` to the address of the new database.`,
    { code: 'store_moved', details: { to, at: isoTime(atMs) } },
  );
}
