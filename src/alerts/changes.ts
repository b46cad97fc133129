/** What has changed since people were told last; pure. */
import type { AlertSettings } from '../core/alert-settings.ts';
import type { AlertRecord } from '../store/service/alerts.ts';
import { type Condition, isAboutRuns, isWanted } from './conditions.ts';
import type { Change } from './message.ts';

/** A change with the whole of its row. */
export interface RecordedChange extends Change {
  row: AlertRecord;
}

/** What began and what ended, compared with the rows of the same integrations. */
export function compare(
  rows: readonly AlertRecord[],
  conditions: readonly Condition[],
): { begun: Condition[]; ended: AlertRecord[] } {
  const lasting = rows.filter(({ overAt }) => overAt === null);
  return {
    begun: conditions.filter((one) => !lasting.some((row) => isOf(row, one))),
    ended: lasting.filter((row) => !conditions.some((one) => isOf(row, one))),
  };
}

/** Of what nobody was told yet: what is worth telling, and what is not. */
export function sortUntold(
  rows: readonly AlertRecord[],
  conditions: readonly Condition[],
  settings: Pick<AlertSettings, 'on'>,
): { toTell: RecordedChange[]; toDrop: AlertRecord[] } {
  const toTell: RecordedChange[] = [];
  const toDrop: AlertRecord[] = [];
  for (const row of rows.filter(({ toldAt }) => toldAt === null)) {
    const condition = conditions.find((one) => isOf(row, one)) ?? null;
    if (condition !== null || isRecovery(row, conditions, settings))
      toTell.push({ row, condition });
    else toDrop.push(row);
  }
  return { toTell, toDrop };
}

function isOf(row: AlertRecord, { integrationId, subject }: Condition): boolean {
  return row.integrationId === integrationId && row.subject === subject;
}

/** Nothing is well again because nobody asks any more, or because another run failed otherwise. */
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
