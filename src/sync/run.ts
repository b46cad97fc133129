/**
 * Carries out all steps for contacts: read ► plan ► submit ► poll ► deliver. The stations run at the same time. Each
 * station of a run takes its work from the database and stores its results there. No station calls another station, so
 * a new process can continue a killed run.
 */

import { storePastMonths } from '../clients/results/month-results.ts';
import { recordIgnored } from '../clients/statements/hooks.ts';
import { stampWaiting } from '../contacts/contacts.ts';
import { reconsiderContacts, retryUnreadable } from '../contacts/reconsidering.ts';
import { steadyClock } from '../core/clock.ts';
import type { FieldSpec } from '../core/crm-field.ts';
import { messageOf } from '../core/errors.ts';
import { type FieldMapping, SYNC_SOURCES } from '../core/field-map.ts';
import type { Integration } from '../core/integration-settings.ts';
import { completeDays } from '../core/retention.ts';
import {
  type RunReport,
  type RunStatus,
  STOPPED_BY_PERSON,
  type StopCode,
  type Trigger,
} from '../core/run.ts';
import { hasTrialLimits } from '../core/set-up-trial.ts';
import { readBalance, readFirstBalance } from '../credits/balance.ts';
import { confirmClock, holdAfterRestore, mayDeleteByAge } from '../credits/confirm.ts';
import { settleFormerKeys } from '../credits/settle-former-keys.ts';
import { findKeyBalance } from '../credits/statements/balances.ts';
import { acceptMappingByPerson, recordMappingInUse } from '../credits/statements/mappings.ts';
import { WHOLE_RUN } from '../database/encryption/foreign-texts.ts';
import { type Lease, LeaseLost } from '../database/leases.ts';
import { applyAllAnswers } from '../decisions/statements/withdrawable-answers.ts';
import { readFields, requireUsableField } from '../fields/describe.ts';
import { loadErasedTexts } from '../fields/erasing/erased-mentions.ts';
import { loadNormalised } from '../fields/read-back.ts';
import {
  listOfferedMaps,
  noteDepartedProfiles,
  offerProfilesAgain,
} from '../fields/statements/kept-profiles.ts';
import { lookAtStatusesAgain } from '../fields/statements/statuses.ts';
import { fingerprintLine } from '../fields/value-states.ts';
import { readValuesWaiting } from '../fields/waiting-values-view.ts';
import { createIdentityReader } from '../identity/identity-reader.ts';
import { getNetworkCreditsByRun } from '../networks/statements/network-adds.ts';
import { toContactId } from './control/contact-id.ts';
import type { RedeliveryRequest, Run, RunDeps, SyncDeps } from './control/context.ts';
import { createRunControl, type RunControl } from './control/control.ts';
import { openCrm } from './control/crm-account.ts';
import { forgottenFingerprint, keepErasedAway, loadErased } from './control/erased.ts';
import { withoutErasedPeople } from './control/erased-profiles.ts';
import { fingerprintMapping } from './control/mapping.ts';
import { sealWords } from './control/seal-words.ts';
import { NO_STAGES, type Stage, type Stages } from './control/stage.ts';
import { withLease } from './control/with-lease.ts';
import { deliverProfiles } from './deliver.ts';
import { decideDepartures } from './guards/departures.ts';
import { holdRenamed, sortFormerValues } from './guards/former-persons.ts';
import { askAboutMarks } from './guards/marks.ts';
import { decideOptOuts } from './guards/opt-outs.ts';
import { endSorting } from './guards/since-backup.ts';
import { openIdentities } from './identities.ts';
import { askedBefore, decideAgain } from './plan.ts';
import { pollJobs } from './poll.ts';
import { purgeOld, purgeProfiles } from './purge-old.ts';
import { planRules, readContacts } from './read.ts';
import { redeliverProfiles } from './redelivery/redeliver.ts';
import { redeliverRequested } from './redelivery/request.ts';
import { contactUnknown, findUnknown } from './require-contact.ts';
import {
  findOutsideState,
  findRunById,
  recordRunBegin,
  recordRunEnd,
  recordRunFacts,
} from './statements/runs.ts';
import { submitPersons } from './submit.ts';
import { buildReport, type RunFacts } from './views/run.ts';

