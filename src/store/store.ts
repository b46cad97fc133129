import { type Actor, PRODUCT } from '../core/actor.ts';
import type { Clock } from '../core/clock.ts';
import { auditQueries } from './audit/audit.ts';
import { auditRecorder } from './audit/record.ts';
import { contactQueries } from './contacts/contacts.ts';
import { decidedPageQueries } from './contacts/decided-pages.ts';
import { doubleContactQueries } from './contacts/double-contacts.ts';
import { massChangeQueries } from './contacts/guards/mass-changes.ts';
import { missingContactQueries } from './contacts/guards/missing.ts';
import { reconsideringQueries } from './contacts/reconsidering.ts';
import { jobQueries } from './credits/jobs.ts';
import { mappingQueries } from './credits/mappings.ts';
import { queryIntentQueries } from './credits/queries.ts';
import { reconcile } from './credits/reconciliation.ts';
import { shareQueries } from './credits/shares.ts';
import { submissionQueries } from './credits/submissions.ts';
import { neverReplaced, type RequireInPlace } from './engine/database-file.ts';
import { leaseQueries } from './engine/leases.ts';
import { readinessQueries } from './engine/readiness.ts';
import type { Database } from './engine/tables.ts';
import { aboutQueries } from './erasure/about.ts';
import { type ErasureLog, noErasureLog } from './erasure/erasure-log.ts';
import { everythingOf } from './erasure/everything.ts';
import { forgetQueries } from './erasure/forget.ts';
import { retentionQueries } from './erasure/retention.ts';
import { deliveryQueries } from './fields/deliveries.ts';
import { fieldHealthQueries } from './fields/field-health.ts';
import { formerValueQueries } from './fields/former-values.ts';
import { keptProfileQueries } from './fields/kept-profiles.ts';
import { normalisedFieldQueries } from './fields/normalised-fields.ts';
import { statusQueries } from './fields/statuses.ts';
import { warmPathQueries } from './fields/warm-paths.ts';
import { holdBatchQueries } from './holds/hold-batches.ts';
import { holdQueries } from './holds/holds.ts';
import { approvalQueries } from './networks/approvals.ts';
import { decisionQueueQueries } from './networks/decision-queue.ts';
import { mirroredNetworkQueries } from './networks/mirrored-networks.ts';
import { networkAddQueries } from './networks/network-adds.ts';
import { networkCountQueries } from './networks/network-counts.ts';
import { networkHoldQueries } from './networks/network-holds.ts';
import { networkMemberQueries } from './networks/network-members.ts';
import { networkQueries } from './networks/networks.ts';
import { waitingDecisionQueries } from './networks/waiting-decisions.ts';
import { spanQueries } from './runs/credit-spans.ts';
import { idempotencyQueries } from './runs/idempotency.ts';
import { integrationQueries } from './runs/integrations.ts';
import { rereadQueries } from './runs/rereads.ts';
import { type RunsAsked, runRequestQueries } from './runs/run-requests.ts';
import { runRowQueries } from './runs/run-rows.ts';
import { runQueries } from './runs/runs.ts';
import { scheduleQueries } from './runs/schedules.ts';
import { signQueries } from './runs/signs.ts';
import type { Fingerprint } from './secrets/fingerprint.ts';
import { foreignTextQueries } from './secrets/foreign-texts.ts';
import { secretQueries } from './secrets/secrets.ts';
import { accessQueries } from './service/access.ts';
import { alertQueries } from './service/alerts.ts';
import { attemptQueries } from './service/attempts.ts';
import { consentQueries } from './service/consents.ts';
import { hookQueries } from './service/hooks.ts';
import { paceQueries } from './service/paces.ts';
import { passkeyQueries } from './service/passkeys.ts';
import { peopleQueries } from './service/people.ts';
import { restoreQueries } from './service/restores.ts';
import { sessionQueries } from './service/sessions.ts';
import { setupDraftQueries } from './service/setup-drafts.ts';

export interface StoreDeps {
  db: Database;
  clock: Clock;
  fingerprint: Fingerprint;
  /** Of the open database; left out for one that cannot be replaced. */
  requireInPlace?: RequireInPlace;
  /** Who asks, for the audit. */
  actor?: Actor;
  /** Where erasures are noted outside of the database; left out where they are not. */
  erasures?: ErasureLog;
  /** Learns of runs that are asked for; left out where none does. */
  asked?: RunsAsked;
}

