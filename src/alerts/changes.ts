/** What has changed since people were told last; pure. */
import type { AlertSettings } from '../core/alert-settings.ts';
import type { AlertRow } from '../store/service/alerts.ts';
import { type Condition, isAboutRuns, isWanted } from './conditions.ts';
import type { Change } from './message.ts';

/** A change with the whole of its row. */
export interface RecordedChange extends Change {
  row: AlertRow;
}

/** What began and what ended, compared with the rows of the same integrations. */
export function compare(
  rows: readonly AlertRow[],
  conditions: readonly Condition[],
): { begun: Condition[]; ended: AlertRow[] } {
  const lasting = rows.filter(({ over_at }) => over_at === null);
  return {
    begun: conditions.filter((one) => !lasting.some((row) => isOf(row, one))),
    ended: lasting.filter((row) => !conditions.some((one) => isOf(row, one))),
  };
}

/** Of what nobody was told yet: what is worth telling, and what is not. */
export function sortUntold(
  rows: readonly AlertRow[],
  conditions: readonly Condition[],
  settings: Pick<AlertSettings, 'on'>,
): { toTell: RecordedChange[]; toDrop: AlertRow[] } {
  const toTell: RecordedChange[] = [];
  const toDrop: AlertRow[] = [];
  for (const row of rows.filter(({ told_at }) => told_at === null)) {
    const condition = conditions.find((one) => isOf(row, one)) ?? null;
    if (condition !== null || isRecovery(row, conditions, settings))
      toTell.push({ row, condition });
    else toDrop.push(row);
  }
  return { toTell, toDrop };
}

function isOf(row: AlertRow, { integrationId, subject }: Condition): boolean {
  return row.integration_id === integrationId && row.subject === subject;
}

/** Nothing is well again because nobody asks any more, or because another run failed otherwise. */
function isRecovery(
  { integration_id, subject }: AlertRow,
  conditions: readonly Condition[],
  settings: Pick<AlertSettings, 'on'>,
): boolean {
  if (!isWanted(subject, settings)) return false;
  const isReplaced = conditions.some(
    (one) => one.integrationId === integration_id && isAboutRuns(one.subject),
  );
  return !(isAboutRuns(subject) && isReplaced);
}
