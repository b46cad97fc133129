/** Stores why profile values are not in their fields. Each value that is not in its field has one row. */

import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches } from '../../database/rows.ts';
import type { ValueState } from '../../database/tables/fields.ts';
import type { Tables } from '../../database/tables/tables.ts';

/** A value of a profile that is not in its field. */
export interface ValueNote {
  field: string;
  state: ValueState;
  /**
   * The CRM's code for the reason. Empty if the field's description explains the reason. For a profile's value that an
   * undo has removed, the code is `profile`.
   */
  code: string;
  /** The fingerprint of the field's description. Empty if the CRM does not describe the field. */
  description: string;
}

/** Values that wait for the same reason. */
export interface WaitingValues extends ValueNote {
  contacts: number;
  since: number;
  /** The time at which one of these values was last tested. Null if none was tested. */
  probedAt: number | null;
}

/** States that end when their reason no longer applies. The values are then written. */
export const WAITING_STATES = [
  'refused',
  'no_such_field',
  'no_permission',
  'does_not_fit',
  'other_currency',
  'no_rate',
] as const satisfies readonly ValueState[];

/** States that can end when the description of the field changes. The complete values are then written. */
export const UNFIT_STATES = [
  ...WAITING_STATES,
  'shortened',
  'currency_changed',
] as const satisfies readonly ValueState[];

/** States that end only if a user requests the values. */
export const REMOVED_STATES = ['emptied', 'undone'] as const satisfies readonly ValueState[];

export interface NoteOfContact {
  crmId: string;
  note: ValueNote;
}

/**
 * Counts the missing values by field and reason. With `before`, counts only older values and values with a changed
 * currency.
 */
export async function listWaitingValues(
  reader: Reader,
  integrationId: string,
  {
    states = WAITING_STATES,
    before = null,
  }: { states?: readonly ValueState[]; before?: number | null } = {},
): Promise<WaitingValues[]> {
  const rows = await reader
    .selectFrom('value_states')
    .select(['field', 'state', 'code', 'description'])
    .select((eb) => [
      eb.fn.countAll().as('contacts'),
      eb.fn.min('since').as('since'),
      eb.fn.max('probed_at').as('probed_at'),
    ])
    .where('integration_id', '=', integrationId)
    .where('state', 'in', states)
    .$if(before !== null, (query) =>
      query.where((eb) =>
        eb.or([eb('since', '<', before ?? 0), eb('state', '=', 'currency_changed')]),
      ),
    )
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
}

/** The numbers of waiting values for users. */
export interface CountedValues {
  field: string;
  state: (typeof WAITING_STATES)[number];
  code: string;
  isGone: boolean;
  contacts: number;
}

/** Counts the waiting values by field and reason, for users. */
export async function countWaitingValues(
  reader: Reader,
  integrationId: string,
): Promise<CountedValues[]> {
  const rows = await reader
    .selectFrom('value_states as v')
    .leftJoin('kept_profiles as k', (join) =>
      join.onRef('k.integration_id', '=', 'v.integration_id').onRef('k.crm_id', '=', 'v.crm_id'),
    )
    .select(['v.field', 'v.state', 'v.code'])
    .select((eb) => [
      eb.case().when('k.gone_at', 'is', null).then(0).else(1).end().as('gone'),
      eb.fn.countAll().as('contacts'),
    ])
    .where('v.integration_id', '=', integrationId)
    .where('v.state', 'in', WAITING_STATES)
    .groupBy(['v.field', 'v.state', 'v.code', 'gone'])
    .orderBy('v.field')
    .orderBy('v.state')
    .orderBy('v.code')
    .execute();
  return rows.flatMap(({ field, state, code, gone, contacts }) => {
    const waiting = WAITING_STATES.find((each) => each === state);
    if (waiting === undefined) return [];
    return [{ field, state: waiting, code, isGone: gone === 1, contacts: Number(contacts) }];
  });
}

