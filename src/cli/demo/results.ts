import type { Application } from '../../application.ts';
import { OUTCOME_REASONS } from '../../core/outcome.ts';
import { outcomeText } from '../../core/outcome-text.ts';
import type { DemoContact } from './cast.ts';
import { DEMO_INTEGRATION, type DemoFolder, ENHANCED_FIELDS, readRows } from './folder.ts';

/** What the first sync did to one contact of the demo. */
export interface DemoResult {
  id: string;
  name: string;
  story: string | null;
  /** `written`, `skipped`, … */
  outcome: string;
  reason: string;
  /** The reason in plain words. */
  explanation: string;
  fields: FieldResult[];
}

/** One mapped field that has a value before or after. */
export interface FieldResult {
  field: string;
  from: string;
  to: string;
  /** True if somebody's own value was left alone. */
  kept: boolean;
}

/** Puts the files and what the store remembers of the run side by side. */
export async function readResults(
  { store }: Pick<Application, 'store'>,
  runId: string,
  contacts: readonly DemoContact[],
  folder: DemoFolder,
): Promise<DemoResult[]> {
  const before = await readRows(folder.contacts);
  const after = await readRows(folder.enhanced);
  const rows = await store.contacts.listOutcomes(runId, DEMO_INTEGRATION, contacts.length);
  const reasons = new Map(rows.map((row) => [row.crm_id, row.outcome_reason]));
  return contacts.map(({ id, firstName, lastName, story }) => {
    const reason = reasons.get(id) ?? 'submission_pending';
    return {
      id,
      name: `${firstName} ${lastName || '(no last name)'}`.trim(),
      story,
      outcome: outcomeOf(reason),
      reason,
      explanation: outcomeText(reason),
      fields: compareFields(before.get(id) ?? {}, after.get(id) ?? {}),
    };
  });
}

function outcomeOf(reason: string): string {
  return Object.entries(OUTCOME_REASONS).find(([known]) => known === reason)?.[1] ?? 'waiting';
}

type Row = Readonly<Record<string, string>>;

function compareFields(before: Row, after: Row): FieldResult[] {
  return ENHANCED_FIELDS.map((field) => {
    const from = before[field] ?? '';
    const to = after[field] ?? '';
    return { field, from, to, kept: from !== '' && from === to };
  }).filter(({ from, to }) => from !== '' || to !== '');
}
