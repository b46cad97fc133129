/**
 * Restores values that users type between donor-sync's reading and its write. The write replaces these values, so they
 * are written back immediately. If this fails, the outcome names the user of the lost value.
 */
import type { ContactChange, Overwritten, WriteResult } from '../../connectors/contract.ts';
import { type OwnedValues, withoutFields } from '../contacts/owned-values.ts';
import type { FieldValues } from '../core/crm-field.ts';
import { valuesBeforeSealContext } from '../database/encryption/seal-contexts.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import type { FieldPlan } from './plan.ts';
import { recordValuesBefore } from './statements/deliveries.ts';
import { withKeptForUser } from './value-states.ts';
import { openValues, sealValues } from './values.ts';
import type { WrittenEnd } from './written-end.ts';

type TypedDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'log'>;

/** A value that a user typed into a field during the write. */
interface Typed {
  plan: FieldPlan;
  values: FieldValues;
  by: string | null;
}

/**
 * Writes users' values back and adjusts the results. The values are first stored as previous values, so that an undo
 * restores them even after a crash.
 */
export async function putTypedBack(
  deps: TypedDeps,
  run: Pick<Run, 'id' | 'lease' | 'integration' | 'mappings' | 'fields'>,
  found: ReadonlyMap<string, Overwritten>,
  plans: readonly FieldPlan[],
  ends: Map<string, WrittenEnd>,
): Promise<void> {
  if (found.size === 0) return;
  const typed = plans.flatMap((plan) => typedIn(plan, found.get(plan.crmId)));
  if (typed.length === 0) return;
  const before = typed.flatMap((each) => resealBefore(deps, run, each));
  await deps.store.checkpoint(run.lease, (trx) => recordValuesBefore(trx, before));
  const back = await putBack(
    deps,
    typed.map(({ plan, values }) => ({ id: plan.crmId, values })),
  );
  let [restored, lost] = [0, 0];
  for (const each of typed) {
    const end = ends.get(each.plan.crmId);
    if (end === undefined) continue;
    const isBack = back.get(each.plan.crmId) ?? new Set();
    ends.set(each.plan.crmId, concludeTyped(deps, run, each, end, isBack));
    restored += isBack.size;
    lost += Object.keys(each.values).length - isBack.size;
  }
  deps.log.warn(
    { run: run.id, code: 'typed_values_overwritten', restored, lost },
    'users typed values while they were being written',
  );
}

/** Returns the restored fields by contact. */
export async function putBack(
  { connector }: Pick<SyncDeps, 'connector'>,
  changes: readonly ContactChange[],
): Promise<Map<string, ReadonlySet<string>>> {
  const back = new Map<string, ReadonlySet<string>>();
  if (changes.length === 0) return back;
  const byId = new Map(changes.map((change) => [change.id, change]));
  for await (const result of connector.write(changes)) {
    back.set(result.id, listWritten(result, byId.get(result.id)));
  }
  return back;
}

function listWritten(result: WriteResult, change: ContactChange | undefined): ReadonlySet<string> {
  if (result.status === 'refused' || change === undefined) return new Set();
  const refused =
    result.status === 'written' ? [] : result.refusals.flatMap(({ fields }) => fields);
  return new Set(Object.keys(change.values).filter((field) => !refused.includes(field)));
}

/**
 * Returns the typed values that the fields' rules would have kept. Values from donor-sync itself are not typed values.
 */
function typedIn(plan: FieldPlan, found: Overwritten | undefined): Typed[] {
  if (found === undefined) return [];
  const keeps = plan.keeps(found.values);
  if (keeps.length === 0) return [];
  const values = Object.fromEntries(keeps.map((field) => [field, found.values[field] ?? null]));
  return [{ plan, values, by: found.by }];
}

/** Adds the values that users typed after the reading to the stored previous values. */
function resealBefore(
  { sealer }: TypedDeps,
  { integration }: Pick<Run, 'integration'>,
  { plan: { write, crmId }, values }: Typed,
): { id: string; before: string }[] {
  if (write === null) return [];
  const place = valuesBeforeSealContext({ id: write.id, integrationId: integration.id, crmId });
  const before = { ...openValues(sealer, write.before, place), ...values };
  return [{ id: write.id, before: sealValues(sealer, before, place) }];
}

function concludeTyped(
  deps: TypedDeps,
  run: Pick<Run, 'mappings' | 'fields'>,
  { plan: { write }, values, by }: Typed,
  end: WrittenEnd,
  isBack: ReadonlySet<string>,
): WrittenEnd {
  const restored = [...isBack];
  const lost = Object.keys(values).filter((field) => !isBack.has(field));
  const { after = {}, ownedBefore = {} } = write ?? {};
  const texts = [
    ...(end.detail === null ? [] : [end.detail]),
    ...(lost.length === 0 ? [] : [lostText(lost, by)]),
    ...(restored.length === 0 ? [] : [restoredText(restored, by)]),
  ];
  return {
    ...end,
    reason: lost.length > 0 ? 'typed_value_lost' : 'typed_value_restored',
    detail: texts.join(' '),
    owned:
      end.owned === null
        ? null
        : { ...withoutFields(end.owned, restored), ...only(ownedBefore, restored) },
    after: withoutFields(end.after ?? after, restored),
    values: withKeptForUser(deps, run, end.values, restored),
  };
}

function lostText(fields: readonly string[], by: string | null): string {
  return `${fields.join(', ')}: ${whoTyped(by)} while donor-sync was writing. The value was replaced, and the CRM did not accept it when donor-sync tried to restore it. Undo this run, or type the value again.`;
}

function restoredText(fields: readonly string[], by: string | null): string {
  return `${fields.join(', ')}: ${whoTyped(by)} while donor-sync was writing. The value was restored at once.`;
}

function whoTyped(by: string | null): string {
  return by === null ? 'someone typed a value' : `${by} (as the CRM names its user) typed a value`;
}

function only(values: OwnedValues, fields: readonly string[]): OwnedValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields.includes(name)));
}