export async function findNotes(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, ValueNote[]>> {
  const notes = new Map<string, ValueNote[]>();
  for (const batch of inFilledBatches(crmIds)) {
    const found = await reader
      .selectFrom('value_states')
      .select(['crm_id', 'field', 'state', 'code', 'description'])
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .execute();
    for (const { crm_id, ...note } of found) {
      notes.set(crm_id, [...(notes.get(crm_id) ?? []), note]);
    }
  }
  return notes;
}

export async function putNotes(
  trx: RunTransaction,
  integrationId: string,
  notes: readonly NoteOfContact[],
  { now, probedAt = null }: { now: number; probedAt?: number | null },
): Promise<void> {
  const rows = new Map(
    notes.map(({ crmId, note: { field, state, code, description } }) => [
      JSON.stringify([crmId, field]),
      {
        integration_id: integrationId,
        crm_id: crmId,
        field,
        state,
        code,
        description,
        since: now,
        probed_at: probedAt,
      },
    ]),
  );
  for (const batch of inBatches([...rows.values()])) {
    await trx
      .insertInto('value_states')
      .values(batch)
      .onConflict((c) =>
        c.columns(['integration_id', 'crm_id', 'field']).doUpdateSet((eb) => ({
          state: eb.ref('excluded.state'),
          code: eb.ref('excluded.code'),
          description: eb.ref('excluded.description'),
          probed_at: eb.ref('excluded.probed_at'),
          since: eb
            .case()
            .when(
              eb.and([
                eb('value_states.state', '=', eb.ref('excluded.state')),
                eb('value_states.code', '=', eb.ref('excluded.code')),
              ]),
            )
            .then(eb.ref('value_states.since'))
            .else(eb.ref('excluded.since'))
            .end(),
        })),
      )
      .execute();
  }
}

/**
 * Records that a run chose these contacts for a test and must not write to them. Other contacts are then chosen first.
 */
export async function recordProbed(
  trx: RunTransaction,
  crmIds: readonly string[],
  { state, code }: Pick<ValueNote, 'state' | 'code'>,
  now: number,
): Promise<void> {
  await trx
    .updateTable('value_states')
    .set({ probed_at: now })
    .where('integration_id', '=', trx.lease.integrationId)
    .where('crm_id', 'in', crmIds)
    .where('state', '=', state)
    .where('code', '=', code)
    .execute();
}

/** Deletes the rows of values that have been written. The fields are given by contact. */
export async function dropNotes(
  trx: RunTransaction,
  integrationId: string,
  written: readonly { crmId: string; fields: readonly string[] }[],
): Promise<void> {
  const pairs = written.flatMap(({ crmId, fields }) => fields.map((field) => ({ crmId, field })));
  for (const [field, some] of Map.groupBy(pairs, (pair) => pair.field)) {
    for (const batch of inFilledBatches(some.map(({ crmId }) => crmId))) {
      await trx
        .deleteFrom('value_states')
        .where('integration_id', '=', integrationId)
        .where('crm_id', 'in', batch)
        .where('field', '=', field)
        .execute();
    }
  }
}

/**
 * The code of an undone value that came from a profile. The value of a warm path has no code. The hyphen distinguishes the
 * code from the CRM's error codes.
 */
const OF_PROFILE = 'of-profile';

/**
 * True if an undo has restored values from before the profile. Such a profile does not count in results, and does not
 * rank introductions. It counts again after its values were written again, or after a newer profile was bought.
 */
export function isProfileUndone(
  eb: ExpressionBuilder<Tables, 'kept_profiles'>,
): ExpressionWrapper<Tables, 'kept_profiles', SqlBool> {
  return eb.exists(
    eb
      .selectFrom('value_states')
      .select('value_states.field')
      .whereRef('value_states.integration_id', '=', 'kept_profiles.integration_id')
      .whereRef('value_states.crm_id', '=', 'kept_profiles.crm_id')
      .where('value_states.state', '=', 'undone')
      .where('value_states.code', '=', OF_PROFILE)
      .whereRef('value_states.since', '>=', 'kept_profiles.kept_at'),
  );
}

/**
 * Records values that an undo removed. Removed values are written again only at a user's request or with another
 * profile.
 */
export async function recordUndone(
  trx: RunTransaction,
  integrationId: string,
  now: number,
  { crmId, fields, isProfile }: { crmId: string; fields: readonly string[]; isProfile: boolean },
): Promise<void> {
  const kept = await trx
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('crm_id', '=', crmId)
    .executeTakeFirst();
  if (kept === undefined) return;
  const undone = fields.map((field) => ({
    crmId,
    note: { field, state: 'undone' as const, code: isProfile ? OF_PROFILE : '', description: '' },
  }));
  await putNotes(trx, integrationId, undone, { now });
}
