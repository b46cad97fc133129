import type { Application } from '../../../application.ts';
import { outcomeNamed, outcomeText } from '../../../core/outcome.ts';
import type { DemoContact } from './contacts.ts';
import { type DemoFolder, ENHANCED_FIELDS, readRows } from './folder.ts';

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
  /** True if a value that a user typed was left alone. */
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
  const run = await store.runs.find(runId);
  const rows = run ? await store.runRows.list(run, { limit: contacts.length }) : [];
  const reasons = new Map(rows.map(({ crmId, reason }) => [crmId, reason]));
  return contacts.map(({ id, firstName, lastName, story }) => {
    const reason = reasons.get(id) ?? 'submission_pending';
    return {
      id,
      name: `${firstName} ${lastName || '(no last name)'}`.trim(),
      story,
      outcome: outcomeNamed(reason) ?? 'waiting',
      reason,
      explanation: outcomeText(reason),
      fields: compareFields(before.get(id) ?? {}, after.get(id) ?? {}),
    };
  });
}

type Row = Readonly<Record<string, string>>;

function compareFields(before: Row, after: Row): FieldResult[] {
  return ENHANCED_FIELDS.map((field) => {
    const from = before[field] ?? '';
    const to = after[field] ?? '';
    return { field, from, to, kept: from !== '' && from === to };
  }).filter(({ from, to }) => from !== '' || to !== '');
}
