import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** The maximum number of cached statements. donor-sync has far fewer different statements. */
const MAX_STATEMENTS = 256;

/**
 * Caches prepared statements. If the cache is full, removes the least recently used statement. Preparing a statement
 * costs more than executing a small statement.
 */
export function cacheStatements(
  database: SqliteDatabase,
  maxStatements = MAX_STATEMENTS,
): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();

  function prepare(sql: string): SqliteStatement {
    const statement = statements.get(sql) ?? database.prepare(sql);
    // A map keeps the order of insertion, so its first key is the least recently used statement.
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