export interface RunRequest {
  /** The run's ID. Defaults to a new ID. */
  runId?: string;
  integration: Integration;
  mappings: readonly FieldMapping[];
  /** The fingerprint of the service key. */
  partnerKey: string;
  trigger: Trigger;
  full: boolean;
  /** The CRM IDs of the contacts to sync, or null for all contacts. */
  only: string | readonly string[] | null;
  /** Other requested runs for some of these contacts. This run also serves these requests. */
  alongside?: readonly string[];
  /**
   * The maximum number of credits that the run may spend on enhancements. If a limit is set, the watermark does not
   * move. Defaults to no limit.
   */
  limit?: number | null;
  /** True if a user accepts the trial's match rate. Defaults to false. */
  acceptMatchRate?: boolean;
  /** True if a user confirms marks that exclude most contacts. Defaults to false. */
  acceptMarks?: boolean;
  /** True to adopt contacts that have a donor ID from a different database. */
  adopt?: boolean;
  /** A user's request to deliver profiles again. If it is set, the run reads and buys nothing. Defaults to none. */
  redelivery?: RedeliveryRequest | null;
  /** Additional stages. Defaults to none. */
  stages?: Stages;
  /** Abort this signal to stop the run at its next checkpoint, within ten seconds. */
  signal: AbortSignal;
}

/** The state that a run shows to others while it is in progress. */
export interface RunWatch {
  started?: (run: Run) => void;
  /** Returns the numbers of calls that the clients have counted so far. */
  calls: () => RunFacts['calls'];
}

/**
 * Runs a sync, which continues where the last run stopped. Records the run before it makes any request. If a user has
 * to fix a problem before the run can start, records the run as failed and throws the error.
 */
export function runSync(deps: RunDeps, request: RunRequest, watch: RunWatch): Promise<RunReport> {
  return withLease(deps, request.integration.id, async (lease, lost) => {
    // Before the run reads anything, it carries out the decisions that users have just made on a page.
    await applyAllAnswers(deps.store, request.integration.id);
    const run = await beginRun(deps, lease, request);
    lost.addEventListener('abort', () => run.control.stopFor(lost.reason), { once: true });
    const remaining: RunFacts['remaining'] = { enhancements: null, networks: null };
    const over = new AbortController();
    const facts = () => ({ remaining, calls: watch.calls() });
    const looking = lookOutside(deps, run, facts, over.signal);
    try {
      watch.started?.(run);
      const ready = await prepareRun(deps, run, request);
      if (ready !== null && run.redelivery) {
        await redeliver(ready, run, run.redelivery, remaining);
      } else if (ready !== null) {
        await runStations(ready, run, request.stages ?? NO_STAGES, remaining);
      }
      over.abort();
      await looking;
      const report = await endRun(deps, run, facts());
      if (ready === null && run.control.failure !== null) throw run.control.failure;
      return report;
    } finally {
      over.abort();
      await looking;
      run.control.close();
    }
  });
}

/** The interval at which a run updates its visible state and checks for a user's request to stop. */
const LOOK_OUTSIDE_MS = 3_000;

/**
 * While the run is in progress, records data that only this process knows. Stops the run when a user requests it, in
 * this process or on a different machine. If the database is unavailable, tries again.
 */
