/** Reads the values that a run wrote to a contact, for a user. The values are not stored. */
import type { Application } from '../application.ts';
import { parseOwned } from '../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { type ConfigurationError, isFatalError } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { unknownClient } from '../core/shared-errors.ts';
import { valuesBeforeSealContext } from '../database/encryption/seal-contexts.ts';
import { VALUES_PURGED } from '../privacy/statements/retention.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { lookUp } from '../sync/control/look-up.ts';
import { findLateAutomation } from './late-automation.ts';
import { findWrite, type WriteRecord } from './statements/deliveries.ts';
import { listUndoneWrites } from './statements/undone-writes.ts';
import { createOwnershipCheck, openValues } from './values.ts';

export interface WrittenChange {
  /** The CRM's field name. */
  field: string;
  /** The value from before the run. Null if an undo has restored the earlier value. */
  before: FieldValue;
  now: FieldValue;
  /** True if the current value is the value from the run. A user may have changed the value since the run. */
  isOurs: boolean;
}

export interface WrittenChanges {
  /**
   * The state of the contact. `gone`: the CRM no longer contains the contact. `unkept`: the previous values are not
   * stored. `restored`: an undo has restored all values that the run wrote to the contact.
   */
  state: 'known' | 'restored' | 'gone' | 'unkept' | 'none';
  changes: WrittenChange[];
}

/** The maximum time to wait for a CRM while a user waits. */
const PATIENCE_MS = 20_000;

/** Reads the written values. Throws the connector's errors. Throws a ConfigurationError for an unknown integration. */
export async function readWrittenChanges(
  { store, open }: Pick<Application, 'store' | 'open'>,
  integration: Integration | undefined,
  { integrationId, runId, crmId }: { integrationId: string; runId: string; crmId: string },
  stopping: AbortSignal,
): Promise<WrittenChanges> {
  if (integration === undefined) throw integrationGone(integrationId);
  const write = await findWrite(store.reader, runId, crmId);
  const undone = write === undefined ? await listUndoneWrites(store.reader, runId, crmId) : [];
  if (write === undefined && undone.length === 0) return { state: 'none', changes: [] };
  if (write?.before === VALUES_PURGED) return { state: 'unkept', changes: [] };
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(PATIENCE_MS)]);
  const { deps, close } = await open(integration, signal);
  try {
    const crm = await openCrm(deps, null);
    const writes = write === undefined ? undone : [write];
    const fields = [...new Set(writes.flatMap(({ after }) => Object.keys(parseOwned(after))))];
    const [found] = await lookUp(crm.connector, [crmId], fields);
    if (found?.state !== 'found') return { state: 'gone', changes: [] };
    if (write === undefined)
      return { state: 'restored', changes: fields.map((field) => toRestored(field, found.values)) };
    const after = parseOwned(write.after);
    const before = valuesBefore(crm, integration.id, write);
    if (before === null) return { state: 'unkept', changes: [] };
    const record = { crmId, values: found.values, owned: [after] };
    const automated = (await findLateAutomation(crm, [record])).get(crmId) ?? {};
    const isOurs = createOwnershipCheck(crm, crmId, [after, automated]);
    return {
      state: 'known',
      changes: Object.keys(after).map((field) => {
        const now = found.values[field] ?? null;
        return { field, before: before[field] ?? null, now, isOurs: isOurs(field, now) };
      }),
    };
  } finally {
    await close();
  }
}

/** After the undo, the previous value may name an erased person. Therefore, only the current value is read. */
function toRestored(field: string, values: FieldValues): WrittenChange {
  return { field, before: null, now: values[field] ?? null, isOurs: false };
}

function valuesBefore(
  { sealer }: { sealer: Pick<Application['sealer'], 'open'> },
  integrationId: string,
  { id, crmId, before }: WriteRecord,
) {
  try {
    return openValues(sealer, before, valuesBeforeSealContext({ id, integrationId, crmId }));
  } catch (error) {
    // Someone has changed the value in the database, or its key no longer exists.
    if (isFatalError(error)) return null;
    throw error;
  }
}

function integrationGone(id: string): ConfigurationError {
  return unknownClient(id, {
    next: 'It is no longer in the settings, so its CRM cannot be queried.',
  });
}
