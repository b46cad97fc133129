import type { Clock } from '../core/clock.ts';
import { accessQueries } from './access.ts';
import { alertQueries } from './alerts.ts';
import { consentQueries } from './consents.ts';
import { contactQueries } from './contacts.ts';
import { neverReplaced, type RequireInPlace } from './database-file.ts';
import { decidedPageQueries } from './decided-pages.ts';
import { deliveryQueries } from './deliveries.ts';
import { departureQueries } from './departures.ts';
import { doubleContactQueries } from './double-contacts.ts';
import type { Fingerprint } from './fingerprint.ts';
import { foreignTextQueries } from './foreign-texts.ts';
import { forgetQueries } from './forget.ts';
import { holdBatchQueries } from './hold-batches.ts';
import { holdQueries } from './holds.ts';
import { hookQueries } from './hooks.ts';
import { idempotencyQueries } from './idempotency.ts';
import { integrationQueries } from './integrations.ts';
import { jobQueries } from './jobs.ts';
import { leaseQueries } from './leases.ts';
import { mappingQueries } from './mappings.ts';
import { massChangeQueries } from './mass-changes.ts';
import { mirroredNetworkQueries } from './mirrored-networks.ts';
import { networkAddQueries } from './network-adds.ts';
import { networkCountQueries } from './network-counts.ts';
import { networkHoldQueries } from './network-holds.ts';
import { networkMemberQueries } from './network-members.ts';
import { networkQueries } from './networks.ts';
import { readinessQueries } from './readiness.ts';
import { reconsideringQueries } from './reconsidering.ts';
import { runRequestQueries } from './run-requests.ts';
import { runRowQueries } from './run-rows.ts';
import { runQueries } from './runs.ts';
import { scheduleQueries } from './schedules.ts';
import { secretQueries } from './secrets.ts';
import { shareQueries } from './shares.ts';
import { submissionQueries } from './submissions.ts';
import type { Database } from './tables.ts';
import { warmPathQueries } from './warm-paths.ts';

export interface StoreDeps {
  db: Database;
  clock: Clock;
  fingerprint: Fingerprint;
  /** Of the open database; left out for one that cannot be replaced. */
  requireInPlace?: RequireInPlace;
}

/** All that the product may ask of its database, by intent. */
export function createStore({ db, clock, fingerprint, requireInPlace = neverReplaced }: StoreDeps) {
  const leases = leaseQueries(db, clock);
  const { checkpoint } = leases;
  return {
    fingerprint,
    requireInPlace,
    leases,
    secrets: secretQueries(db),
    integrations: integrationQueries(db, checkpoint),
    runs: runQueries(db, checkpoint, clock),
    runRows: runRowQueries(db),
    contacts: {
      ...contactQueries(db, checkpoint, clock),
      ...decidedPageQueries(checkpoint, clock),
      ...reconsideringQueries(checkpoint, clock),
      ...departureQueries(checkpoint, clock),
    },
    doubleContacts: doubleContactQueries(db, checkpoint),
    massChanges: massChangeQueries(db, checkpoint, clock),
    submissions: submissionQueries(db, checkpoint, clock),
    shares: shareQueries(db, checkpoint, clock),
    jobs: jobQueries(db, checkpoint, clock),
    mappings: mappingQueries(db, checkpoint, clock),
    deliveries: deliveryQueries(db, checkpoint, clock),
    holds: { ...holdQueries(db, clock, fingerprint), ...holdBatchQueries(db, clock) },
    networks: {
      ...networkQueries(db, checkpoint, clock),
      ...networkMemberQueries(db, checkpoint, clock),
      ...networkAddQueries(db, checkpoint, clock),
      ...networkCountQueries(db, checkpoint),
      ...mirroredNetworkQueries(db),
    },
    networkHolds: networkHoldQueries(db, checkpoint, clock),
    warmPaths: warmPathQueries(db, checkpoint, clock),
    foreignTexts: foreignTextQueries(db, clock),
    forget: forgetQueries(db, clock, fingerprint),
    schedules: scheduleQueries(db, clock),
    runRequests: runRequestQueries(db, clock),
    idempotency: idempotencyQueries(db, clock),
    access: accessQueries(db, clock),
    hooks: hookQueries(db, clock),
    consents: consentQueries(db, clock),
    alerts: alertQueries(db, clock),
    readiness: readinessQueries(db, clock, requireInPlace),
  };
}

export type Store = ReturnType<typeof createStore>;