const unheard: RunsAsked = async () => {};

/** All that the product may ask of its database, by intent. */
export interface Store extends ReturnType<typeof queriesOf> {
  /** The same store, with another one who asks, for the audit. */
  actingAs(actor: Actor): Store;
}

export function createStore(deps: StoreDeps): Store {
  return { ...queriesOf(deps), actingAs: (actor) => createStore({ ...deps, actor }) };
}

function queriesOf(deps: StoreDeps) {
  const { db, clock, fingerprint } = deps;
  const { requireInPlace = neverReplaced, actor = PRODUCT, asked = unheard } = deps;
  const { erasures = noErasureLog } = deps;
  const record = auditRecorder({ clock, fingerprint, actor });
  const leases = leaseQueries(db, clock);
  const { checkpoint } = leases;
  return {
    fingerprint,
    requireInPlace,
    leases,
    audit: auditQueries(db, fingerprint, record),
    secrets: secretQueries(db, record),
    integrations: integrationQueries(db, checkpoint, record),
    runs: runQueries(db, checkpoint, clock, record),
    runRows: runRowQueries(db),
    signs: signQueries(db, clock),
    contacts: {
      ...contactQueries(db, checkpoint, clock),
      ...decidedPageQueries(checkpoint, clock),
      ...reconsideringQueries(checkpoint, clock),
    },
    doubleContacts: doubleContactQueries(db, checkpoint),
    massChanges: massChangeQueries(db, checkpoint, clock),
    missingContacts: missingContactQueries(db, checkpoint, clock),
    submissions: submissionQueries(db, leases, clock),
    queries: queryIntentQueries(db, checkpoint, clock),
    reconcile: (time: Parameters<typeof reconcile>[1]) => reconcile(db, time),
    shares: shareQueries(db, checkpoint, clock),
    spans: spanQueries(db),
    jobs: jobQueries(db, checkpoint, clock),
    mappings: mappingQueries(db, checkpoint, clock, record),
    deliveries: deliveryQueries(db, checkpoint, clock),
    keptProfiles: keptProfileQueries(db, checkpoint, clock),
    holds: {
      ...holdQueries(db, clock, fingerprint, record, erasures),
      ...holdBatchQueries(db, clock, record),
    },
    networks: {
      ...networkQueries(db, checkpoint, clock),
      ...networkMemberQueries(db, checkpoint, clock),
      ...networkAddQueries(db, checkpoint, clock),
      ...networkCountQueries(db, checkpoint),
      ...mirroredNetworkQueries(db),
    },
    networkHolds: networkHoldQueries(db, checkpoint, clock, record),
    decisions: {
      ...decisionQueueQueries(db),
      ...waitingDecisionQueries({ db, clock, fingerprint, actor, erasures, checkpoint }),
    },
    approvals: approvalQueries({ db, clock, fingerprint, actor }),
    fieldHealth: fieldHealthQueries(db),
    normalisedFields: normalisedFieldQueries(db, checkpoint, clock),
    formerValues: formerValueQueries(db, checkpoint, clock),
    statuses: statusQueries(db, checkpoint, clock),
    warmPaths: warmPathQueries(db, checkpoint, clock),
    foreignTexts: foreignTextQueries(db, clock),
    about: aboutQueries(db, fingerprint),
    everythingOf: (integrationId: string) => everythingOf(db, integrationId),
    forget: forgetQueries({ db, checkpoint, clock, fingerprint, record, erasures }),
    retention: retentionQueries(checkpoint, clock, record),
    schedules: scheduleQueries(db, clock, asked, record),
    runRequests: runRequestQueries(db, clock, asked, record),
    idempotency: idempotencyQueries(db, clock),
    access: accessQueries(db, clock, record),
    people: peopleQueries(db, clock, record),
    passkeys: passkeyQueries(db, clock, record),
    attempts: attemptQueries(db, clock),
    sessions: sessionQueries(db, clock, record),
    hooks: hookQueries(db, clock, record),
    rereads: rereadQueries(db, clock, asked),
    consents: consentQueries(db, clock),
    setupDrafts: setupDraftQueries(db, clock, record),
    alerts: alertQueries(db, clock),
    paces: paceQueries(db),
    restores: restoreQueries(db, clock, record),
    readiness: readinessQueries(db, clock, requireInPlace),
  };
}
