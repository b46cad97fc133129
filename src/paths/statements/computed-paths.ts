import { sql } from 'kysely';
import { move } from '../../contacts/life/apply-events.ts';
import { getOutcome } from '../../core/outcome.ts';
import { keepWords } from '../../database/encryption/foreign-texts.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { inBatches } from '../../database/rows.ts';
import { closeWrites, type FieldEnd } from '../../fields/statements/field-end.ts';
import type { RunContext } from '../../sync/statements/runs.ts';

/**
 * A contact's best connection, with IDs but without names. `connecting` is null if the service did not name everyone.
 */
export interface StoredPath {
  /** The strength, from 0 to 1. */
  strength: number;
  /** The number of network members who are connected to the contact. */
  people: number;
  introducerId: string;
  networkId: string;
  connecting: readonly string[] | null;
}

/** The computed path of one contact. */
export interface ComputedPath {
  crmId: string;
  donorId: string;
  path: StoredPath | null;
  /** The fingerprint of the values in the CRM. If null, the CRM record must always be compared. */
  inCrm: string | null;
  /** The result of the write to the CRM, or null if the CRM record was not read. */
  written: FieldEnd | null;
}

/** Records paths, the values that are in the CRM, and the outcomes of contacts that the paths have changed. */
export async function recordPaths(
  trx: RunTransaction,
  integrationId: string,
  run: RunContext,
  computed: readonly ComputedPath[],
): Promise<void> {
  const written = computed.flatMap((each) =>
    each.written === null ? [] : [{ crmId: each.crmId, ...each.written }],
  );
  // If the CRM refused some values, a later run tries them again.
  const done = computed.filter((each) => each.written?.isDone !== false);
  await savePaths(trx, integrationId, run.now, done);
  await saveOwned(trx, integrationId, run, written);
  await closeWrites(trx, written);
  await saveOutcomes(trx, integrationId, run, written);
  const words = written.flatMap((each) => each.words ?? []);
  await keepWords(trx, integrationId, run, words);
}

const MILLIONTHS = 1_000_000;

async function savePaths(
  trx: RunTransaction,
  integrationId: string,
  now: number,
  computed: readonly ComputedPath[],
): Promise<void> {
  for (const batch of inBatches(computed)) {
    await trx
      .insertInto('warm_paths')
      .values(
        batch.map(({ crmId, donorId, path, inCrm }) => ({
          integration_id: integrationId,
          crm_id: crmId,
          donor_id: donorId,
          stale: 0,
          computed_at: now,
          found_at: path === null ? null : now,
          strength_millionths: path === null ? null : Math.round(path.strength * MILLIONTHS),
          people: path?.people ?? 0,
          introducer_id: path?.introducerId ?? null,
          network_id: path?.networkId ?? null,
          connecting: path?.connecting ? JSON.stringify(path.connecting) : null,
          told: inCrm,
        })),
      )
      .onConflict((c) =>
        c.columns(['integration_id', 'crm_id']).doUpdateSet((eb) => ({
          donor_id: eb.ref('excluded.donor_id'),
          stale: 0,
          computed_at: now,
          found_at: sql<number | null>`case when excluded.introducer_id is null then null
            else coalesce(warm_paths.found_at, excluded.found_at) end`,
          strength_millionths: eb.ref('excluded.strength_millionths'),
          people: eb.ref('excluded.people'),
          introducer_id: eb.ref('excluded.introducer_id'),
          network_id: eb.ref('excluded.network_id'),
          connecting: eb.ref('excluded.connecting'),
          told: eb.ref('excluded.told'),
        })),
      )
      .execute();
  }
}

async function saveOwned(
  trx: RunTransaction,
  integrationId: string,
  run: RunContext,
  written: readonly WrittenPath[],
): Promise<void> {
  const owned = written.flatMap(({ crmId, owned }) =>
    owned === null ? [] : [{ crm_id: crmId, owned_values: JSON.stringify(owned) }],
  );
  await move(trx, { integrationId }, 'valuesWritten', owned, run);
}

/** Records the outcome of a path. Keeps the profile's outcome, unless the path's outcome is more specific. */
async function saveOutcomes(
  trx: RunTransaction,
  integrationId: string,
  run: RunContext,
  written: readonly WrittenPath[],
): Promise<void> {
  const telling = written.filter(({ reason }) => getOutcome(reason) !== 'unchanged');
  const targets = telling.map(({ crmId, reason, detail }) => ({
    crm_id: crmId,
    outcome_reason: reason,
    outcome_detail: detail,
  }));
  await move(trx, { integrationId }, 'pathWritten', targets, run);
}

type WrittenPath = FieldEnd & { crmId: string };