async function lookOutside(
  { store, clock, log }: Pick<RunDeps, 'store' | 'clock' | 'log'>,
  run: Run,
  facts: () => RunFacts,
  over: AbortSignal,
): Promise<void> {
  let noted = '';
  for (;;) {
    await clock.sleep(LOOK_OUTSIDE_MS, over);
    if (over.aborted) return;
    try {
      const { remaining, calls } = facts();
      const { balance, isStopAsked } = await findOutsideState(store.reader, run.id, run.partnerKey);
      const now = JSON.stringify({ remaining: { ...remaining, enhancements: balance }, calls });
      if (now !== noted) await recordRunFacts(store.connection, run.id, now);
      noted = now;
      if (isStopAsked) run.control.stop(STOPPED_BY_PERSON.code, STOPPED_BY_PERSON.message);
    } catch (error) {
      log.warn({ run: run.id, error: messageOf(error) }, 'a run could not be watched from outside');
    }
  }
}

/** Opens the CRM and reads its fields. If that fails, records the reason in the run and returns null. */
async function prepareRun(
  closed: RunDeps,
  run: Run,
  {
    acceptMatchRate = false,
    acceptMarks = false,
  }: Pick<RunRequest, 'acceptMatchRate' | 'acceptMarks'>,
): Promise<SyncDeps | null> {
  try {
    for (const id of run.only ?? []) toContactId(closed.canonicalId, run.integration.id, id);
    const deps = await openCrm(closed, run.lease);
    const { connector } = deps;
    Object.assign(run, await keepErasedAway(deps, run.integration.id));
    run.mapping = fingerprintMapping(deps, run.integration);
    await recordMapping(deps, run, acceptMatchRate);
    await checkNamed(deps, run);
    const { fields, described, findings, toCreate } = await readFields(connector, run.mappings);
    requireUsableField(run.integration, run.mappings, findings);
    if (toCreate.length > 0) {
      // Records the affected field maps first. Once the missing fields are created, nothing shows that they were
      // missing.
      const maps = await mapsWith(deps, run, toCreate);
      if (maps.length > 0) {
        await deps.store.checkpoint(run.lease, (trx) => offerProfilesAgain(trx, maps));
      }
      const names = new Set(toCreate.map(({ name }) => name));
      if (run.mappings.some(({ from, to }) => SYNC_SOURCES.includes(from) && names.has(to))) {
        await deps.store.checkpoint(run.lease, lookAtStatusesAgain);
      }
      await connector.createFields(toCreate);
      run.created = names;
    }
    run.fields = fields;
    run.described = described;
    run.normalised = await loadNormalised(deps, run.integration.id);
    const erasedTexts = await loadErasedTexts(deps, run.integration.id);
    if (erasedTexts !== null) run.erasedTexts = erasedTexts;
    run.identities = await openIdentities(deps, run);
    await askAboutMarks(deps, run, acceptMarks);
    return { ...deps, partner: withoutErasedPeople(deps, run) };
  } catch (error) {
    // If a requested stop causes the error, the stop is the reason, and the error is not an additional reason.
    if (!run.control.stopping.aborted) run.control.stopFor(error);
    return null;
  }
}

/** Returns the field maps that contain any of these fields and that donor-sync used to offer profiles. */
async function mapsWith(
  deps: Pick<SyncDeps, 'store'>,
  { integration, mappings }: Pick<Run, 'integration' | 'mappings'>,
  fields: readonly FieldSpec[],
): Promise<string[]> {
  const offered = await listOfferedMaps(deps.store.reader, integration.id);
  const names = new Set(fields.map(({ name }) => name));
  const lost = new Set(
    mappings.filter(({ to }) => names.has(to)).map((line) => fingerprintLine(deps, line)),
  );
  return offered.flatMap(({ fieldMap, lines }) =>
    lines.some((line) => lost.has(line)) ? fieldMap : [],
  );
}

/**
 * Checks that the named contacts exist. If a webhook names a contact that was deleted or belongs to another CRM, the
 * run counts and ignores the contact. If a user names a contact that does not exist, a ConfigurationError is thrown.
 */
