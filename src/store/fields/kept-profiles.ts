/** Profiles that were paid for, with the values that are not in the CRM yet, and why. */
import { type Selectable, sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { type OutcomeReason, outcomeOf } from '../../core/outcome.ts';
import { type ContactRecord, findRows } from '../contacts/contacts.ts';
import { move } from '../contacts/move.ts';
import { type FromRow, fromRow, fromRows } from '../engine/from-row.ts';
import type { KeptProfilesTable, ValueState } from '../engine/kept-tables.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { filledPortions, portions } from '../engine/rows.ts';
import type { Database, JobsTable, Trx } from '../engine/tables.ts';
import { keepWords, type SealedWords } from '../secrets/foreign-texts.ts';
import { closeWrites, type WriteEnd } from './field-end.ts';

/** A value of a profile that is not in its field. */
export interface ValueNote {
  field: string;
  state: ValueState;
  /** The CRM's own code; the empty string if the description of the field says why. */
  code: string;
  /** Fingerprint of the field's description; the empty string if the CRM does not describe it. */
  description: string;
}

/** A profile on its way to disk. */
export interface ProfileToKeep {
  /** Keyed fingerprint of the donor's id. */
  donor: string;
  /** The encrypted key; the empty string if the profile is not to be kept. */
  key: string;
  /** The encrypted profile, likewise. */
  profile: string;
  fieldMap: string;
  values: readonly ValueNote[];
}

/** A kept profile of one contact, to be stored when its delivery ends. */
export interface KeptDelivery extends ProfileToKeep {
  crmId: string;
  trackingId: string;
  /** False if it is not in the CRM: a decision about it is pending, or the contact has opted out. */
  isDelivered: boolean;
}

export type KeptRecord = FromRow<Selectable<KeptProfilesTable>>;

/** Values that wait for the same reason. */
export interface WaitingValues extends ValueNote {
  contacts: number;
  since: number;
  /** When one of them was written again last; null for never. */
  probedAt: number | null;
}

/** A field map that profiles were offered with, as fingerprints of its lines. */
export interface OfferedMap {
  fieldMap: string;
  lines: readonly string[];
}

/** A kept profile with its contact, its job and its values that are not in the CRM. */
export interface KeptOfContact {
  kept: KeptRecord;
  contact: ContactRecord;
  job: FromRow<Selectable<JobsTable>>;
  values: readonly ValueNote[];
}

/** How a later delivery ended. */
export interface LaterEnd extends WriteEnd {
  crmId: string;
  reason: OutcomeReason;
  detail: string | null;
  words: SealedWords | null;
  owned: Readonly<Record<string, string>> | null;
  /** The fields that were offered again. */
  offered: readonly string[];
  values: readonly ValueNote[];
  /** The field map that its profile is offered with from now on. */
  fieldMap: string;
  /** True if nothing is known of the write: what waits goes on waiting. */
  isPassing: boolean;
}

/** Opt-out marks that were read within such a span count as set at once: seven days, as for departures. */
const WAVE_MS = 7 * 86_400_000;

/** States whose values are written once their reason is gone. */
export const WAITING_STATES = [
  'refused',
  'no_such_field',
  'no_permission',
  'does_not_fit',
] as const satisfies readonly ValueState[];

/** States that only a user's explicit request ends. */
export const REMOVED_STATES = ['emptied', 'undone'] as const satisfies readonly ValueState[];

export function keptProfileQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** Values that are not in the CRM, counted by field and reason; those of before a moment, if one is given. */
    async listWaiting(
      integrationId: string,
      {
        states = WAITING_STATES,
        before = null,
      }: { states?: readonly ValueState[]; before?: number | null } = {},
    ): Promise<WaitingValues[]> {
      const rows = await db
        .selectFrom('value_states')
        .select(['field', 'state', 'code', 'description'])
        .select((eb) => [
          eb.fn.countAll().as('contacts'),
          eb.fn.min('since').as('since'),
          eb.fn.max('probed_at').as('probed_at'),
        ])
        .where('integration_id', '=', integrationId)
        .where('state', 'in', states)
        .$if(before !== null, (query) => query.where('since', '<', before ?? 0))
        .groupBy(['field', 'state', 'code', 'description'])
        .orderBy('field')
        .orderBy('state')
        .orderBy('code')
        .orderBy('description')
        .execute();
      return rows.map(({ contacts, probed_at: probedAt, ...row }) => ({
        ...row,
        contacts: Number(contacts),
        probedAt,
      }));
    },

    /** The field maps that kept profiles were offered with; one without lines for profiles never offered. */
    async listOfferedMaps(integrationId: string): Promise<OfferedMap[]> {
      const rows = await db
        .selectFrom('kept_profiles as k')
        .leftJoin('field_maps as m', (join) =>
          join
            .onRef('m.integration_id', '=', 'k.integration_id')
            .onRef('m.field_map', '=', 'k.field_map'),
        )
        .select(['k.field_map', 'm.lines'])
        .distinct()
        .where('k.integration_id', '=', integrationId)
        .execute();
      return rows.map(({ field_map: fieldMap, lines }) => ({
        fieldMap,
        lines: lines === null ? [] : lines.split(' '),
      }));
    },

    /** Notes the lines of a field map, before a profile is offered with it. */
    async noteMap(lease: Lease, { fieldMap, lines }: OfferedMap): Promise<void> {
      await checkpoint(lease, async (trx) => {
        await trx
          .insertInto('field_maps')
          .values({
            integration_id: lease.integrationId,
            field_map: fieldMap,
            lines: lines.join(' '),
          })
          .onConflict((c) => c.doNothing())
          .execute();
      });
    },

    /** Delivered profiles of settled contacts in the order of their ids, after the given one. */
    async listDelivered(
      integrationId: string,
      { after, limit, only }: { after: string; limit: number; only: readonly string[] | null },
    ): Promise<KeptOfContact[]> {
      const rows = await db
        .selectFrom('kept_profiles as k')
        .innerJoin('contacts as c', (join) =>
          join
            .onRef('c.integration_id', '=', 'k.integration_id')
            .onRef('c.crm_id', '=', 'k.crm_id'),
        )
        .selectAll('k')
        .where('k.integration_id', '=', integrationId)
        .where('k.crm_id', '>', after)
        .where('k.is_delivered', '=', 1)
        .where('c.state', '=', 'settled')
        .where('c.eligible', '=', 1)
        .$if(only !== null, (query) => query.where('k.crm_id', 'in', [...(only ?? [])]))
        .orderBy('k.crm_id')
        .limit(limit)
        .execute();
      return withContacts(integrationId, rows.map(fromRow));
    },

    /** Delivered profiles with a value that waits for one of these reasons, or offered with another map. */
    async listFreed(
      integrationId: string,
      freed: { notes: readonly ValueNote[]; maps: readonly string[] },
      { after, limit }: { after: string; limit: number },
    ): Promise<KeptOfContact[]> {
      const rows = await db
        .selectFrom('kept_profiles as k')
        .innerJoin('contacts as c', (join) =>
          join
            .onRef('c.integration_id', '=', 'k.integration_id')
            .onRef('c.crm_id', '=', 'k.crm_id'),
        )
        .selectAll('k')
        .where('k.integration_id', '=', integrationId)
        .where('k.crm_id', '>', after)
        .where('k.is_delivered', '=', 1)
        .where('c.state', '=', 'settled')
        .where('c.eligible', '=', 1)
        .where((eb) =>
          eb.or([
            ...(freed.maps.length === 0 ? [] : [eb('k.field_map', 'in', [...freed.maps])]),
            ...freed.notes.map(({ field, state, code, description }) =>
              eb.exists(
                eb
                  .selectFrom('value_states as v')
                  .select('v.field')
                  .whereRef('v.integration_id', '=', 'k.integration_id')
                  .whereRef('v.crm_id', '=', 'k.crm_id')
                  .where('v.field', '=', field)
                  .where('v.state', '=', state)
                  .where('v.code', '=', code)
                  .where('v.description', '=', description),
              ),
            ),
          ]),
        )
        .orderBy('k.crm_id')
        .limit(limit)
        .execute();
      return withContacts(integrationId, rows.map(fromRow));
    },

    /** Contacts with a value that waits for this reason; those that were tried longest ago come first. */
    async listToProbe(
      integrationId: string,
      { state, code }: Pick<ValueNote, 'state' | 'code'>,
      { before, limit }: { before: number; limit: number },
    ): Promise<KeptOfContact[]> {
      const ids = await db
        .selectFrom('value_states as v')
        .innerJoin('contacts as c', (join) =>
          join
            .onRef('c.integration_id', '=', 'v.integration_id')
            .onRef('c.crm_id', '=', 'v.crm_id'),
        )
        .innerJoin('kept_profiles as k', (join) =>
          join
            .onRef('k.integration_id', '=', 'v.integration_id')
            .onRef('k.crm_id', '=', 'v.crm_id'),
        )
        .select('v.crm_id')
        .select((eb) => eb.fn.max(eb.fn.coalesce('v.probed_at', sql.lit(0))).as('probed'))
        .where('v.integration_id', '=', integrationId)
        .where('v.state', '=', state)
        .where('v.code', '=', code)
        .where('v.since', '<', before)
        .where('c.state', '=', 'settled')
        .where('c.eligible', '=', 1)
        .where('k.is_delivered', '=', 1)
        .groupBy('v.crm_id')
        .orderBy('probed')
        .orderBy('v.crm_id')
        .limit(limit)
        .execute();
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('kept_profiles')
        .selectAll()
        .where('integration_id', '=', integrationId)
        .where(
          'crm_id',
          'in',
          ids.map(({ crm_id }) => crm_id),
        )
        .execute();
      return withContacts(integrationId, rows.map(fromRow));
    },

    /** The kept profiles of these jobs, by tracking id. */
    async findOfJobs(
      integrationId: string,
      trackingIds: readonly string[],
    ): Promise<Map<string, KeptRecord>> {
      const found = new Map<string, KeptRecord>();
      for (const portion of filledPortions(trackingIds)) {
        const rows = await db
          .selectFrom('kept_profiles')
          .selectAll()
          .where('integration_id', '=', integrationId)
          .where('tracking_id', 'in', portion)
          .where('profile', '<>', '')
          .execute()
          .then(fromRows);
        for (const row of rows) found.set(row.trackingId, row);
      }
      return found;
    },

    /** How later deliveries ended: what is in the CRM now, and what still waits. */
    async recordLater(lease: Lease, runId: string, ends: readonly LaterEnd[]): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const run = { id: runId, now: clock.now() };
        const owned = ends.flatMap(({ crmId, owned: values }) =>
          values === null ? [] : [{ crm_id: crmId, owned_values: JSON.stringify(values) }],
        );
        await move(trx, lease, 'valuesWritten', owned, run);
        await closeWrites(trx, ends);
        const telling = ends.filter(({ reason }) => outcomeOf(reason) !== 'unchanged');
        const outcomes = telling.map(({ crmId, reason, detail }) => ({
          ...{ crm_id: crmId, outcome_reason: reason, outcome_detail: detail },
        }));
        await move(trx, lease, 'deliveredLater', outcomes, run);
        const words = ends.flatMap((end) => end.words ?? []);
        await keepWords(trx, lease.integrationId, run, words);
        for (const end of ends) {
          if (!end.isPassing) await noteLater(trx, lease.integrationId, run.now, end);
        }
      });
    },

    /**
     * At the start of a run: profiles of contacts that have left are offered as at first when the contact
     * comes back, and a profile that a merge has brought to another contact is kept there alone.
     */
    async noteDepartures(lease: Lease): Promise<void> {
      const { integrationId } = lease;
      await checkpoint(lease, async (trx) => {
        const removed = trx
          .selectFrom('contacts')
          .select('crm_id')
          .where('integration_id', '=', integrationId)
          .where('state', '=', 'removed');
        await trx
          .updateTable('kept_profiles')
          .set({ field_map: '' })
          .where('integration_id', '=', integrationId)
          .where('field_map', '<>', '')
          .where('crm_id', 'in', removed)
          .execute();
        for (const table of ['value_states', 'kept_profiles'] as const) {
          await trx
            .deleteFrom(table)
            .where('integration_id', '=', integrationId)
            .where('crm_id', 'in', (eb) =>
              eb
                .selectFrom('contacts as c')
                .innerJoin('kept_profiles as k', (join) =>
                  join
                    .onRef('k.integration_id', '=', 'c.integration_id')
                    .onRef('k.crm_id', '=', 'c.crm_id'),
                )
                .innerJoin('jobs as j', 'j.tracking_id', 'k.tracking_id')
                .select('c.crm_id')
                .where('c.integration_id', '=', integrationId)
                .where('c.state', '=', 'removed')
                .where('c.merged_into', 'is not', null)
                .whereRef('j.crm_id', '<>', 'k.crm_id')
                .where('j.state', '=', 'delivered'),
            )
            .execute();
        }
      });
    },

    /**
     * Deletes the profiles of contacts that have been opted out since before a moment (epoch ms). Marks of
     * the same day are counted together: more of them than the guard allows delete nothing, because a
     * wrong opt-out field marks every contact.
     */
    async purgeOptedOut(
      lease: Lease,
      { before, guard }: { before: number; guard: { share: number; atLeast: number } },
    ): Promise<{ deleted: number; guarded: number }> {
      const { integrationId } = lease;
      return checkpoint(lease, async (trx) => {
        const optedOut = trx
          .selectFrom('contacts')
          .select('crm_id')
          .where('integration_id', '=', integrationId)
          .where('has_opted_out', '=', 1);
        const ofClient = () =>
          trx.updateTable('kept_profiles').where('integration_id', '=', integrationId);
        await ofClient()
          .set({ opted_out_at: clock.now() })
          .where('opted_out_at', 'is', null)
          .where('crm_id', 'in', optedOut)
          .execute();
        await ofClient()
          .set({ opted_out_at: null })
          .where('opted_out_at', 'is not', null)
          .where('crm_id', 'not in', optedOut)
          .execute();
        const due = await trx
          .selectFrom('kept_profiles')
          .select(['crm_id', 'opted_out_at'])
          .where('integration_id', '=', integrationId)
          .where('opted_out_at', '<', before)
          .execute();
        if (due.length === 0) return { deleted: 0, guarded: 0 };
        const kept = await trx
          .selectFrom('kept_profiles')
          .select((eb) => eb.fn.countAll().as('count'))
          .where('integration_id', '=', integrationId)
          .executeTakeFirst();
        const most = Math.max(
          guard.atLeast - 1,
          Math.floor(Number(kept?.count ?? 0) * guard.share),
        );
        const waves = Map.groupBy(due, ({ opted_out_at: at }) => Math.floor((at ?? 0) / WAVE_MS));
        const gone = [...waves.values()].filter((wave) => wave.length <= most).flat();
        for (const portion of filledPortions(gone.map(({ crm_id }) => crm_id))) {
          for (const table of ['value_states', 'kept_profiles'] as const) {
            await trx
              .deleteFrom(table)
              .where('integration_id', '=', integrationId)
              .where('crm_id', 'in', portion)
              .execute();
          }
        }
        return { deleted: gone.length, guarded: due.length - gone.length };
      });
    },

    /** Deletes profiles that are older than this (epoch ms), with the key that opens each. */
    async purge(lease: Lease, before: number): Promise<number> {
      return checkpoint(lease, (trx) => deleteOld(trx, lease.integrationId, before));
    },
  };

  async function withContacts(
    integrationId: string,
    rows: readonly KeptRecord[],
  ): Promise<KeptOfContact[]> {
    const ids = rows.map(({ crmId }) => crmId);
    const contacts = await findRows(db, integrationId, ids);
    const jobs = new Map<string, FromRow<Selectable<JobsTable>>>();
    const values = new Map<string, ValueNote[]>();
    for (const portion of filledPortions(rows.map(({ trackingId }) => trackingId))) {
      const found = await db
        .selectFrom('jobs')
        .selectAll()
        .where('tracking_id', 'in', portion)
        .execute();
      for (const job of found) jobs.set(job.tracking_id, fromRow(job));
    }
    for (const portion of filledPortions(ids)) {
      const found = await db
        .selectFrom('value_states')
        .select(['crm_id', 'field', 'state', 'code', 'description'])
        .where('integration_id', '=', integrationId)
        .where('crm_id', 'in', portion)
        .execute();
      for (const { crm_id, ...note } of found) {
        values.set(crm_id, [...(values.get(crm_id) ?? []), note]);
      }
    }
    return rows.flatMap((kept) => {
      const contact = contacts.get(kept.crmId);
      const job = jobs.get(kept.trackingId);
      if (contact === undefined || job === undefined) return [];
      return [{ kept, contact: fromRow(contact), job, values: values.get(kept.crmId) ?? [] }];
    });
  }
}

