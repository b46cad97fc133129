/** Counts attempts that failed or may still fail. All processes that use a database share these counts. */

import type { ExpressionBuilder } from 'kysely';
import type { TimedConnection, TimedReader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';

/** The maximum number of keys. If there are more, the keys that expire first are removed. */
export const MAX_COUNTED = 10_000;

/** Counts a further attempt. Returns the number of attempts, and the time at which counting starts again at zero. */
export async function countAttempt(
  connection: TimedConnection,
  key: string,
  windowMs: number,
): Promise<{ count: number; until: number }> {
  const now = connection.clock.now();
  const until = now + windowMs;
  await connection.deleteFrom('sign_in_attempts').where('until', '<=', now).execute();
  const counted = await connection
    .insertInto('sign_in_attempts')
    .values({ key, count: 1, until })
    .onConflict((c) =>
      c.column('key').doUpdateSet((eb) => ({
        count: eb
          .case()
          .when(isOver(eb, now, until))
          .then(1)
          .else(eb('sign_in_attempts.count', '+', 1))
          .end(),
        until: eb
          .case()
          .when(isOver(eb, now, until))
          .then(until)
          .else(eb.ref('sign_in_attempts.until'))
          .end(),
      })),
    )
    .returning(['count', 'until'])
    .executeTakeFirstOrThrow();
  if (counted.count === 1) await makeRoom(connection);
  return counted;
}

/** Removes the last attempt from the count, because the attempt succeeded. */
export async function uncountAttempt(connection: TimedConnection, key: string): Promise<void> {
  await connection
    .updateTable('sign_in_attempts')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

/** Returns the number of attempts in the current time window. */
export async function getAttemptCount(reader: TimedReader, key: string): Promise<number> {
  const found = await reader
    .selectFrom('sign_in_attempts')
    .select('count')
    .where('key', '=', key)
    .where('until', '>', reader.clock.now())
    .executeTakeFirst();
  return found?.count ?? 0;
}

async function makeRoom(connection: TimedConnection): Promise<void> {
  const { keys } = await connection
    .selectFrom('sign_in_attempts')
    .select((eb) => eb.fn.countAll<number>().as('keys'))
    .executeTakeFirstOrThrow();
  if (keys <= MAX_COUNTED) return;
  const oldest = connection
    .selectFrom('sign_in_attempts')
    .select('key')
    .orderBy('until')
    .orderBy('key')
    .limit(keys - MAX_COUNTED);
  await connection.deleteFrom('sign_in_attempts').where('key', 'in', oldest).execute();
}

/**
 * True if the time window of the attempts has ended. A window that would end impossibly late counts as ended, because
 * the clock was set back.
 */
function isOver(eb: ExpressionBuilder<Tables, 'sign_in_attempts'>, now: number, until: number) {
  return eb.or([eb('sign_in_attempts.until', '<=', now), eb('sign_in_attempts.until', '>', until)]);
}