async function checkNamed(deps: SyncDeps, run: Run): Promise<void> {
  const { integration, trigger, only } = run;
  const named = (only ?? []).filter((id) => forgottenFingerprint(deps, run, id) === null);
  const unknown = await findUnknown(deps, integration, named);
  const [first] = unknown;
  if (first === undefined) return;
  if (trigger !== 'webhook') throw contactUnknown(integration, first);
  for (const id of unknown) run.ignored.add(id);
  await recordIgnored(deps.store.connection, integration.id, unknown.length);
  deps.log.info({ run: run.id, ignored: unknown.length }, 'the CRM lacks what a webhook named');
}

/** Records the mapping before the run spends credits. If a user accepts the mapping, records the acceptance too. */
async function recordMapping({ store }: SyncDeps, run: Run, isAccepted: boolean): Promise<void> {
  await store.checkpoint(run.lease, (trx) => recordMappingInUse(trx, run.mapping));
  if (isAccepted)
    await store.act((trx) => acceptMappingByPerson(trx, run.integration.id, run.mapping));
}

async function beginRun(deps: RunDeps, lease: Lease, request: RunRequest): Promise<Run> {
  const { store, clock, newId } = deps;
  // If the ID is not valid, the run ends immediately after it is recorded.
  const named = typeof request.only === 'string' ? [request.only] : request.only;
  const only = named && [...new Set(named.map((id) => deps.canonicalId(id) ?? id))];
  const run: Run = {
    id: request.runId ?? newId(),
    lease,
    integration: request.integration,
    trigger: request.trigger,
    mappings: request.mappings,
    mapping: '',
    fields: [],
    described: new Set(),
    partnerKey: request.partnerKey,
    groupMembers: new Set(),
    identities: createIdentityReader({ fingerprint: store.fingerprint, shape: null, known: [] }),
    ...(await loadErased(deps, request.integration.id, null)),
    full: request.full,
    only,
    ignored: new Set(),
    named: new Set(),
    refused: new Map(),
    limit: request.limit ?? null,
    adopt: request.adopt ?? false,
    redelivery: request.redelivery ?? null,
    control: createRunControl(clock, request.signal),
  };
  const names = only === null ? null : only.map((id) => nameOnRecord(deps, run, id));
  const { trigger, full, alongside = [] } = request;
  const redelivers = run.redelivery != null;
  const isTrial = hasTrialLimits(request.integration);
  await store.checkpoint(lease, (trx) =>
    recordRunBegin(trx, run.id, trigger, names, { full, isTrial, redelivers, alongside }),
  );
  return run;
}

/** Returns the contact's ID for the run's record. For an erased contact, returns the ID's fingerprint. */
function nameOnRecord(deps: RunDeps, run: Run, crmId: string): string {
  return forgottenFingerprint(deps, run, crmId) ?? crmId;
}

/** At a user's request, writes stored profiles into the CRM again. This costs no credits. */
async function redeliver(
  deps: SyncDeps,
  run: Run,
  request: RedeliveryRequest,
  remaining: RunFacts['remaining'],
): Promise<void> {
  try {
    await deps.store.requireInPlace();
    const unconfirmed = await holdAfterRestore(deps, run);
    // The stored profiles may be older than the values in the CRM.
    if (unconfirmed !== null) run.control.stop('restore_unconfirmed', unconfirmed);
    await deps.store.checkpoint(run.lease, noteDepartedProfiles);
    if (!run.control.stopping.aborted) await redeliverRequested(deps, run, request);
  } catch (error) {
    run.control.stopFor(error);
  }
  try {
    await deps.connector.finish();
  } catch (error) {
    run.control.stopFor(error);
  }
  remaining.enhancements = (await findKeyBalance(deps.store.reader, run.partnerKey)).balance;
}

