import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { describe, expect, it } from 'vitest';
import { cacheStatements } from '../../../src/database/sqlite/statement-cache.ts';

describe('cacheStatements', () => {
  it('prepares a query once for as long as it is in use', () => {
    const { database, prepared } = recordingDatabase();
    const cached = cacheStatements(database, 2);
    const first = cached.prepare('select 1');
    cached.prepare('select 2');
    expect(cached.prepare('select 1')).toBe(first);
    expect(prepared).toEqual(['select 1', 'select 2']);
  });

  it('lets go of the least recently used one when there are too many', () => {
    const { database, prepared } = recordingDatabase();
    const cached = cacheStatements(database, 2);
    for (const sql of ['a', 'b', 'a', 'c', 'a', 'b']) cached.prepare(sql);
    expect(prepared).toEqual(['a', 'b', 'c', 'b']);
  });
});

function recordingDatabase(): { database: SqliteDatabase; prepared: string[] } {
  const prepared: string[] = [];
  function prepare(sql: string): SqliteStatement {
    prepared.push(sql);
    return {
      reader: true,
      all: () => [],
      run: () => ({ changes: 0, lastInsertRowid: 0 }),
      iterate: () => [].values(),
    };
  }
  return { database: { prepare, close() {} }, prepared };
}
