/** Shows the values that an undo would restore. Makes the same decisions as an undo, but changes nothing. */
import { parseOwned } from '../contacts/owned-values.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { accountFingerprint } from '../sync/control/crm-account.ts';
import { forgottenFingerprint, loadErased } from '../sync/control/erased.ts';
import { listWrites, type WriteRecord } from './statements/deliveries.ts';
import { batchesOfContacts, decideBatch, type UndoDecision, type UndoObstacle } from './undo.ts';

/** The reason why an undo leaves a value or a contact unchanged. */
export type KeptReason = UndoObstacle | 'edited' | 'gone' | 'erased';

export interface UndoPreview {
  /** The number of contacts with values that can still be undone. */
  contacts: number;
  values: number;
  /** The number of contacts that were compared with the CRM, or 0 if the CRM could not be read. */
  checked: number;
  /** The numbers of values to restore and of their contacts, among the compared contacts. */
  restored: { contacts: number; values: number };
  kept: KeptContact[];
}

/** A contact with at least one value that an undo would not change. */
export interface KeptContact {
  crmId: string;
  /** The fields that are not changed. */
  fields: readonly string[];
  reason: KeptReason;
}

type PreviewDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'otherForms'>;

/** Previews an undo. Compares at most `most` contacts, because a user waits. */
export async function previewUndo(
  deps: PreviewDeps,
  { integrationId, runId, most }: { integrationId: string; runId: string; most: number },
): Promise<UndoPreview> {
  const { store, connector } = deps;
  const writes = await listWrites(store.reader, runId);
  const account = accountFingerprint(store, connector);
  const erased = await loadErased(deps, integrationId, account);
  const isErased = ({ crmId }: WriteRecord) => forgottenFingerprint(deps, erased, crmId) !== null;
  const newest = withoutOlder(writes);
  const checked = new Set([...new Set(newest.map(({ crmId }) => crmId))].slice(0, most));
  const looked = newest.filter(({ crmId }) => checked.has(crmId));
  const decisions: UndoDecision[] = [];
  for (const batch of batchesOfContacts(
    looked.filter((write) => !isErased(write)),
    Math.max(1, most),
  )) {
    decisions.push(...(await decideBatch(deps, integrationId, batch)));
  }
  return {
    ...countWrites(writes),
    checked: checked.size,
    restored: countRestored(decisions),
    kept: [
      ...looked.filter(isErased).map(({ crmId, after }): KeptContact => {
        return { crmId, reason: 'erased', fields: fieldsOf(after) };
      }),
      ...decisions.flatMap(toKept),
    ],
  };
}

/**
 * Counts the contacts of these writes and their values. A field that two writes changed counts once. A pure function.
 */
export function countWrites(all: readonly WriteRecord[]): { contacts: number; values: number } {
  const writes = withoutOlder(all);
  return {
    contacts: new Set(writes.map(({ crmId }) => crmId)).size,
    values: writes.reduce((sum, { after }) => sum + fieldsOf(after).length, 0),
  };
}

/** Keeps only the newest write to each field. The writes are sorted, newest first. A pure function. */
function withoutOlder(writes: readonly WriteRecord[]): WriteRecord[] {
  const seen = new Map<string, Set<string>>();
  return writes.flatMap((write) => {
    const newer = seen.get(write.crmId) ?? new Set();
    const own = Object.entries(parseOwned(write.after)).filter(([field]) => !newer.has(field));
    seen.set(write.crmId, new Set([...newer, ...own.map(([field]) => field)]));
    return own.length === 0 ? [] : { ...write, after: JSON.stringify(Object.fromEntries(own)) };
  });
}

/** Counts the values that an undo would restore. A pure function. */
function countRestored(decisions: readonly UndoDecision[]): UndoPreview['restored'] {
  const restored = decisions.flatMap((each) =>
    each.kind === 'restored' && each.restoration.fields > 0 ? each.restoration : [],
  );
  return {
    contacts: new Set(restored.map(({ write }) => write.crmId)).size,
    values: restored.reduce((sum, { fields }) => sum + fields, 0),
  };
}

/** Describes the values in a contact that an undo leaves unchanged. A pure function. */
function toKept(decision: UndoDecision): KeptContact[] {
  const { crmId, after } = decision.write;
  if (decision.kind === 'gone') return [{ crmId, reason: 'gone', fields: fieldsOf(after) }];
  if (decision.kind === 'kept') return [{ crmId, reason: decision.why, fields: fieldsOf(after) }];
  const { edited, unseen } = decision;
  return [
    ...(edited.length > 0 ? [{ crmId, reason: 'edited' as const, fields: edited }] : []),
    ...(unseen.length > 0 ? [{ crmId, reason: 'unseen' as const, fields: unseen }] : []),
  ];
}

function fieldsOf(after: string): string[] {
  return Object.keys(parseOwned(after));
}