/** Runs the stations. If a station fails, its error stops the other stations at their checkpoints. */
async function runStations(
  deps: SyncDeps,
  run: Run,
  stages: Stages,
  remaining: RunFacts['remaining'],
): Promise<void> {
  const startedAt = deps.clock.now();
  // The database stores decisions that depend on age, so these decisions must not depend on a clock that someone
  // adjusts during the run.
  const steady = { ...deps, clock: steadyClock(deps.clock) };
  const station = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      deps.log.warn({ run: run.id, error: messageOf(error) }, 'a station of the run stopped');
      run.control.stopFor(error);
    });
  await station(
    prepareStations(deps, run).then((networks) => {
      remaining.networks = networks;
    }),
  );
  await runStages(stages.before);
  await Promise.all([
    station(readContacts(steady, run, () => holdRenamed(deps, run))),
    station(submitPersons(deps, run)),
    station(pollJobs(steady, run)),
    station(deliverProfiles(steady, run)),
  ]);
  // Decides about missing contacts before the run removes members from networks.
  if (!run.control.stopping.aborted) await station(decideDepartures(steady, run));
  if (!run.control.stopping.aborted) await station(decideOptOuts(steady, run));
  if (!run.control.stopping.aborted) {
    await station(holdRenamed(deps, run).then(() => sortFormerValues(deps, run)));
  }
  if (!run.control.stopping.aborted) await station(redeliverProfiles(steady, run, startedAt));
  await runStages(stages.after);
  if (!run.control.stopping.aborted) await station(endSorting(deps, run));
  if ((await getNetworkCreditsByRun(deps.store.reader, run.id)) > 0) {
    await station(
      readBalance(deps, run).then(({ networks }) => {
        remaining.networks = networks;
      }),
    );
  }
  await station(deps.connector.finish());
  remaining.enhancements = (await findKeyBalance(deps.store.reader, run.partnerKey)).balance;

  async function runStages(inOrder: readonly Stage[]): Promise<void> {
    for (const stage of inOrder) {
      if (run.control.stopping.aborted) return;
      await station(confirmClock(deps, run).then(() => stage(deps, run)));
    }
  }
}

/**
 * Reads the service's limits and the balance. The function also finds outdated profiles, unless the clock is wrong or
 * the result could not be stored.
 */
async function prepareStations(deps: SyncDeps, run: Run): Promise<number> {
  await deps.partner.discover(run.control.ending);
  const { networks } = await readFirstBalance(deps, run);
  await deps.store.requireInPlace();
  // Checks the clock before any decision that depends on a profile's age, because the database stores such decisions.
  await confirmClock(deps, run);
  await holdAfterRestore(deps, run);
  await deps.store.checkpoint(run.lease, noteDepartedProfiles);
  await deps.store.checkpoint(run.lease, (trx) => retryUnreadable(trx, run.only));
  if (run.only === null) {
    const rules = planRules(deps, run);
    await reconsiderContacts(deps.store, run.lease, run.id, askedBefore(rules), (row) =>
      decideAgain(row, rules),
    );
  }
  await settleFormerKeys(deps, run);
  return networks;
}

const DAY_MS = 86_400_000;

