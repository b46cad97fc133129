/** Finds the changes since the last message. All functions are pure. */
import type { AlertSettings } from '../../core/alert-settings.ts';
import type { AlertRecord } from '../statements/alerts.ts';
import { type Condition, isAboutRuns, isWanted } from './conditions.ts';
import type { Change } from './message.ts';

/** A change with its complete row in the database. */
export interface RecordedChange extends Change {
  row: AlertRecord;
}

export function compare(
  rows: readonly AlertRecord[],
  conditions: readonly Condition[],
): { begun: Condition[]; ended: AlertRecord[] } {
  const lasting = rows.filter(({ overAt }) => overAt === null);
  return {
    begun: conditions.filter((one) => !lasting.some((row) => isAbout(row, one))),
    ended: lasting.filter((row) => !conditions.some((one) => isAbout(row, one))),
  };
}

export function sortUnsent(
  rows: readonly AlertRecord[],
  conditions: readonly Condition[],
  settings: Pick<AlertSettings, 'on'>,
): { toSend: RecordedChange[]; toDrop: AlertRecord[] } {
  const toSend: RecordedChange[] = [];
  const toDrop: AlertRecord[] = [];
  for (const row of rows.filter(({ sentAt }) => sentAt === null)) {
    const condition = conditions.find((one) => isAbout(row, one)) ?? null;
    if (condition !== null || isRecovery(row, conditions, settings))
      toSend.push({ row, condition });
    else toDrop.push(row);
  }
  return { toSend, toDrop };
}

function isAbout(row: AlertRecord, { integrationId, subject }: Condition): boolean {
  return row.integrationId === integrationId && row.subject === subject;
}

/**
 * True if a problem has ended. A problem has not ended if alerts about it were switched off, or if a later run failed
 * for another reason.
 */
function isRecovery(
  { integrationId, subject }: AlertRecord,
  conditions: readonly Condition[],
  settings: Pick<AlertSettings, 'on'>,
): boolean {
  if (!isWanted(subject, settings)) return false;
  const isReplaced = conditions.some(
    (one) => one.integrationId === integrationId && isAboutRuns(one.subject),
  );
  return !(isAboutRuns(subject) && isReplaced);
}
