import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** The maximum number of cached prepared statements. The product has far fewer different queries. */
const MAX_STATEMENTS = 256;

/** Removes the least recently used statement when full. Preparing a query costs more than running a small one. */
export function cacheStatements(
  database: SqliteDatabase,
  maxStatements = MAX_STATEMENTS,
): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();

  function prepare(sql: string): SqliteStatement {
    const statement = statements.get(sql) ?? database.prepare(sql);
    // A map keeps insertion order, so its first key is the least recently used.
    statements.delete(sql);
    statements.set(sql, statement);
    if (statements.size > maxStatements) {
      for (const leastUsed of statements.keys()) {
        statements.delete(leastUsed);
        break;
      }
    }
    return statement;
  }

  return { prepare, close: () => database.close() };
}
