import type { FieldValues } from '../../src/core/crm-field.ts';
import type { ReadBack, WrittenFields } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { contactId } from './ids.ts';
import { findFields, findRecords } from './lookup.ts';
import type { ColumnReader } from './query.ts';
import { isDeleted } from './reading/removed.ts';
import type { RecentWrite } from './rows/recent-writes.ts';
import type { SalesforceSession } from './session.ts';
import { canonicalValue, isoInstant } from './values.ts';

/** Columns that contain the user and the time of a record's last change. */
const STAMPS = ['LastModifiedById', 'LastModifiedDate'];

/** The length of a second (ms). Salesforce rounds its timestamps and the times in its responses to whole seconds. */
const SECOND_MS = 1_000;

/**
 * Reads written fields back, usually in one request. Salesforce runs automation in the transaction of the write, as the
 * same user. If donor-sync's own user made the last change during our write, a different value was changed by
 * automation.
 */
export async function readBack(
  session: SalesforceSession,
  writes: readonly WrittenFields[],
): Promise<ReadBack[]> {
  if (writes.length === 0) return [];
  throwIfStopped(session.signal);
  const names = [...new Set(writes.flatMap(({ fields }) => fields))];
  const fields = await findFields(session, names);
  const ids = new Set(writes.map(({ id }) => contactId(id)).filter((id) => id !== null));
  const columns = ['Id', 'IsDeleted', ...STAMPS, ...names];
  const records = await findRecords(session, [...ids], columns);
  return writes.map((write) => {
    const read = records.get(contactId(write.id) ?? '');
    if (read === undefined || isDeleted(read)) {
      return { id: write.id, values: null, automated: [] };
    }
    const values: FieldValues = Object.fromEntries(
      fields
        .filter(({ name }) => write.fields.includes(name))
        .map((field) => [field.name, canonicalValue(read(field.name), field)]),
    );
    const recent = session.recent.find(write.id);
    const author = findAuthor(read, session.userId, recent);
    return {
      id: write.id,
      values,
      automated: author === 'ours' ? changedFields(values, recent) : [],
      ...(author === 'otherTool' ? { sharesUser: true } : {}),
    };
  });
}

/** Returns who made a record's last change: our write, another tool with the same user, or a different user. */
function findAuthor(
  read: ColumnReader,
  userId: string,
  recent: RecentWrite | undefined,
): 'ours' | 'otherTool' | 'unknown' {
  const changedAtMs = Date.parse(isoInstant(String(read('LastModifiedDate'))));
  if (read('LastModifiedById') !== userId || Number.isNaN(changedAtMs)) return 'unknown';
  const { sentAtMs, answeredAtMs } = recent ?? { sentAtMs: null, answeredAtMs: null };
  if (sentAtMs === null || answeredAtMs === null) return 'unknown';
  if (changedAtMs > answeredAtMs + SECOND_MS) return 'otherTool';
  return changedAtMs >= sentAtMs - SECOND_MS ? 'ours' : 'unknown';
}

function changedFields(values: FieldValues, recent: RecentWrite | undefined): string[] {
  return Object.keys(values).filter((name) => {
    const sent = recent?.values[name];
    return sent !== undefined && sent !== values[name];
  });
}