/** Keeps profiles in the transaction in which their delivery ends; each replaces the one before. */
export async function keepProfiles(
  trx: Trx,
  integrationId: string,
  now: number,
  deliveries: readonly KeptDelivery[],
): Promise<void> {
  const delivered = deliveries.filter(({ isDelivered }) => isDelivered);
  for (const portion of filledPortions(delivered.map(({ crmId }) => crmId))) {
    await trx
      .deleteFrom('value_states')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', portion)
      .execute();
  }
  for (const portion of portions(deliveries)) {
    await trx
      .insertInto('kept_profiles')
      .values(
        portion.map(({ crmId, trackingId, isDelivered, fieldMap, donor, key, profile }) => ({
          integration_id: integrationId,
          crm_id: crmId,
          tracking_id: trackingId,
          is_delivered: isDelivered ? 1 : 0,
          field_map: isDelivered ? fieldMap : '',
          kept_at: now,
          opted_out_at: null,
          donor,
          key,
          profile,
        })),
      )
      .onConflict((c) =>
        c.columns(['integration_id', 'crm_id']).doUpdateSet((eb) => ({
          tracking_id: eb.ref('excluded.tracking_id'),
          is_delivered: eb.ref('excluded.is_delivered'),
          field_map: eb.ref('excluded.field_map'),
          kept_at: eb.ref('excluded.kept_at'),
          donor: eb.ref('excluded.donor'),
          key: eb.ref('excluded.key'),
          profile: eb.ref('excluded.profile'),
        })),
      )
      .execute();
  }
  const states = delivered.flatMap(({ crmId, values }) =>
    values.map((value) => ({
      ...value,
      ...{ integration_id: integrationId, crm_id: crmId, since: now, probed_at: null },
    })),
  );
  for (const portion of portions(states)) {
    await trx
      .insertInto('value_states')
      .values(portion)
      .onConflict((c) =>
        c.columns(['integration_id', 'crm_id', 'field']).doUpdateSet((eb) => ({
          state: eb.ref('excluded.state'),
          code: eb.ref('excluded.code'),
          description: eb.ref('excluded.description'),
        })),
      )
      .execute();
  }
}

