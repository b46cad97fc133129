/** Stores requests for runs. While requests wait, donor-sync combines equal requests. */
import type { Selectable } from 'kysely';
import type { Trigger } from '../../core/run.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { FromRow } from '../../database/from-row.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type RunRequestRecord = FromRow<Selectable<Tables['run_requests']>>;

export interface NewRunRequest {
  integrationId: string;
  /** The CRM ID of the contact, or null for all contacts. */
  contact: string | null;
  trigger: Trigger;
  full: boolean;
  /** The ID that the run gets if no equal request is waiting. */
  runId: string;
  /** The earliest start, by the database's clock. Defaults to now. */
  notBefore?: number;
}

/** True for requests from users and webhooks. Requests from users and webhooks come before requests from a schedule. */
export function isUrgent({ trigger }: Pick<NewRunRequest, 'trigger'>): boolean {
  return trigger !== 'schedule';
}

/**
 * The stored contact ID that means all contacts. Null cannot be used, because a unique index treats two nulls as
 * different.
 */
export const ALL_CONTACTS = '';

export function toRequestRecord(request: NewRunRequest, now: number): RunRequestRecord {
  return {
    runId: request.runId,
    integrationId: request.integrationId,
    contact: request.contact ?? ALL_CONTACTS,
    trigger: request.trigger,
    full: request.full ? 1 : 0,
    requestedAt: now,
    times: 1,
    resumed: 0,
    leftAt: null,
    mergedInto: null,
    urgent: isUrgent(request) ? 1 : 0,
    notBefore: request.notBefore ?? 0,
  };
}

export async function insertRequest(
  trx: ActorTransaction,
  request: RunRequestRecord,
): Promise<string> {
  const inserted = await insertRows(trx, [request]).returning('run_id').executeTakeFirstOrThrow();
  return inserted.run_id;
}

export function insertRows(trx: ActorTransaction, requests: readonly RunRequestRecord[]) {
  return trx
    .insertInto('run_requests')
    .values(
      requests.map((request) => ({
        run_id: request.runId,
        integration_id: request.integrationId,
        contact: request.contact,
        trigger: request.trigger,
        full: request.full,
        requested_at: request.requestedAt,
        times: request.times,
        resumed: request.resumed,
        left_at: request.leftAt,
        merged_into: request.mergedInto,
        urgent: request.urgent,
        not_before: request.notBefore,
      })),
    )
    .onConflict((c) =>
      c
        .columns(['integration_id', 'contact'])
        .where('left_at', 'is', null)
        .doUpdateSet((eb) => ({
          times: eb('run_requests.times', '+', 1),
          // If any of the combined requests is a full run, the combined request is a full run too.
          full: eb
            .case()
            .when('excluded.full', '=', 1)
            .then(1)
            .else(eb.ref('run_requests.full'))
            .end(),
          urgent: eb
            .case()
            .when('excluded.urgent', '=', 1)
            .then(1)
            .else(eb.ref('run_requests.urgent'))
            .end(),
          // Webhook calls are collected for a while. Requests from users and schedules do not have to wait for them.
          not_before: eb
            .case()
            .when('excluded.not_before', '<', eb.ref('run_requests.not_before'))
            .then(eb.ref('excluded.not_before'))
            .else(eb.ref('run_requests.not_before'))
            .end(),
        })),
    );
}
