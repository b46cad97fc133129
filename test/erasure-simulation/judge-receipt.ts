/** Checks that a receipt is true and complete. */
import type { Step } from './plan.ts';
import type { Erasure, World } from './world.ts';

const JUDGED = new WeakSet<Erasure['receipt']>();

export function judgeReceipt(world: World, step: Extract<Step, { do: 'forget' }>): void {
  const id = world.records[step.who]?.id ?? '';
  const erasure = world.erasures.get(id);
  // If an erasure was interrupted, it has no receipt.
  if (erasure === undefined || JUDGED.has(erasure.receipt)) return;
  JUDGED.add(erasure.receipt);
  judgeOwnFields(world, erasure);
}

/** Checks the statements in the receipt about the fields of the person's own record. */
function judgeOwnFields(world: World, erasure: Erasure): void {
  const { record, receipt, before, alsoInCrm } = erasure;
  const { crm } = receipt;
  if (!alsoInCrm || crm === null) return;
  const { id } = record;
  const now = world.snapshot().get(id);
  const texts = receipt.pending.map(({ text }) => text).join('\n');
  const named = new Set([
    ...crm.stillPresent,
    ...crm.unreadable,
    ...crm.hidden,
    ...crm.unrecognized,
  ]);
  for (const [field, { value, by }] of now ?? []) {
    if (by !== 'us' || named.has(field) || texts.includes('could not be reached')) continue;
    world.violate(`the receipt is silent about "${field}", which holds what we wrote: ${value}`);
    return;
  }
  if (crm.verified && [...(now ?? [])].some(([, { by }]) => by === 'us')) {
    world.violate('the receipt says that nothing of ours is left, and something is');
  }
  for (const field of crm.cleared) {
    if (now?.get(field) !== undefined || !world.origins.everOurs(id, field)) {
      world.violate(`the receipt says that "${field}" was cleared, which is not so`);
    }
  }
  for (const field of crm.stillPresent) {
    if (now?.get(field)?.by !== 'us') {
      world.violate(`the receipt says that "${field}" holds what we wrote, which is not so`);
    }
  }
  for (const field of crm.stillPresent) {
    if (world.isOutOfReach(id, field)) continue;
    world.violate(`the CRM lets "${field}" be cleared, and it was left`);
  }
  for (const field of crm.editedSince) {
    if (now?.get(field)?.by !== 'user') {
      world.violate(`the receipt says that a user changed "${field}", which is not so`);
    }
  }
  for (const field of crm.hidden) {
    if (world.crm.fields.has(field)) {
      world.violate(`the receipt says that "${field}" is hidden, which is not so`);
    }
  }
  const cleared = [...(before.get(id) ?? [])].filter(
    ([field, { by }]) => by === 'us' && now !== undefined && now.get(field) === undefined,
  );
  for (const [field] of cleared) {
    if (!crm.cleared.includes(field)) {
      world.violate(`"${field}" was cleared, and the receipt does not say so`);
    }
  }
}