/** What a user has undone is not written again before a user asks for it, or another profile comes. */
export async function noteUndone(
  trx: Trx,
  integrationId: string,
  now: number,
  { crmId, fields }: { crmId: string; fields: readonly string[] },
): Promise<void> {
  const kept = await trx
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('crm_id', '=', crmId)
    .executeTakeFirst();
  if (kept === undefined) return;
  for (const field of fields) {
    await upsertState(trx, integrationId, crmId, now, {
      ...{ field, state: 'undone', code: '', description: '' },
    });
  }
}

async function noteLater(
  trx: Trx,
  integrationId: string,
  now: number,
  { crmId, offered, values, fieldMap }: LaterEnd,
): Promise<void> {
  const stillOut = new Set(values.map(({ field }) => field));
  const written = offered.filter((field) => !stillOut.has(field));
  for (const portion of filledPortions(written)) {
    await trx
      .deleteFrom('value_states')
      .where('integration_id', '=', integrationId)
      .where('crm_id', '=', crmId)
      .where('field', 'in', portion)
      .execute();
  }
  for (const value of values) {
    await upsertState(trx, integrationId, crmId, now, value, now);
  }
  await trx
    .updateTable('kept_profiles')
    .set({ field_map: fieldMap })
    .where('integration_id', '=', integrationId)
    .where('crm_id', '=', crmId)
    .execute();
}

