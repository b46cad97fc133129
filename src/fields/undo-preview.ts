/**
 * Shows what undoing a run would restore and what it would leave as it is. It makes the same decisions as an undo, but
 * changes nothing.
 */
import { parseOwned } from '../contacts/owned-values.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { accountFingerprint } from '../sync/control/crm-account.ts';
import { forgottenFingerprint, loadErased } from '../sync/control/erased.ts';
import { listWrites, type WriteRecord } from './statements/deliveries.ts';
import { batchesOfContacts, decideBatch, type UndoDecision, type UndoObstacle } from './undo.ts';

/** Why a value or a contact stays as it is. */
export type KeptReason = UndoObstacle | 'edited' | 'gone' | 'erased';

export interface UndoPreview {
  /** How many contacts have values of the run that are not undone yet. */
  contacts: number;
  /** How many such values there are. */
  values: number;
  /** How many contacts were compared with the CRM. 0 if the CRM could not be read. */
  checked: number;
  /** What would be restored in the contacts that were checked. */
  restored: { contacts: number; values: number };
  kept: KeptContact[];
}

/** A contact in which at least one value stays as it is. */
export interface KeptContact {
  crmId: string;
  /** The fields that stay as they are. */
  fields: readonly string[];
  reason: KeptReason;
}

type PreviewDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'otherForms'>;

/** Compares at most `most` contacts with the CRM, because a user is waiting. */
export async function previewUndo(
  deps: PreviewDeps,
  { integrationId, runId, most }: { integrationId: string; runId: string; most: number },
): Promise<UndoPreview> {
  const { store, connector } = deps;
  const writes = await listWrites(store.reader, runId);
  const counted = countWrites(writes);
  const account = accountFingerprint(store, connector);
  const erased = await loadErased(deps, integrationId, account);
  const isErased = ({ crmId }: WriteRecord) => forgottenFingerprint(deps, erased, crmId) !== null;
  // The newest write of each contact. The first batch has each contact once.
  const [first = []] = batchesOfContacts(withoutOlder(writes), Math.max(1, most));
  const decisions = await decideBatch(
    deps,
    integrationId,
    first.filter((write) => !isErased(write)),
  );
  return {
    ...counted,
    checked: first.length,
    restored: countRestored(decisions),
    kept: [
      ...first.filter(isErased).map(({ crmId, after }): KeptContact => {
        return { crmId, reason: 'erased', fields: fieldsOf(after) };
      }),
      ...decisions.flatMap(toKept),
    ],
  };
}

/** Counts the contacts and values of these writes. A pure function. */
export function countWrites(writes: readonly WriteRecord[]): { contacts: number; values: number } {
  return {
    contacts: new Set(writes.map(({ crmId }) => crmId)).size,
    values: writes.reduce((sum, { after }) => sum + fieldsOf(after).length, 0),
  };
}

/** Keeps the newest write to each field. The writes are in order, newest first. A pure function. */
function withoutOlder(writes: readonly WriteRecord[]): WriteRecord[] {
  const newest = new Map<string, WriteRecord>();
  for (const write of writes) if (!newest.has(write.crmId)) newest.set(write.crmId, write);
  return [...newest.values()];
}

/** Counts what would be restored. A pure function. */
function countRestored(decisions: readonly UndoDecision[]): UndoPreview['restored'] {
  const restored = decisions.flatMap((each) =>
    each.kind === 'restored' && each.restoration.fields > 0 ? each.restoration.fields : [],
  );
  return { contacts: restored.length, values: restored.reduce((sum, each) => sum + each, 0) };
}

/** Describes what stays as it is in a contact. A pure function. */
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
