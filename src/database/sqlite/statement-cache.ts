import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** The maximum number of cached prepared statements. The product has far fewer different queries. */
const MAX_STATEMENTS = 256;

/**
 * Returns the database with a cache of prepared statements. If the cache is full, the least recently used statement is
 * removed. Without the cache, Kysely would prepare each query again, which costs more than running a small query.
 */
export function cacheStatements(
  database: SqliteDatabase,
  maxStatements = MAX_STATEMENTS,
): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();

  function prepare(sql: string): SqliteStatement {
    const statement = statements.get(sql) ?? database.prepare(sql);
    // A map lists its keys in the order of insertion, so the first is the least recently used.
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
