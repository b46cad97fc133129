/**
 * Stores tax returns of organisations, including amended returns. An amended return determines who held which office in
 * its tax period. The result is the same if the amended return is imported before the original return. People who are
 * missing from an amended return stay donors, because teams have paid for their data.
 */

import type { Database } from '../database.ts';
import type { Donor, Role } from '../donor.ts';
import type { GrowingIndex } from '../matcher/growing-index.ts';
import type { Entry } from './entry.ts';
import { openParts } from './parts.ts';
import type { RecordStore } from './store.ts';

/** The facts that identify a tax return. */
export interface FiledReturn {
  ein: string;
  /** The first and the last day of the return's tax period. */
  from: string;
  to: string;
  /**
   * The time at which the return was filed. If two returns have one period and one time, the content decides which
   * return counts as later.
   */
  filedAt: string;
  isAmended: boolean;
}

/** Stored returns. Call the functions inside a transaction. */
export interface Returns {
  /**
   * Stores a return before its people are imported. Returns a function that selects the data to store for each person.
   * The return does not store the keys of erased people, because their keys contain names.
   */
  begin(
    filed: FiledReturn,
    entries: readonly Entry[],
    blocked: ReadonlySet<Entry>,
  ): (entry: Entry) => Entry;
}

export function openReturns(db: Database, record: RecordStore, growing: GrowingIndex): Returns {
  const parts = openParts(db);
  const isSuperseded = db.prepare<[FiledRow]>(
    `select 1 from record_returns where ein = @ein and period_from = @from and period_to = @to
       and is_amended = 1 and (filed_at > @filedAt or filed_at = @filedAt and @isAmended = 0)`,
  );
  const earlierKeys = db
    .prepare<[FiledRow], string>(
      `select key from record_returns join record_return_people on filing = record_returns.number
       where ein = @ein and period_from = @from and period_to = @to
         and (filed_at < @filedAt or filed_at = @filedAt and is_amended = 0)`,
    )
    .pluck();
  const insert = db.prepare<[FiledRow]>(
    `insert into record_returns (ein, period_from, period_to, filed_at, is_amended)
     values (@ein, @from, @to, @filedAt, @isAmended)`,
  );
  const insertKey = db.prepare<[number | bigint, string]>(
    'insert or ignore into record_return_people values (?, ?)',
  );

  function endRoles(key: string, filed: FiledReturn): void {
    const number = record.numberByKey(key);
    const donor = number === null ? null : record.donor(number);
    if (number === null || donor === null) return;
    const { id } = record.identify({ name: `EIN ${filed.ein}`, ein: filed.ein });
    const changed = withoutPeriod(donor, id, filed);
    record.write(number, changed, []);
    growing.put(number, changed, donor);
    const part = parts.byKey(key);
    if (part !== undefined) parts.write(part.id, withoutPeriod(part.donor, id, filed), []);
  }

  return {
    begin(filed, entries, blocked) {
      const row = { ...filed, isAmended: Number(filed.isAmended) };
      const isEarlier = isSuperseded.get(row) !== undefined;
      // If an amended return names no people, it changes only amounts.
      const amends = filed.isAmended && entries.length > 0;
      if (amends && !isEarlier) for (const key of earlierKeys.all(row)) endRoles(key, filed);
      if (amends || !filed.isAmended) {
        const number = insert.run(row).lastInsertRowid;
        const stored = entries.filter((entry) => !blocked.has(entry));
        for (const { keys } of stored) insertKey.run(number, keys[0]);
      }
      return (entry) => (isEarlier ? { ...entry, roles: [] } : entry);
    },
  };
}

interface FiledRow extends Omit<FiledReturn, 'isAmended'> {
  isAmended: number;
}

/** Returns the donor without the roles that tax returns contain for an organisation in this period. */
function withoutPeriod(
  donor: Donor,
  organisationId: string,
  { from, to }: Pick<FiledReturn, 'from' | 'to'>,
): Donor {
  const cut = (roles: readonly Role[]) =>
    roles.flatMap((role) => {
      const isOther = role.organisationId !== organisationId || role.source?.source !== 'irs-990';
      const isOutside = role.start > to || (role.end !== null && role.end < from);
      if (isOther || isOutside) return [role];
      return [
        ...(role.start < from ? [{ ...role, end: dayBeside(from, -1) }] : []),
        ...(role.end !== null && role.end <= to ? [] : [{ ...role, start: dayBeside(to, 1) }]),
      ];
    });
  return { ...donor, work: cut(donor.work), boards: cut(donor.boards) };
}

function dayBeside(day: string, by: number): string {
  return new Date(Date.parse(day) + by * 86_400_000).toISOString().slice(0, 10);
}
