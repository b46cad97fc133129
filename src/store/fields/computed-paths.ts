import { OUTCOME_REASONS, outcomeOf } from '../../core/outcome.ts';
import { portions, valuesTable } from '../engine/rows.ts';
import type { Trx } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';
import { keepWords } from '../secrets/foreign-texts.ts';
import { closeWrites, type FieldEnd } from './field-end.ts';

/** A contact's best connection by ids; `connecting` is null if the service did not name everybody. */
export interface StoredPath {
  /** From 0 to 1. */
  strength: number;
  /** How many people in the networks the contact is connected to. */
  people: number;
  introducerId: string;
  networkId: string;
  connecting: readonly string[] | null;
}

/** What became of the path of one contact. */
export interface ComputedPath {
  crmId: string;
  donorId: string;
  path: StoredPath | null;
  told: string | null;
  /** How its values came into the CRM; null if its record was not looked at. */
  written: FieldEnd | null;
}

/** Notes paths, what of them came into the CRM, and the outcome of the contacts they changed. */
export async function recordPaths(
  trx: Trx,
  integrationId: string,
  run: RunMoment,
  computed: readonly ComputedPath[],
): Promise<void> {
  const written = computed.flatMap((each) =>
    each.written === null ? [] : [{ crmId: each.crmId, ...each.written }],
  );
  // What the CRM refused is tried again by a later run.
  const done = computed.filter((each) => each.written?.isDone !== false);
  await savePaths(trx, integrationId, run.now, done);
  await saveOwned(trx, integrationId, written);
  await closeWrites(trx, written);
  await saveOutcomes(trx, integrationId, run, written);
  const words = written.flatMap((each) => each.words ?? []);
  await keepWords(trx, integrationId, run, words);
}

const MILLIONTHS = 1_000_000;

async function savePaths(
  trx: Trx,
  integrationId: string,
  now: number,
  computed: readonly ComputedPath[],
): Promise<void> {
  for (const portion of portions(computed)) {
    await trx
      .insertInto('warm_paths')
      .values(
        portion.map(({ crmId, donorId, path, told }) => ({
          integration_id: integrationId,
          crm_id: crmId,
          donor_id: donorId,
          stale: 0,
          computed_at: now,
          strength_millionths: path === null ? null : Math.round(path.strength * MILLIONTHS),
          people: path?.people ?? 0,
          introducer_id: path?.introducerId ?? null,
          network_id: path?.networkId ?? null,
          connecting: path?.connecting ? JSON.stringify(path.connecting) : null,
          told,
        })),
      )
      .onConflict((c) =>
        c.columns(['integration_id', 'crm_id']).doUpdateSet((eb) => ({
          donor_id: eb.ref('excluded.donor_id'),
          stale: 0,
          computed_at: now,
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
  trx: Trx,
  integrationId: string,
  written: readonly WrittenPath[],
): Promise<void> {
  const owned = written.flatMap(({ crmId, owned }) =>
    owned === null ? [] : [[crmId, JSON.stringify(owned)]],
  );
  for (const portion of portions(owned)) {
    await trx
      .updateTable('contacts')
      .from(valuesTable<'column1' | 'column2'>(portion))
      .set((eb) => ({ owned_values: eb.ref('v.column2') }))
      .where('integration_id', '=', integrationId)
      .whereRef('crm_id', '=', 'v.column1')
      .execute();
  }
}

/** A contact keeps the outcome of its profile unless that says less than its path's does. */
async function saveOutcomes(
  trx: Trx,
  integrationId: string,
  run: RunMoment,
  written: readonly WrittenPath[],
): Promise<void> {
  const telling = written.filter(({ reason }) => outcomeOf(reason) !== 'unchanged');
  for (const portion of portions(telling)) {
    await trx
      .updateTable('contacts')
      .from(
        valuesTable<'column1' | 'column2' | 'column3'>(
          portion.map(({ crmId, reason, detail }) => [crmId, reason, detail]),
        ),
      )
      .set((eb) => ({
        outcome_reason: eb.ref('v.column2'),
        outcome_detail: eb.ref('v.column3'),
        outcome_run: run.id,
        outcome_at: run.now,
      }))
      .where('integration_id', '=', integrationId)
      .where('state', '=', 'settled')
      .where((eb) =>
        eb.or([eb('outcome_run', '<>', run.id), eb('outcome_reason', 'in', REASONS_UNCHANGED)]),
      )
      .whereRef('crm_id', '=', 'v.column1')
      .execute();
  }
}

type WrittenPath = FieldEnd & { crmId: string };

/** The reasons of contacts to which a run has done nothing. */
const REASONS_UNCHANGED = Object.entries(OUTCOME_REASONS).flatMap(([reason, outcome]) =>
  outcome === 'unchanged' ? [reason] : [],
);
