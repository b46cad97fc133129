/** Names statements for fault points and for the coverage, and determines their effects from their SQL. */

export interface NamedStatement {
  /** The name in points and coverage, for example `update contacts`. */
  label: string;
  done: string;
  isRead: boolean;
  /** True if the statement checks whether the process still holds a lease, for the rest of the transaction. */
  isCheckpoint: boolean;
  /** True if the statement compacts the database file without changing rows. */
  isVacuum: boolean;
  /** The event that the statement applies to contacts, or null. */
  event: string | null;
}

const CHECKPOINT = /^update "integrations" set "lease_until" = (?!null)/;

/** Matches the table that an engine's statement writes to, anywhere in the text. */
const OF_QUEUE = /\b(insert into|update|delete from) donor_sync_jobs\.(\w+)/i;

/**
 * The simulation does not execute `vacuum`. The database in memory has no file to compact, and SQLite would have to
 * prepare all statements again.
 */
const VACUUM = 'vacuum';

const EVENT = /^update contacts \/\* (\w+) \*\//;

export function namedOf(sql: string): NamedStatement {
  const label = labelOf(sql);
  return {
    ...{ label, done: `${label} done`, isRead: label.startsWith('select') },
    isCheckpoint: CHECKPOINT.test(sql),
    isVacuum: sql === VACUUM,
    event: EVENT.exec(sql)?.[1] ?? null,
  };
}

function labelOf(sql: string): string {
  const [, write = '', ofQueue = ''] = OF_QUEUE.exec(sql) ?? [];
  if (ofQueue !== '') return `${write.toLowerCase()} ${ofQueue}${setOf(sql)}`;
  const [, verb = sql.slice(0, 20), table = ''] =
    /^\s*(select|insert into|update|delete from|with)\b(?:\s+"?([a-z_]+)"?)?/i.exec(sql) ?? [];
  const read = /\bfrom "?([a-z_]+)"?/i.exec(sql)?.[1];
  const isRead = /^(select|with)$/i.test(verb);
  return isRead ? `select ${read ?? ''}` : `${verb.toLowerCase()} ${table}`;
}

/**
 * Returns the first column that an engine's update sets. The first column shows whether the update creates, keeps or
 * ends a claim.
 */
function setOf(sql: string): string {
  const column = /^\s*(?:with|update)\b.*?\bset\s+(\w+)/is.exec(sql)?.[1];
  return column === undefined ? '' : ` ${column}`;
}
