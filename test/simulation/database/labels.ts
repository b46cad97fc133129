/** The names of statements in points and coverage, and the effects that their text shows. */

export interface NamedStatement {
  /** `update contacts`, for points and coverage. */
  label: string;
  done: string;
  isRead: boolean;
  /** True if it checks a lease for the rest of its transaction. */
  isCheckpoint: boolean;
  /** True if it packs a file, and changes no row. */
  isVacuum: boolean;
  /** The event that it applies to contacts. */
  event: string | null;
}

const CHECKPOINT = /^update "integrations" set "lease_until" = (?!null)/;

/** The table that a statement of the engine writes to, at any position in the text. */
const OF_QUEUE = /\b(insert into|update|delete from) donor_sync_jobs\.(\w+)/i;

/** Not executed, because there is no file to pack, and SQLite would prepare each statement again afterwards. */
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

/** Returns the first column that an update of the engine sets: a turn is taken, kept or ended. */
function setOf(sql: string): string {
  const column = /^\s*(?:with|update)\b.*?\bset\s+(\w+)/is.exec(sql)?.[1];
  return column === undefined ? '' : ` ${column}`;
}