/** How long a value has been waiting is counted from the first time that the same kept it out. */
async function upsertState(
  trx: Trx,
  integrationId: string,
  crmId: string,
  now: number,
  note: ValueNote,
  probedAt: number | null = null,
): Promise<void> {
  await trx
    .insertInto('value_states')
    .values({
      ...note,
      ...{ integration_id: integrationId, crm_id: crmId, since: now, probed_at: probedAt },
    })
    .onConflict((c) =>
      c.columns(['integration_id', 'crm_id', 'field']).doUpdateSet((eb) => ({
        state: note.state,
        code: note.code,
        description: note.description,
        probed_at: probedAt,
        since: eb
          .case()
          .when(
            eb.and([
              eb('value_states.state', '=', note.state),
              eb('value_states.code', '=', note.code),
            ]),
          )
          .then(eb.ref('value_states.since'))
          .else(eb.ref('excluded.since'))
          .end(),
      })),
    )
    .execute();
}

async function deleteOld(trx: Trx, integrationId: string, before: number): Promise<number> {
  const old = (table: 'kept_profiles' | 'value_states') =>
    trx
      .deleteFrom(table)
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', (eb) =>
        eb
          .selectFrom('kept_profiles')
          .select('crm_id')
          .where('integration_id', '=', integrationId)
          .where('kept_at', '<', before),
      );
  await old('value_states').execute();
  const { numDeletedRows } = await old('kept_profiles').executeTakeFirst();
  return Number(numDeletedRows);
}