async function endRun(deps: RunDeps, run: Run, facts: RunFacts): Promise<RunReport> {
  const { store, clock } = deps;
  const finishedAt = clock.now();
  // A run that only delivers profiles again leaves all other work to the next run.
  if (run.redelivery == null) {
    const reasons = {
      due: waitingReason(run.control),
      submitted: 'job_running',
      unsettled: 'settlement_pending',
      ready: 'delivery_pending',
      only: run.only,
    } as const;
    const moment = { id: run.id, now: clock.now() };
    const stamping = store.checkpoint(run.lease, (trx) => stampWaiting(trx, moment, reasons));
    await ifStillOurs(run, stamping);
  }
  const isWhole = run.only === null && run.redelivery == null;
  const valuesWaiting = await readValuesWaiting(store.reader, run.integration.id, run.mappings);
  const report = { ...(await reportOn(deps, run, finishedAt, facts)), valuesWaiting };
  const end = { status: report.status, reason: report.reason, finishedAt };
  // If the clock were years ahead, every profile would look old, even profiles that are paid for.
  const byAge = mayDeleteByAge(deps.partner.clockAheadMs(), isWell(report));
  const finishing = store.checkpoint(run.lease, (trx) =>
    recordRunEnd(trx, run.id, {
      ...end,
      report: JSON.stringify(report),
      words: sealWords(deps, run, WHOLE_RUN, run.control.words),
      keepsOldTexts: !byAge,
      keepRowsSince: isWhole && byAge ? finishedAt - deps.retention.runRows * DAY_MS : null,
    }),
  );
  if (!(await ifStillOurs(run, finishing))) return reportOn(deps, run, finishedAt, facts);
  // Deletes expired profiles after every run, whatever its result. If this deletion depended on the run, the profiles
  // of objecting contacts would remain while the service is unavailable.
  if (byAge) await addUpMonths(deps, run);
  await ifStillOurs(
    run,
    decideOptOuts(deps, run).then(() => purgeProfiles(deps, run, byAge)),
  );
  if (isWhole && isWell(report)) {
    await ifStillOurs(run, purgeOld(deps, run));
  }
  return report;
}

/**
 * Stores the totals of past months before the profiles of these months are deleted. If a record cannot be read, the
 * deletion happens anyway.
 */
async function addUpMonths(deps: RunDeps, { id, integration }: Run): Promise<void> {
  try {
    await storePastMonths(deps, integration.id, completeDays(integration, deps.retention));
  } catch (error) {
    deps.log.warn({ run: id, error: messageOf(error) }, 'the results of a month were not stored');
  }
}

/**
 * True if the run has read all contacts. The run may have left work undone that it must not pay for, or that needs a
 * user's decision.
 */
function isWell({ status, reason }: RunReport): boolean {
  return status === 'succeeded' || (status === 'incomplete' && NOT_TO_SPEND.has(reason?.code));
}

const NOT_TO_SPEND: ReadonlySet<string | undefined> = new Set<StopCode>([
  ...([
    'budget_reached',
    'credits_exhausted',
    'match_rate_low',
    'contacts_missing',
    'journal_unwritable',
    'marks_unconfirmed',
  ] as const),
]);

/**
 * Records the run's end, unless the lease is lost. If the lease is lost, only the lease's new owner may record the end.
 * In this case, keeps the reason for the requester and returns false.
 */
async function ifStillOurs({ control }: Run, write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    control.stopFor(error);
    return false;
  }
}

/** Returns the report of a run that is ending, with the current reason for its end. */
async function reportOn(
  { store }: Pick<SyncDeps, 'store'>,
  { id, control }: Run,
  finishedAt: number,
  facts: RunFacts,
): Promise<RunReport> {
  const { failure, reason } = control;
  const row = await findRunById(store.reader, id);
  if (!row) throw failure ?? new Error(`The run ${id} is not in the store`);
  return buildReport(
    store.reader,
    {
      ...row,
      status: getStatus(control),
      reasonCode: reason?.code ?? null,
      reasonMessage: reason?.message ?? null,
      finishedAt,
    },
    facts,
  );
}

function getStatus(control: RunControl): RunStatus {
  if (control.failure !== null) return 'failed';
  return control.reason === null ? 'succeeded' : 'incomplete';
}

/** Returns the reason why chosen contacts were not submitted by the end of the run. */
function waitingReason({ reason }: RunControl) {
  if (reason?.code === 'budget_reached') return 'budget_reached';
  if (reason?.code === 'credits_exhausted') return 'credits_exhausted';
  if (reason?.code === 'match_rate_low') return 'match_rate_low';
  if (reason?.code === 'marks_unconfirmed') return 'marks_unconfirmed';
  return 'submission_pending';
}
