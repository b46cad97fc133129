/**
 * Finds SQL statements that use the tables of a different topic. The script searches the text of the source files.
 * `test/architecture.test.ts` uses the result.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE, TABLES_BY_TOPIC } from '../src/database/tables/catalogue.ts';
import { files, ROOT } from './rooms.ts';

export interface ForeignSql {
  topic: string;
  does: 'reads' | 'changes';
  /** The name of the table. Its topic owns the table. */
  table: string;
  owner: string;
  file: string;
}

const OWNERS = new Map(
  Object.entries(TABLES_BY_TOPIC).flatMap(([topic, tables]) =>
    Object.keys(tables).map((table) => [table, topic] as const),
  ),
);

const NAMES = Object.keys(CATALOGUE).join('|');

/** Matches a Kysely statement, or a statement in plain SQL. */
const STATEMENT = new RegExp(
  [
    `\\b(?<call>selectFrom|insertInto|updateTable|deleteFrom|\\w*[jJ]oin|using|from)\\(\\s*\\[?\\s*['"\`](?<named>${NAMES})\\b`,
    `\\b(?<verb>from|join|into|update)\\s+(?<written>${NAMES})\\b(?!')`,
    `\\bsql\\.table\\(\\s*'(?<raw>${NAMES})'`,
  ].join('|'),
  'g',
);

const CHANGES = /^(?:insertInto|updateTable|deleteFrom|into|update)$/;

/**
 * Finds the files that use a different topic's table. The result has separate entries for reading a table and for
 * changing it.
 */
export function findForeignSql(): ForeignSql[] {
  const found = new Map<string, ForeignSql>();
  for (const file of files) {
    const topic = /^src\/(\w+)\//.exec(file)?.[1];
    if (topic === undefined || file.startsWith('src/database/tables/')) continue;
    const text = readFileSync(join(ROOT, file), 'utf8').replace(
      /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm,
      '',
    );
    for (const { groups = {} } of text.matchAll(STATEMENT)) {
      const table = groups['named'] ?? groups['written'] ?? groups['raw'] ?? '';
      const owner = OWNERS.get(table) ?? '';
      if (owner === topic) continue;
      const does = CHANGES.test(groups['call'] ?? groups['verb'] ?? '') ? 'changes' : 'reads';
      found.set(`${file} ${does} ${table}`, { topic, does, table, owner, file });
    }
  }
  return [...found.values()];
}
