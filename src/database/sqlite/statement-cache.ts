import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Maximum number of cached prepared statements; the product's own queries are far fewer. */
const MAX_STATEMENTS = 256;

/**
 * The same database with a cache of prepared statements, from which the least recently used one is
 * removed first. Kysely prepares each query again, which costs more than running a small one.
 */
export function cacheStatements(
  database: SqliteDatabase,
  maxStatements = MAX_STATEMENTS,
): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();

  function prepare(sql: string): SqliteStatement {
    const statement = statements.get(sql) ?? database.prepare(sql);
    // A map lists its keys in the order of insertion: the first is the least recently used.
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
